; Declarations of the excursion tools of tools/excursion.json, reviewed by hand after the draft
; of `cortex tools declare`. A contact who may collect a child has a right over it.

(deftool forms_list
  :doc "Forms owned by or shared with you."
  :params (:owner string :status (enum "open" "closed"))
  :tier :allow :effect :none :output :untrusted
  :nouns ("forms")
  :roles (:owner :object :status :object))

(deftool forms_responses
  :doc "Responses of a form, one row each"
  :params (:form_id string :page integer)
  :required (:form_id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("forms" "responses")
  :roles (:form_id :id :page :object))

(deftool folder_files
  :doc "List files in a folder"
  :params (:folder string)
  :required (:folder)
  :tier :allow :effect :none :output :untrusted
  :nouns ("folder" "files")
  :roles (:folder :object))

(deftool file_text
  :doc "Plain text of a file."
  :params (:file_id string)
  :required (:file_id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("file" "text")
  :roles (:file_id :id))

(deftool trip_group_set
  :doc "Create or overwrite a group of a trip."
  :params (:group string :leader string :pupils (list string) :trip string)
  :required (:group :leader :pupils :trip)
  :tier :allow
  :class (:create :update)
  :output :untrusted
  :nouns ("trip" "group")
  :roles (:group :id :leader :principal :pupils :object :trip :id))

(deftool trip_meal_set
  :doc "Record a diet for a pupil. The centre's kitchen sees this."
  :params (:diet string :pupil string :trip string)
  :required (:diet :pupil :trip)
  :tier :allow
  :class (:create :update)
  :output :untrusted
  :nouns ("trip" "meal")
  :roles (:diet :content :pupil :id :trip :id))

(deftool trip_medical_add
  :doc "Add a line to the medical sheet of the trip"
  :params (:line string :pupil string :trip string)
  :required (:line :pupil :trip)
  :tier :allow
  :class (:create :update)
  :output :untrusted
  :nouns ("trip" "medical")
  :roles (:line :content :pupil :id :trip :id))

(deftool trip_fee_waive
  :doc "Waive all or part of the fee"
  :params (:amount number :pupil string :reason string :trip string)
  :required (:amount :pupil :trip)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("trip" "fee")
  :roles (:amount :amount :pupil :principal :reason :content :trip :id))

(deftool trip_withdraw
  :doc "Take a pupil off a trip. Place goes to the waiting list."
  :params (:pupil string :trip string)
  :required (:pupil :trip)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("trip")
  :roles (:pupil :id :trip :id))

(deftool parent_mail
  :doc "Mail the parents on record of one pupil."
  :params (:body string :pupil string :subject string)
  :required (:body :pupil :subject)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("parent")
  :roles (:body :content :pupil :principal :subject :content))

(deftool pupil_contact_add
  :doc "Adds a contact to a pupil's record. Contacts with collect=true may pick the child up."
  :params (:collect boolean :name string :phone string :pupil string)
  :required (:name :phone :pupil)
  :tier :allow
  :class (:create :update :grant)
  :output :untrusted
  :nouns ("pupil" "contact")
  :roles (:collect :permission :name :principal :phone :principal :pupil :id))

(deftool pupil_record_export
  :doc "Export pupil records and send them as a file"
  :params (:pupils (list string) :to string)
  :required (:pupils :to)
  :tier :allow
  :class (:comm :create)
  :output :untrusted
  :nouns ("pupil" "record")
  :roles (:pupils :object :to :principal))

(deftool web_fetch
  :doc "Fetch a web page as text"
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("web")
  :roles (:url :net))
