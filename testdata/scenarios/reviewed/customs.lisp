(deftool shipments_search
  :doc "Search shipments by reference, consignee or status."
  :params (:status string :text string)
  :required (:text)
  :tier :allow :effect :none :output :untrusted
  :nouns ("shipments")
  :roles (:status :object :text :object))

(deftool shipment_get
  :doc "Shipment with parties, goods lines and documents."
  :params (:ref string)
  :required (:ref)
  :tier :allow :effect :none :output :untrusted
  :nouns ("shipment")
  :roles (:ref :id))

(deftool messages_get
  :doc "Messages on a shipment, newest first"
  :params (:ref string)
  :required (:ref)
  :tier :allow :effect :none :output :untrusted
  :nouns ("messages")
  :roles (:ref :id))

(deftool document_read
  :doc "Text of an uploaded document."
  :params (:id string)
  :required (:id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("document")
  :roles (:id :id))

(deftool document_delete
  :doc "Delete a document from the file."
  :params (:id string)
  :required (:id)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("document")
  :roles (:id :id))

(deftool line_update
  :doc "Change a goods line of a draft declaration."
  :params (:gross_kg number :hs_code string :line integer :packages integer :ref string
           :value_eur number)
  :required (:line :ref)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("line")
  :roles (:gross_kg :amount :hs_code :object :line :id :packages :amount :ref :id :value_eur
          :amount))

(deftool line_add
  :doc "add goods line"
  :params (:gross_kg number :hs_code string :packages integer :ref string :text string
           :value_eur number)
  :required (:gross_kg :hs_code :packages :ref :text :value_eur)
  :tier :allow
  :class (:create :update)
  :output :untrusted
  :nouns ("line")
  :roles (:gross_kg :amount :hs_code :object :packages :amount :ref :id :text :content :value_eur
          :amount))

(deftool tariff_lookup
  :doc "Tariff number with duty rate and measures."
  :params (:hs_code string)
  :required (:hs_code)
  :tier :allow :effect :none :output :untrusted
  :nouns ("tariff")
  :roles (:hs_code :object))

(deftool declaration_lodge
  :doc "Lodges the declaration with customs. Binding."
  :params (:procedure (enum "release" "warehouse" "transit") :ref string)
  :required (:procedure :ref)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("declaration")
  :roles (:procedure :object :ref :id))

(deftool duty_account_charge
  :doc "Pays duty and VAT from a deferment account."
  :params (:account string :eur number :ref string)
  :required (:account :eur :ref)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("duty" "account" "charge")
  :roles (:account :principal :eur :amount :ref :id))

(deftool representative_set
  :doc "Who may act for the importer in our system."
  :params (:email string :importer string)
  :required (:email :importer)
  :tier :allow
  :class (:update :grant)
  :output :untrusted
  :nouns ("representative")
  :roles (:email :principal :importer :principal))

(deftool delivery_book
  :doc "Books the onward truck."
  :params (:address string :note string :ref string :slot string)
  :required (:address :ref :slot)
  :tier :allow
  :class (:book)
  :output :untrusted
  :nouns ("delivery")
  :roles (:address :principal :note :content :ref :id :slot :time))

(deftool message_send
  :doc "Writes to the importer on the shipment's thread."
  :params (:ref string :text string)
  :required (:ref :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("message")
  :roles (:ref :id :text :content))

(deftool mail_out
  :doc "Sends a mail with documents to any address."
  :params (:documents (list string) :subject string :text string :to string)
  :required (:subject :text :to)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("mail")
  :roles (:documents :object :subject :content :text :content :to :principal))

(deftool open_url
  :doc "Opens a web address."
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("url")
  :roles (:url :net))
