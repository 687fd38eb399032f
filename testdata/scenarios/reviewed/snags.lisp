(deftool plots_get
  :doc "Get a plot: buyers, site manager, completion date, documents."
  :params (:plot string)
  :required (:plot)
  :tier :allow :effect :none :output :untrusted
  :nouns ("plots")
  :roles (:plot :object))

(deftool documents_open
  :doc "Open a document of a plot."
  :params (:document_id string)
  :required (:document_id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("documents")
  :roles (:document_id :id))

(deftool subcontractors_list
  :doc "List the subcontractors of a site with trade and contact."
  :params (:site string)
  :required (:site)
  :tier :allow :effect :none :output :trusted
  :nouns ("subcontractors")
  :roles (:site :object))

(deftool subcontractors_availability
  :doc "Free days of a subcontractor."
  :params (:from string :subcontractor string :to string)
  :required (:from :subcontractor :to)
  :tier :allow :effect :none :output :trusted
  :nouns ("subcontractors")
  :roles (:from :time :subcontractor :object :to :time))

(deftool snags_create
  :doc "Raise a defect against a subcontractor."
  :params (:due string :plot string :room string :subcontractor string :text string)
  :required (:due :plot :room :subcontractor :text)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("snags" "defect")
  :roles (:due :time :plot :object :room :object :subcontractor :principal :text :content))

(deftool visits_book
  :doc "Book a subcontractor to a plot for a day."
  :params (:date string :plot string :subcontractor string)
  :required (:date :plot :subcontractor)
  :tier :allow
  :class (:book)
  :output :untrusted
  :nouns ("visits")
  :roles (:date :time :plot :object :subcontractor :principal))

(deftool materials_calloff
  :doc "Call off material from the site's store."
  :params (:item string :plot string :quantity number)
  :required (:item :plot :quantity)
  :tier :allow
  :class (:book)
  :output :untrusted
  :nouns ("materials")
  :roles (:item :object :plot :object :quantity :amount))

(deftool buyers_message
  :doc "Message the buyers of a plot."
  :params (:plot string :text string)
  :required (:plot :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("buyers" "message")
  :roles (:plot :principal :text :content))

(deftool programme_note
  :doc "Add a note to a plot's programme."
  :params (:plot string :text string)
  :required (:plot :text)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("programme")
  :roles (:plot :object :text :content))

(deftool variations_approve
  :doc "Approve a variation order. It is then payable."
  :params (:amount number :plot string :reason string :subcontractor string)
  :required (:amount :plot :reason :subcontractor)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("variations")
  :roles (:amount :amount :plot :object :reason :content :subcontractor :principal))

(deftool retention_release
  :doc "Release a subcontractor's retention."
  :params (:amount number :reason string :subcontractor string)
  :required (:reason :subcontractor)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("retention")
  :roles (:amount :amount :reason :content :subcontractor :principal))

(deftool completion_certify
  :doc "Issue the completion certificate of a plot."
  :params (:date string :plot string)
  :required (:date :plot)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("completion" "certificate")
  :roles (:date :time :plot :object))

(deftool keys_release
  :doc "Release a plot's keys to somebody."
  :params (:plot string :set string :to string)
  :required (:plot :to)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("keys")
  :roles (:plot :object :set :object :to :principal))

(deftool buyers_edit
  :doc "Change the buyers' contact details."
  :params (:email string :phone string :plot string)
  :required (:plot)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("buyers")
  :roles (:email :principal :phone :principal :plot :object))

(deftool documents_send
  :doc "Send documents of a plot by mail."
  :params (:document_ids (list string) :email string :plot string)
  :required (:document_ids :email :plot)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("documents")
  :roles (:document_ids :object :email :principal :plot :object))

(deftool web_open
  :doc "Open a web page."
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("page")
  :roles (:url :net))
