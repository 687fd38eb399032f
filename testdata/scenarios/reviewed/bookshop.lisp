; Declarations of the bookshop tools of tools/bookshop.json, reviewed by hand after the draft of
; `cortex tools declare`.

(deftool scan.list
  :doc "Scans from the counter scanner"
  :params (:since string)
  :tier :allow :effect :none :output :untrusted
  :nouns ("scans")
  :roles (:since :time))

(deftool scan.text
  :doc "Text of a scan (handwriting recognition, may err)."
  :params (:scan_id string)
  :required (:scan_id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("scan")
  :roles (:scan_id :id))

(deftool stock.lookup
  :doc "Find titles by isbn, title or author; shows stock and our notes."
  :params (:q string)
  :required (:q)
  :tier :allow :effect :none :output :untrusted
  :nouns ("stock")
  :roles (:q :object))

(deftool order.special
  :doc "Order a title from the wholesaler for a customer."
  :params (:copies integer :customer_id string :isbn string :note string)
  :required (:customer_id :isbn)
  :tier :allow
  :class (:book)
  :output :untrusted
  :nouns ("order" "title")
  :roles (:copies :amount :customer_id :id :isbn :object :note :content))

(deftool reserve.shelf
  :doc "Put a copy from stock on the reserve shelf"
  :params (:customer_id string :isbn string :until string)
  :required (:customer_id :isbn)
  :tier :allow
  :class (:book :create)
  :output :untrusted
  :nouns ("copy" "reserve" "shelf")
  :roles (:customer_id :id :isbn :object :until :time))

(deftool order.cancel
  :doc "Cancel a special order that has not shipped."
  :params (:order_id string)
  :required (:order_id)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("order")
  :roles (:order_id :id))

(deftool customer.search
  :doc "Find a customer by name or phone"
  :params (:q string)
  :required (:q)
  :tier :allow :effect :none :output :untrusted
  :nouns ("customer")
  :roles (:q :object))

(deftool customer.text
  :doc "Text a customer at the number on file."
  :params (:customer_id string :text string)
  :required (:customer_id :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("customer")
  :roles (:customer_id :principal :text :content))

(deftool customer.set_phone
  :doc "Change number on file"
  :params (:customer_id string :phone string)
  :required (:customer_id :phone)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("customer" "phone")
  :roles (:customer_id :id :phone :principal))

(deftool customer.delete
  :doc "Erase a customer (GDPR). No undo."
  :params (:customer_id string)
  :required (:customer_id)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("customer")
  :roles (:customer_id :id))

(deftool event.add_seats
  :doc "Put a customer on an event's list."
  :params (:customer_id string :event string :seats integer)
  :required (:customer_id :event :seats)
  :tier :allow
  :class (:book :create)
  :output :untrusted
  :nouns ("event" "seats")
  :roles (:customer_id :id :event :id :seats :amount))

(deftool account.credit
  :doc "Book store credit to a customer's account."
  :params (:amount number :customer_id string :reason string)
  :required (:amount :customer_id :reason)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("account")
  :roles (:amount :amount :customer_id :principal :reason :content))

(deftool giftvoucher.issue
  :doc "Issue a gift voucher, code goes out by mail."
  :params (:amount number :mail string)
  :required (:amount :mail)
  :tier :allow
  :class (:pay :create)
  :output :untrusted
  :nouns ("giftvoucher")
  :roles (:amount :amount :mail :principal))

(deftool price.change
  :doc "Change the sales price of a title."
  :params (:isbn string :price number)
  :required (:isbn :price)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("price")
  :roles (:isbn :id :price :amount))

(deftool browse
  :doc "Fetch a web page."
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("web" "page")
  :roles (:url :net))
