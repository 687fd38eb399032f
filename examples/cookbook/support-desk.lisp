; Support: refunds, office hours, masking
;
; An agent answers the customers of a shop; `session.principal` is the customer who writes. It
; refunds an order of this customer, once, after it has looked at it, and not more than was paid.
; More than 50, and any refund outside office hours, waits for a person. Card numbers and
; credentials are masked in what the agent writes. The orders of others stay closed.
;
; A call of the session has its result, so rules can ask what an earlier tool said. `now` is the
; recorded moment, and the zone's clock is built in. A rewrite changes what is said before the
; gates judge it, and the agent is told. With `:hint t` a denial brings the smallest edit that
; would pass, such as a lower amount.

(deftool get-order
  :doc "Shows an order: who bought it, and what was paid."
  :params (:order string)
  :required (:order)
  :tier :allow :effect :none
  :output (:customer :trusted :paid :trusted))
(deftool refund
  :doc "Refunds a part of an order, in euros."
  :params (:order string :amount (number 0.01 1000))
  :required (:order :amount)
  :tier :allow :effect :external
  :class :pay
  :roles (:order :id :amount :amount)
  :spends (:refunds :amount))
(deftool answer
  :doc "Writes to the customer."
  :params (:text string)
  :required (:text)
  :tier :allow :effect :external
  :class :comm
  :roles (:text :content))

(defcondition office-hours? () "Monday to Friday, nine to five."
  (and (not (in (weekday now "Europe/Berlin") ("saturday" "sunday")))
       (<= 9 (hour now "Europe/Berlin"))
       (< (hour now "Europe/Berlin") 17)))
(defcondition shows? (call order) "A call that has shown an order of this customer."
  (and (= call.args.order order) (= call.decision "allow") (= call.error "")
       (= call.result.customer session.principal)))

(defskill refunds
  :trigger (= action.tool "refund")
  :gate
  ((deny unseen
     :when (none-or-empty (calls "get-order") (shows? it action.args.order))
     :reason "look the order up with get-order first; only what this customer bought is refunded")
   (deny too-much
     :when (some (calls "get-order")
             (and (shows? it action.args.order) (> action.args.amount it.result.paid)))
     :reason "this is more than was paid for the order"
     :hint t)
   (deny twice
     :when (some (calls "refund")
             (and (= it.args.order action.args.order) (= it.decision "allow") it.happened))
     :reason "this order was refunded in this conversation already")
   (ask large
     :when (> action.args.amount 50)
     :reason "more than 50 needs a person"
     :approvers :support)
   (ask closed
     :when (not (office-hours?))
     :reason "outside office hours a person agrees to each refund" :approvers :support)))

(defskill masking
  :trigger (= action.tool "answer")
  :gate
  ((rewrite cards
     :when (matches? action.args.text "\\b[0-9]{12}[0-9]{4}\\b")
     :set (:text (replace action.args.text "\\b[0-9]{12}([0-9]{4})\\b" "****$1"))
     :reason "card numbers are shown by their last four digits")
   (rewrite credentials
     :when (some (secrets action.args.text) t)
     :set (:text (redact action.args.text))
     :reason "credentials stay out of answers")))

(definvariant day
  :when (= action.tool "refund")
  :holds (<= (+ action.args.amount (spent :refunds :day)) 300)
  :reason "a customer gets at most 300 a day; a person in the office can do more"
  :hint t)

(defexample "seen, and on Monday at noon"
  :session (:principal "ana"
            :calls ((:tool "get-order" :args (:order "A1") :result (:customer "ana" :paid 50))))
  :action (:tool "refund" :args (:order "A1" :amount 50)) :now 1781517600
  :expect (allow)
  :passed (refunds/unseen refunds/too-much refunds/twice refunds/large refunds/closed
                          invariant/day))
(defexample "not looked at"
  :session (:principal "ana")
  :action (:tool "refund" :args (:order "A1" :amount 5)) :now 1781517600
  :expect (deny refunds/unseen)
  :reason "look the order up with get-order first; only what this customer bought is refunded")
(defexample "another was looked at"
  :session (:principal "ana"
            :calls ((:tool "get-order" :args (:order "A2") :result (:customer "ana" :paid 50))))
  :action (:tool "refund" :args (:order "A1" :amount 5)) :now 1781517600
  :expect (deny refunds/unseen))
(defexample "somebody else's"
  :session (:principal "ana"
            :calls ((:tool "get-order" :args (:order "B1") :result (:customer "bob" :paid 50))))
  :action (:tool "refund" :args (:order "B1" :amount 5)) :now 1781517600
  :expect (deny refunds/unseen))
(defexample "the look failed"
  :session (:principal "ana" :calls ((:tool "get-order" :args (:order "A1") :error "time-out")))
  :action (:tool "refund" :args (:order "A1" :amount 5)) :now 1781517600
  :expect (deny refunds/unseen))
(defexample "more than was paid"
  :session (:principal "ana"
            :calls ((:tool "get-order" :args (:order "A1") :result (:customer "ana" :paid 30))))
  :action (:tool "refund" :args (:order "A1" :amount 31)) :now 1781517600
  :expect (deny refunds/too-much)
  :hint (:at ("amount") :set 30))
