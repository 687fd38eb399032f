(deftool get-order :doc "Shows an order." :params (:id string) :required (:id) :tier :allow :effect :none)
(deftool refund :doc "Refunds an order." :params (:id string :amount number) :required (:id :amount) :tier :allow)
(defskill refund-order
  :trigger (= action.tool "refund")
  :gate
  ((reject unseen
     :when (none-or-empty (calls "get-order") (= it.args.id action.args.id))
     :reason "look the order up with get-order before you refund it")
   (reject twice
     :when (some (calls "refund") (and (= it.args.id action.args.id) (= it.decision "allow")))
     :reason "this order was refunded in this conversation already")))
(defexample "an order that nobody looked at"
  :action (:tool "refund" :args (:id "A1" :amount 5)) :expect (deny refund-order/unseen))
(defexample "first looked at, then refunded"
  :session (:calls ((:tool "get-order" :args (:id "A1") :decision "allow")))
  :action (:tool "refund" :args (:id "A1" :amount 5)) :expect (allow))
