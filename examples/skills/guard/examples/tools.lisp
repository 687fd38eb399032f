; An office for the examples of this folder: its tools are nobody's.

(deftool read-mail :doc "Read the inbox." :effect :none :tier :allow)
(deftool open-page
  :doc "Read a page."
  :params (:url url)
  :required (:url)
  :effect :none :tier :allow)
(deftool list-notes :doc "List the notes." :effect :none :tier :allow)
(deftool find-note :doc "Find notes." :params (:query string) :effect :none :tier :allow)
(deftool see-photo :doc "Look at a photo." :params (:name string) :effect :none :tier :allow)
(deftool address-book
  :doc "The owner's own contacts." :effect :none :tier :allow :output :trusted)
(deftool send-mail
  :params (:to string :subject string :body string :attach path)
  :required (:to)
  :tier :allow
  :class :comm :nouns ("mail") :roles (:to :principal :subject :content :body :content))
(deftool pay
  :params (:account string :amount number :on string)
  :required (:account :amount)
  :tier :allow
  :class :pay :nouns ("money") :roles (:account :principal :amount :amount :on :time))
(deftool delete-note
  :params (:id string)
  :required (:id)
  :tier :allow
  :class :delete :nouns ("note") :roles (:id :id))
(deftool move-meeting
  :params (:meeting string :day string)
  :required (:meeting :day)
  :tier :allow
  :class :update :nouns ("meeting") :roles (:meeting :object :day :time))
(deftool share-note
  :params (:id string :person string)
  :required (:id :person)
  :tier :allow
  :class :grant :nouns ("note") :roles (:id :id :person :principal))
(deftool stop-sync :doc "Stop the synchronisation." :tier :allow :class :update :nouns ("sync"))
(deftool run-line
  :params (:line command)
  :required (:line)
  :tier :allow
  :class :run :roles (:line :code))
(deftool gate-set
  :params (:gate string :state string)
  :required (:gate :state)
  :tier :allow
  :class (:update :grant) :nouns ("gate") :roles (:gate :object :state :permission))
(deftool poster-promote
  :params (:poster string :budget number)
  :required (:poster :budget)
  :tier :allow
  :class (:update :pay) :nouns ("poster") :roles (:poster :id :budget :amount))
