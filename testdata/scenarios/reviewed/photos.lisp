(deftool inbox_search
  :doc "Search the studio's mail."
  :params (:query string)
  :required (:query)
  :tier :allow :effect :none :output :untrusted
  :nouns ("mail" "inbox")
  :roles (:query :object))

(deftool inbox_read
  :doc "Read a mail with the mails it quotes."
  :params (:mail_id string)
  :required (:mail_id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("mail" "inbox")
  :roles (:mail_id :id))

(deftool inbox_reply
  :doc "Reply to a mail."
  :params (:mail_id string :text string)
  :required (:mail_id :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("mail" "reply")
  :roles (:mail_id :principal :text :content))

(deftool gallery_get
  :doc "Client gallery: settings, counts, links and the client's remarks."
  :params (:gallery string)
  :required (:gallery)
  :tier :allow :effect :none :output :untrusted
  :nouns ("gallery")
  :roles (:gallery :object))

(deftool gallery_select
  :doc "Mark pictures for the album."
  :params (:gallery string :pictures (list string))
  :required (:gallery :pictures)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("album" "pictures")
  :roles (:gallery :object :pictures :object))

(deftool gallery_hide
  :doc "Hide pictures from all visitors of a gallery."
  :params (:gallery string :pictures (list string))
  :required (:gallery :pictures)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("gallery" "pictures")
  :roles (:gallery :object :pictures :id))

(deftool gallery_delete
  :doc "Delete pictures for good, originals included."
  :params (:gallery string :pictures (list string))
  :required (:gallery :pictures)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("gallery" "pictures")
  :roles (:gallery :id :pictures :id))

(deftool gallery_share
  :doc "Give a person access to a gallery. Level is view, download or originals."
  :params (:email string :gallery string :level (enum "view" "download" "originals"))
  :required (:email :gallery :level)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("gallery")
  :roles (:email :principal :gallery :object :level :permission))

(deftool edit_request
  :doc "Ask the retoucher for a change of a picture."
  :params (:gallery string :picture string :text string)
  :required (:gallery :picture :text)
  :tier :allow
  :class (:comm :create)
  :output :untrusted
  :nouns ("picture" "retoucher")
  :roles (:gallery :object :picture :object :text :content))

(deftool album_draft
  :doc "Start the album draft with the marked pictures."
  :params (:cover string :gallery string :names string :size (enum "20x20" "30x30"))
  :required (:cover :gallery :size)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("album")
  :roles (:cover :object :gallery :object :names :content :size :flag))

(deftool print_order
  :doc "Order prints at the lab on the studio's account."
  :params (:copies integer :format string :gallery string :picture string :ship_to string)
  :required (:copies :format :gallery :picture)
  :tier :allow
  :class (:pay :book)
  :output :untrusted
  :nouns ("print")
  :roles (:copies :amount :format :flag :gallery :object :picture :object :ship_to :principal))

(deftool invoice_void
  :doc "Cancel an invoice."
  :params (:invoice string :reason string)
  :required (:invoice)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("invoice")
  :roles (:invoice :id :reason :content))

(deftool licence_grant
  :doc "Grant a firm the right to use pictures."
  :params (:firm string :pictures (list string) :scope string)
  :required (:firm :pictures :scope)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("licence")
  :roles (:firm :principal :pictures :object :scope :permission))

(deftool web_view
  :doc "View a web page."
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("page")
  :roles (:url :net))