(defexample "what another order cost does not matter"
  :session (:principal "ana"
            :calls ((:tool "get-order" :args (:order "A2") :result (:customer "ana" :paid 5))
                    (:tool "get-order" :args (:order "A1") :result (:customer "ana" :paid 30))))
  :action (:tool "refund" :args (:order "A1" :amount 30)) :now 1781517600
  :expect (allow))
(defexample "twice"
  :session (:principal "ana"
            :calls ((:tool "get-order" :args (:order "A1") :result (:customer "ana" :paid 50))
                    (:tool "refund" :args (:order "A1" :amount 5) :result "done")))
  :action (:tool "refund" :args (:order "A1" :amount 5)) :now 1781517600
  :expect (deny refunds/twice))
(defexample "after one that was denied, and one of another order"
  :session (:principal "ana"
            :calls ((:tool "get-order" :args (:order "A1") :result (:customer "ana" :paid 50))
                    (:tool "refund" :args (:order "A1" :amount 51) :decision "deny")
                    (:tool "refund" :args (:order "A2" :amount 5) :result "done")))
  :action (:tool "refund" :args (:order "A1" :amount 5)) :now 1781517600
  :expect (allow))
(defexample "after one that did not happen"
  :session (:principal "ana"
            :calls ((:tool "get-order" :args (:order "A1") :result (:customer "ana" :paid 50))
                    (:tool "refund"
                     :args (:order "A1" :amount 5)
                     :error "no connection"
                     :happened false)))
  :action (:tool "refund" :args (:order "A1" :amount 5)) :now 1781517600
  :expect (allow))
(defexample "a large one"
  :session (:principal "ana"
            :calls ((:tool "get-order" :args (:order "A1") :result (:customer "ana" :paid 80))))
  :action (:tool "refund" :args (:order "A1" :amount 51)) :now 1781517600
  :expect (ask refunds/large)
  :passed (refunds/closed))
(defexample "Monday, before nine in Berlin"
  :session (:principal "ana"
            :calls ((:tool "get-order" :args (:order "A1") :result (:customer "ana" :paid 50))))
  :action (:tool "refund" :args (:order "A1" :amount 5)) :now 1781506799
  :expect (ask refunds/closed))
(defexample "Monday, at nine"
  :session (:principal "ana"
            :calls ((:tool "get-order" :args (:order "A1") :result (:customer "ana" :paid 50))))
  :action (:tool "refund" :args (:order "A1" :amount 5)) :now 1781506800
  :expect (allow))
(defexample "Monday, a second before five"
  :session (:principal "ana"
            :calls ((:tool "get-order" :args (:order "A1") :result (:customer "ana" :paid 50))))
  :action (:tool "refund" :args (:order "A1" :amount 5)) :now 1781535599
  :expect (allow))
(defexample "Monday, at five"
  :session (:principal "ana"
            :calls ((:tool "get-order" :args (:order "A1") :result (:customer "ana" :paid 50))))
  :action (:tool "refund" :args (:order "A1" :amount 5)) :now 1781535600
  :expect (ask refunds/closed))
(defexample "Sunday at noon"
  :session (:principal "ana"
            :calls ((:tool "get-order" :args (:order "A1") :result (:customer "ana" :paid 50))))
  :action (:tool "refund" :args (:order "A1" :amount 5)) :now 1781431200
  :expect (ask refunds/closed))
(defexample "Saturday at noon"
  :session (:principal "ana"
            :calls ((:tool "get-order" :args (:order "A1") :result (:customer "ana" :paid 50))))
  :action (:tool "refund" :args (:order "A1" :amount 5)) :now 1781344800
  :expect (ask refunds/closed))
(defexample "300 on one day"
  :session (:principal "ana"
            :calls ((:tool "get-order" :args (:order "A1") :result (:customer "ana" :paid 300))
                    (:tool "refund" :args (:order "A2" :amount 260) :result "done")))
  :action (:tool "refund" :args (:order "A1" :amount 40)) :now 1781517600
  :expect (allow))
(defexample "and not one more"
  :session (:principal "ana"
            :calls ((:tool "get-order" :args (:order "A1") :result (:customer "ana" :paid 300))
                    (:tool "refund" :args (:order "A2" :amount 260) :result "done")))
  :action (:tool "refund" :args (:order "A1" :amount 41)) :now 1781517600
  :expect (deny invariant/day)
  :hint (:at ("amount") :set 40))
(defexample "a card number is masked"
  :action (:tool "answer" :args (:text "You paid with 4111111111111111."))
  :expect (allow)
  :args (:text "You paid with ****1111.")
  :passed (masking/credentials))
(defexample "a token is masked"
  :action (:tool "answer" :args (:text "Your token is ghp_16C7e42F292c6912E7710c838347Ae178B4a."))
  :expect (allow)
  :args (:text "Your token is [github-token].")
  :passed (masking/cards))
(defexample "a plain answer stays as it is"
  :action (:tool "answer" :args (:text "Order 4711 is on its way."))
  :expect (allow)
  :args (:text "Order 4711 is on its way."))
