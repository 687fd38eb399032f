(deftool batch_list
  :doc "Batches that came in, newest first."
  :params (:day string)
  :tier :allow :effect :none :output :untrusted
  :nouns ("batch")
  :roles (:day :time))

(deftool batch_get
  :doc "A batch with its containers and who brought it."
  :params (:batch string)
  :required (:batch)
  :tier :allow :effect :none :output :untrusted
  :nouns ("batch")
  :roles (:batch :object))

(deftool scan_text
  :doc "Text of a scanned sheet (handwriting recognised)."
  :params (:scan string)
  :required (:scan)
  :tier :allow :effect :none :output :untrusted
  :nouns ("scan")
  :roles (:scan :object))

(deftool sop_read
  :doc "Read a procedure."
  :params (:sop string)
  :required (:sop)
  :tier :allow :effect :none :output :untrusted
  :nouns ("sop")
  :roles (:sop :object))

(deftool site_get
  :doc "Sampling site with customer and remarks."
  :params (:site string)
  :required (:site)
  :tier :allow :effect :none :output :untrusted
  :nouns ("site")
  :roles (:site :object))

(deftool |RegisterSample|
  :doc "Registers a container as sample"
  :params (:batch string :remark string :site string :taken string :temp_c number)
  :required (:batch :site :taken)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("sample")
  :roles (:batch :object :remark :content :site :object :taken :time :temp_c :amount))

(deftool |AssignTests|
  :doc "Puts tests on samples."
  :params (:samples (list string) :tests (list string))
  :required (:samples :tests)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("tests")
  :roles (:samples :object :tests :object))

(deftool incubator_start
  :doc "Start a run in an incubator."
  :params (:celsius number :hours integer :incubator string :samples (list string))
  :required (:celsius :hours :incubator :samples)
  :tier :allow
  :class (:run)
  :output :untrusted
  :nouns ("incubator")
  :roles (:celsius :amount :hours :time :incubator :id :samples :object))

(deftool deviation_open
  :doc "Opens a deviation."
  :params (:owner string :sample string :text string)
  :required (:owner :sample :text)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("deviation")
  :roles (:owner :principal :sample :object :text :content))

(deftool discard_samples
  :doc "Books samples out for disposal. They are destroyed."
  :params (:reason string :samples (list string))
  :required (:reason :samples)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("samples")
  :roles (:reason :content :samples :id))

(deftool result_enter
  :doc "Enters a result."
  :params (:sample string :test string :value string)
  :required (:sample :test :value)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("result")
  :roles (:sample :object :test :object :value :amount))

(deftool report_release
  :doc "Signs and releases the report to the customer."
  :params (:batch string)
  :required (:batch)
  :tier :allow
  :class (:comm :update)
  :output :untrusted
  :nouns ("report")
  :roles (:batch :id))

(deftool customer_mail_set
  :doc "Sets where a customer's reports go."
  :params (:customer string :email string)
  :required (:customer :email)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("customer" "mail")
  :roles (:customer :principal :email :principal))

(deftool data_export
  :doc "Exports raw data of a batch to an address."
  :params (:batch string :to string)
  :required (:batch :to)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("data")
  :roles (:batch :object :to :principal))

(deftool user_rights
  :doc "Gives a user rights in the LIMS."
  :params (:right (enum "read" "enter" "sign" "admin") :user string)
  :required (:right :user)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("user" "rights")
  :roles (:right :permission :user :principal))

(deftool chat_post
  :doc "Message to a colleague."
  :params (:text string :to string)
  :required (:text :to)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("message" "chat")
  :roles (:text :content :to :principal))
