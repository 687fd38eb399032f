(deftool refund
  :doc "Pays money back for an order."
  :params (:order string :amount (number 0 10000) :note string)
  :required (:order :amount)
  :tier :allow
  :spends (:money :amount))
(deftool send_mail :params (:to string :body string) :required (:to :body) :tier :allow)

(deflist own-domains "@example.com" "@example.org")
(defcondition ours? (address) "An address of our own."
  (some own-domains (ends-with? (lower address) it)))

(defskill refunds
  :doc "What the support desk may pay back."
  :trigger (= action.tool "refund")
  :gate ((deny too-much
           :when (> action.args.amount 500)
           :reason "refunds stop at 500; ask for less")
         (ask large
           :when (> action.args.amount 100)
           :approvers :finance :not-user t
           :reason "more than 100 needs a second person")
         (rewrite note
           :when (> (len (get action.args.note "")) 80)
           :set (:note "see the ticket")
           :reason "notes stop at 80 characters")))

(defskill mail
  :trigger (= action.tool "send_mail")
  :gate ((ask stranger :when (not (ours? action.args.to)) :reason "the mail goes to a stranger")))

(definvariant day
  :when (= action.tool "refund")
  :holds (<= (+ action.args.amount (spent :money :day)) 1000)
  :reason "refunds stop at 1000 a day")

(defexample "a small refund"
  :action (:tool "refund" :args (:order "A1" :amount 40))
  :expect (allow))
(defexample "a large one"
  :action (:tool "refund" :args (:order "A1" :amount 200))
  :expect (ask refunds/large))
(defexample "too much"
  :action (:tool "refund" :args (:order "A1" :amount 501))
  :expect (deny refunds/too-much))
(defexample "a long note is replaced"
  :action (:tool "refund"
           :args (:order "A1" :amount 40
                  :note "The parcel came late, the box was wet, and the customer has called us three times."))
  :expect (allow)
  :args (:order "A1" :amount 40 :note "see the ticket")
  :passed (refunds/too-much))
(defexample "one too many for the day"
  :action (:tool "refund" :args (:order "A3" :amount 40))
  :session (:principal "ana"
            :calls ((:tool "refund" :args (:order "A1" :amount 480))
                    (:tool "refund" :args (:order "A2" :amount 481))))
  :expect (deny invariant/day)
  :reason "refunds stop at 1000 a day")
(defexample "mail to a colleague"
  :action (:tool "send_mail" :args (:to "Bob@Example.com" :body "paid"))
  :expect (allow))
(defexample "mail to a stranger"
  :action (:tool "send_mail" :args (:to "eve@evil.net" :body "paid"))
  :expect (ask mail/stranger))
