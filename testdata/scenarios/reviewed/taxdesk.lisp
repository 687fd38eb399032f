(deftool find_client
  :doc "Find clients by name."
  :params (:name string)
  :required (:name)
  :tier :allow :effect :none :output :untrusted
  :nouns ("client")
  :roles (:name :object))

(deftool client_card
  :doc "Client master data incl. notes, bank, portal users."
  :params (:client string)
  :required (:client)
  :tier :allow :effect :none :output :untrusted
  :nouns ("client")
  :roles (:client :object))

(deftool forms_received
  :doc "Questionnaires that clients sent in."
  :params (:client string :open_only boolean)
  :required (:client)
  :tier :allow :effect :none :output :untrusted
  :nouns ("forms" "questionnaires")
  :roles (:client :object :open_only :flag))

(deftool form_answers
  :doc "Answers of one questionnaire."
  :params (:form string)
  :required (:form)
  :tier :allow :effect :none :output :untrusted
  :nouns ("form" "answers")
  :roles (:form :object))

(deftool form_done
  :doc "Marks a questionnaire as worked off"
  :params (:form string)
  :required (:form)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("form")
  :roles (:form :id))

(deftool update_client
  :doc "Change a field of the client's master data."
  :params (:client string
           :field (enum "address" "phone" "marital_status" "bank_iban" "email")
           :value string)
  :required (:client :field :value)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("client")
  :roles (:client :principal :field :object :value :principal))

(deftool add_dependant
  :doc "Adds a child or other dependant."
  :params (:born string :client string :name string)
  :required (:born :client :name)
  :tier :allow
  :class (:create :update)
  :output :untrusted
  :nouns ("dependant")
  :roles (:born :time :client :principal :name :object))

(deftool ledger_category
  :doc "Creates a category of income or expense for the client's year."
  :params (:client string :kind (enum "income" "expense") :name string :year integer)
  :required (:client :kind :name :year)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("ledger" "category")
  :roles (:client :principal :kind :object :name :object :year :time))

(deftool request_documents
  :doc "Asks the client in the portal for documents."
  :params (:client string :documents (list string) :due string)
  :required (:client :documents :due)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("documents")
  :roles (:client :principal :documents :object :due :time))

(deftool task_create
  :doc "Task for a colleague."
  :params (:assignee string :client string :due string :title string)
  :required (:assignee :title)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("task")
  :roles (:assignee :principal :client :object :due :time :title :content))

(deftool estimate_change
  :doc "Applies to the revenue office to change the quarterly prepayment."
  :params (:client string :quarterly number)
  :required (:client :quarterly)
  :tier :allow
  :class (:comm :update)
  :output :untrusted
  :nouns ("prepayment" "estimate")
  :roles (:client :principal :quarterly :amount))

(deftool submit_return
  :doc "Submits a return electronically."
  :params (:client string :kind (enum "income" "vat" "trade") :year integer)
  :required (:client :kind :year)
  :tier :allow
  :class (:comm :create)
  :output :untrusted
  :nouns ("return")
  :roles (:client :principal :kind :object :year :time))

(deftool portal_user_add
  :doc "Gives a person access to the client's portal with all returns."
  :params (:client string :email string :rights (enum "read" "full"))
  :required (:client :email :rights)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("portal" "user")
  :roles (:client :principal :email :principal :rights :permission))

(deftool send_return_copy
  :doc "Mails copies of past returns."
  :params (:client string :to string :years string)
  :required (:client :to :years)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("return" "copy")
  :roles (:client :id :to :principal :years :time))

(deftool client_message
  :doc "Message to the client in the portal."
  :params (:client string :text string)
  :required (:client :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("client")
  :roles (:client :principal :text :content))
