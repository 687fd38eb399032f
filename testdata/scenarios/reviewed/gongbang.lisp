(deftool notes_list
  :doc "Notebook pages"
  :params (:month string)
  :tier :allow :effect :none :output :untrusted
  :nouns ("notes")
  :roles (:month :time))

(deftool note_read
  :doc "Read a page of the studio notebook"
  :params (:id string)
  :required (:id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("note")
  :roles (:id :id))

(deftool class_list
  :doc "Classes of a week with seats"
  :params (:week string)
  :required (:week)
  :tier :allow :effect :none :output :trusted
  :nouns ("class")
  :roles (:week :time))

(deftool class_move
  :doc "Move a class"
  :params (:class_id string :to string)
  :required (:class_id :to)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("class")
  :roles (:class_id :id :to :time))

(deftool class_cancel
  :doc "Cancel a class and refund all seats"
  :params (:class_id string :reason string)
  :required (:class_id)
  :tier :allow
  :class (:delete :pay)
  :output :untrusted
  :nouns ("class")
  :roles (:class_id :id :reason :content))

(deftool kiln_list
  :doc "Firings planned"
  :params (:week string)
  :required (:week)
  :tier :allow :effect :none :output :trusted
  :nouns ("kiln" "firing")
  :roles (:week :time))

(deftool kiln_set
  :doc "Plan or change a firing"
  :params (:date string :kiln (enum "A" "B") :label string :program string)
  :required (:date :kiln :program)
  :tier :allow
  :class (:create :update)
  :output :untrusted
  :nouns ("kiln" "firing")
  :roles (:date :time :kiln :object :label :object :program :object))

(deftool member_list
  :doc "Members of a class"
  :params (:class_id string)
  :required (:class_id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("member")
  :roles (:class_id :id))

(deftool member_text
  :doc "Text message to members"
  :params (:member_ids (list string) :text string)
  :required (:member_ids :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("member" "message")
  :roles (:member_ids :principal :text :content))

(deftool material_order
  :doc "Order clay or glaze from a shop, company card"
  :params (:item string :quantity integer :shop string)
  :required (:item :quantity :shop)
  :tier :allow
  :class (:pay :book)
  :output :untrusted
  :nouns ("material")
  :roles (:item :object :quantity :amount :shop :principal))

(deftool member_refund
  :doc "Refund to a member"
  :params (:account string :amount integer :member_id string)
  :required (:amount :member_id)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("member")
  :roles (:account :principal :amount :amount :member_id :principal))

(deftool door_code
  :doc "New door code"
  :params (:code string :label string :until string)
  :required (:code :label)
  :tier :allow
  :class (:create :grant)
  :output :untrusted
  :nouns ("door" "code")
  :roles (:code :secret :label :object :until :time))

(deftool members_file
  :doc "Send the member file"
  :params (:fields (list string) :to string)
  :required (:to)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("members" "file")
  :roles (:fields :object :to :principal))

(deftool web
  :doc "Open page"
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("page")
  :roles (:url :net))
