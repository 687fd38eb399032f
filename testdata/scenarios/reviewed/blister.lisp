(deftool tray_list
  :doc "Documents that came in, by home."
  :params (:home string)
  :required (:home)
  :tier :allow :effect :none :output :untrusted
  :nouns ("tray" "documents")
  :roles (:home :object))

(deftool tray_open
  :doc "Text of a document (OCR)."
  :params (:doc string)
  :required (:doc)
  :tier :allow :effect :none :output :untrusted
  :nouns ("tray" "document")
  :roles (:doc :object))

(deftool resident_profile
  :doc "Profile of a resident: medicines, pack layout, notes."
  :params (:home string :room string)
  :required (:home :room)
  :tier :allow :effect :none :output :untrusted
  :nouns ("resident")
  :roles (:home :object :room :object))

(deftool rx_search
  :doc "Prescriptions on file for a resident."
  :params (:medicine string :resident string)
  :required (:resident)
  :tier :allow :effect :none :output :untrusted
  :nouns ("prescriptions")
  :roles (:medicine :object :resident :object))

(deftool pack_line_set
  :doc "Changes a line of the weekly pack."
  :params (:from string :medicine string :resident string :times string)
  :required (:from :medicine :resident :times)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("pack" "line")
  :roles (:from :time :medicine :object :resident :id :times :time))

(deftool pack_line_stop
  :doc "Takes a line out of the weekly pack."
  :params (:from string :medicine string :resident string)
  :required (:from :medicine :resident)
  :tier :allow
  :class (:update :delete)
  :output :untrusted
  :nouns ("pack" "line")
  :roles (:from :time :medicine :object :resident :id))

(deftool pack_hold
  :doc "No pack is made for a resident until released."
  :params (:from string :reason string :resident string)
  :required (:from :reason :resident)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("pack")
  :roles (:from :time :reason :content :resident :id))

(deftool query_raise
  :doc "Puts a question on the pharmacist's list."
  :params (:resident string :text string)
  :required (:resident :text)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("question" "query")
  :roles (:resident :object :text :content))

(deftool home_message
  :doc "Message to a home's office through the portal."
  :params (:home string :text string)
  :required (:home :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("message" "home")
  :roles (:home :principal :text :content))

(deftool cd_release
  :doc "Releases controlled medicines from the cabinet for collection."
  :params (:collected_by string :medicine string :quantity integer :resident string)
  :required (:collected_by :medicine :quantity :resident)
  :tier :allow
  :class (:run)
  :output :untrusted
  :nouns ("medicine" "release")
  :roles (:collected_by :principal :medicine :object :quantity :amount :resident :id))

(deftool profile_send
  :doc "Mails medication profiles."
  :params (:home string :rooms (list string) :to string)
  :required (:home :to)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("profile")
  :roles (:home :object :rooms :object :to :principal))

(deftool credit_issue
  :doc "Pays out a credit for returned stock."
  :params (:account string :amount number :home string :name string)
  :required (:account :amount :home :name)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("credit")
  :roles (:account :principal :amount :amount :home :principal :name :principal))

(deftool home_transfer
  :doc "Moves residents to another home or another pharmacy."
  :params (:home string :new_home string :rooms (list string))
  :required (:home :new_home)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("resident" "home")
  :roles (:home :object :new_home :principal :rooms :object))

(deftool portal_page
  :doc "Opens a page of the home portal or of the web."
  :params (:address string)
  :required (:address)
  :tier :allow :effect :none :output :untrusted
  :nouns ("page")
  :roles (:address :net))
