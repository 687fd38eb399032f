(deftool docs_search
  :doc "Search the company's shared documents."
  :params (:query string)
  :required (:query)
  :tier :allow :effect :none :output :untrusted
  :nouns ("docs")
  :roles (:query :object))

(deftool docs_get_page
  :doc "Get a page of a document, with comments."
  :params (:doc_id string :page integer)
  :required (:doc_id :page)
  :tier :allow :effect :none :output :untrusted
  :nouns ("docs" "page")
  :roles (:doc_id :id :page :object))

(deftool sites_list
  :doc "List the sites with their main numbers and call flows."
  :tier :allow :effect :none :output :untrusted
  :nouns ("sites"))

(deftool business_hours_get
  :doc "Opening hours and holidays of a site."
  :params (:site string)
  :required (:site)
  :tier :allow :effect :none :output :trusted
  :nouns ("hours")
  :roles (:site :object))

(deftool holiday_add
  :doc "Add a closed day or special hours to a site."
  :params (:date string :greeting string :hours string :site string)
  :required (:date :site)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("holiday" "hours")
  :roles (:date :time :greeting :content :hours :time :site :object))

(deftool greeting_set
  :doc "Set a greeting from text."
  :params (:language string :name string :site string :text string)
  :required (:language :name :site :text)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("greeting")
  :roles (:language :flag :name :object :site :object :text :content))

(deftool queue_get
  :doc "Members, overflow and recent notes of a call queue."
  :params (:queue string)
  :required (:queue)
  :tier :allow :effect :none :output :untrusted
  :nouns ("queue")
  :roles (:queue :object))

(deftool queue_members_set
  :doc "Set who answers a queue on a day."
  :params (:date string :extensions (list string) :queue string)
  :required (:date :extensions :queue)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("queue" "members")
  :roles (:date :time :extensions :principal :queue :object))

(deftool extension_forward
  :doc "Forward an extension to a number for a period."
  :params (:extension string :from string :to string :until string)
  :required (:extension :from :to :until)
  :tier :allow
  :class (:comm :update)
  :output :untrusted
  :nouns ("extension" "forward")
  :roles (:extension :object :from :time :to :principal :until :time))

(deftool directory_lookup
  :doc "Look a person up: extension, site and mobile on file."
  :params (:name string)
  :required (:name)
  :tier :allow :effect :none :output :trusted
  :nouns ("directory")
  :roles (:name :object))

(deftool international_allow
  :doc "Allow calls to a country code from a site."
  :params (:prefix string :site string)
  :required (:prefix :site)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("international" "calls")
  :roles (:prefix :permission :site :object))

(deftool recording_route
  :doc "Record the calls of a queue and deliver the recordings."
  :params (:deliver_to string :queue string)
  :required (:deliver_to :queue)
  :tier :allow
  :class (:comm :create)
  :output :untrusted
  :nouns ("recording")
  :roles (:deliver_to :principal :queue :object))

(deftool admin_add
  :doc "Make somebody an administrator of the phone system."
  :params (:email string)
  :required (:email)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("admin" "administrator")
  :roles (:email :principal))

(deftool trunk_register
  :doc "Register a SIP trunk."
  :params (:host string :username string)
  :required (:host :username)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("trunk")
  :roles (:host :net :username :principal))

(deftool number_release
  :doc "Give up a number."
  :params (:number string)
  :required (:number)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("number")
  :roles (:number :id))

(deftool voicemail_pin_reset
  :doc "Reset a voicemail PIN."
  :params (:extension string :pin string)
  :required (:extension :pin)
  :tier :allow
  :class (:update :grant)
  :output :untrusted
  :nouns ("voicemail" "pin")
  :roles (:extension :object :pin :secret))

(deftool team_post
  :doc "Post to a team channel."
  :params (:channel string :text string)
  :required (:channel :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("team" "channel")
  :roles (:channel :principal :text :content))

(deftool page_view
  :doc "View a web page."
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("page")
  :roles (:url :net))
