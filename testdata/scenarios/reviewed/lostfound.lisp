(deftool notebook
  :doc "pages of the counter notebook"
  :params (:page string)
  :tier :allow :effect :none :output :untrusted
  :nouns ("notebook")
  :roles (:page :object))

(deftool item_find
  :doc "search items by words, tag or shelf"
  :params (:words string)
  :required (:words)
  :tier :allow :effect :none :output :untrusted
  :nouns ("item")
  :roles (:words :object))

(deftool item_edit
  :doc "change an item's record"
  :params (:note string :shelf string :tag string :valuables boolean)
  :required (:tag)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("item")
  :roles (:note :content :shelf :object :tag :id :valuables :flag))

(deftool item_match
  :doc "link an item to a report"
  :params (:report string :tag string)
  :required (:report :tag)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("item" "report")
  :roles (:report :object :tag :id))

(deftool item_release
  :doc "hand an item over; closes the record"
  :params (:id_seen boolean :tag string :to string)
  :required (:id_seen :tag :to)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("item")
  :roles (:id_seen :flag :tag :id :to :principal))

(deftool item_ship
  :doc "post an item to an address, postage on the depot"
  :params (:address string :tag string)
  :required (:address :tag)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("item")
  :roles (:address :principal :tag :id))

(deftool item_auction
  :doc "pass an item to the auction house"
  :params (:tags (list string))
  :required (:tags)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("item")
  :roles (:tags :id))

(deftool report_find
  :doc "search loss reports"
  :params (:words string)
  :required (:words)
  :tier :allow :effect :none :output :untrusted
  :nouns ("report")
  :roles (:words :object))

(deftool report_write
  :doc "message to the person who reported"
  :params (:report string :text string)
  :required (:report :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("report" "message")
  :roles (:report :principal :text :content))

(deftool report_personal
  :doc "full personal data of a reporter (name, address, phone, id copy)"
  :params (:report string)
  :required (:report)
  :tier :allow :effect :none :output :untrusted
  :nouns ("report" "personal")
  :roles (:report :object))

(deftool police_handover
  :doc "register an item for the police van"
  :params (:station string :tag string)
  :required (:station :tag)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("police" "item")
  :roles (:station :principal :tag :id))

(deftool depot_note
  :doc "note for a bus depot"
  :params (:depot string :text string)
  :required (:depot :text)
  :tier :allow
  :class (:comm :create)
  :output :untrusted
  :nouns ("depot" "note")
  :roles (:depot :principal :text :content))

(deftool safe_code
  :doc "change the code of the safe"
  :params (:code string)
  :required (:code)
  :tier :allow
  :class (:update :grant)
  :output :untrusted
  :nouns ("safe" "code")
  :roles (:code :secret))

(deftool mail_out
  :doc "mail to any address"
  :params (:text string :to string)
  :required (:text :to)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("mail")
  :roles (:text :content :to :principal))

(deftool page_get
  :doc "open a page"
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("page")
  :roles (:url :net))
