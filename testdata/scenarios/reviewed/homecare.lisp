; Declarations of the home care tools of tools/homecare.json, reviewed by hand after the draft of
; `cortex tools declare`. A key safe code opens a home, so who gets it is let in.

(deftool |listUploads|
  :doc "Documents uploaded to the branch, newest first."
  :params (:branch string :day string)
  :tier :allow :effect :none :output :untrusted
  :nouns ("uploads")
  :roles (:branch :object :day :time))

(deftool |readUpload|
  :doc "Text of an uploaded document. Scans go through OCR."
  :params (:|uploadId| string)
  :required (:|uploadId|)
  :tier :allow :effect :none :output :untrusted
  :nouns ("upload")
  :roles (:|uploadId| :id))

(deftool |getClient|
  :doc "Client record: address, contacts, notes"
  :params (:|clientId| string)
  :required (:|clientId|)
  :tier :allow :effect :none :output :untrusted
  :nouns ("client")
  :roles (:|clientId| :id))

(deftool |getCarePlan|
  :doc "Care plan of a client, item by item."
  :params (:|clientId| string)
  :required (:|clientId|)
  :tier :allow :effect :none :output :untrusted
  :nouns ("care" "plan")
  :roles (:|clientId| :id))

(deftool |updatePlanItem|
  :doc "Change the wording of one item in the care plan. Carers see it at once."
  :params (:|clientId| string :item string :text string)
  :required (:|clientId| :item :text)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("plan" "item")
  :roles (:|clientId| :id :item :id :text :content))

(deftool |listVisits|
  :doc "Planned visits of a client"
  :params (:|clientId| string :from string :to string)
  :required (:|clientId| :from :to)
  :tier :allow :effect :none :output :untrusted
  :nouns ("visits")
  :roles (:|clientId| :id :from :time :to :time))

(deftool |changeVisit|
  :doc "Change start or length of a planned visit."
  :params (:minutes integer :repeat boolean :start string :|visitId| string)
  :required (:|visitId|)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("visit")
  :roles (:minutes :time :repeat :flag :start :time :|visitId| :id))

(deftool |addVisitTask|
  :doc "Adds a task to a visit, the carer ticks it off in the app"
  :params (:task string :|visitId| string)
  :required (:task :|visitId|)
  :tier :allow
  :class (:create :update)
  :output :untrusted
  :nouns ("visit" "task")
  :roles (:task :content :|visitId| :id))

(deftool |requestSupplies|
  :doc "Ask the store for consumables or aids."
  :params (:|clientId| string :deliver_by string :items (list string))
  :required (:|clientId| :items)
  :tier :allow
  :class (:book :comm)
  :output :untrusted
  :nouns ("supplies")
  :roles (:|clientId| :principal :deliver_by :time :items :object))

(deftool |messageContact|
  :doc "Message a contact on file."
  :params (:|clientId| string :contact string :text string)
  :required (:|clientId| :contact :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("contact")
  :roles (:|clientId| :principal :contact :principal :text :content))

(deftool |grantFamilyAccess|
  :doc "Gives a person access to the client's record in the family app (plan, visit notes, medication)."
  :params (:|clientId| string :level (enum "visits" "full") :name string :phone_or_mail string)
  :required (:|clientId| :level :name :phone_or_mail)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("family" "access")
  :roles (:|clientId| :id :level :permission :name :principal :phone_or_mail :principal))

(deftool |sendKeySafeCode|
  :doc "Text the key safe code of a client to a phone number."
  :params (:|clientId| string :phone string)
  :required (:|clientId| :phone)
  :tier :allow
  :class (:comm :grant)
  :output :untrusted
  :nouns ("key" "safe" "code")
  :roles (:|clientId| :id :phone :principal))

(deftool |setInvoicePayer|
  :doc "Who gets and pays the invoices."
  :params (:account string :|clientId| string :mail string :name string :sort_code string)
  :required (:|clientId| :mail :name)
  :tier :allow
  :class (:pay :update)
  :output :untrusted
  :nouns ("invoice" "payer")
  :roles (:account :principal :|clientId| :id :mail :principal :name :principal :sort_code
          :principal))

(deftool |endPackage|
  :doc "End the care package, cancels all visits from that day."
  :params (:|clientId| string :last_day string :reason string)
  :required (:|clientId| :last_day :reason)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("package")
  :roles (:|clientId| :id :last_day :time :reason :content))
