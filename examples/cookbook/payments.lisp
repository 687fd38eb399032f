(deftool pay :doc "Pays an invoice." :params (:to string :amount (number 0 100000)) :required (:to :amount)
  :tier :allow :effect :external :spends (:money :amount))
(defskill payments
  :trigger (= action.tool "pay")
  :gate
  ((ask large
     :when (> action.args.amount 200)
     :reason "more than 200 needs a yes from finance" :approvers :finance)
   (ask very-large
     :when (> action.args.amount 5000)
     :reason "more than 5000 needs two people" :approvers :finance :quorum 2 :not-user t)))
(definvariant daily-limit
  :when (= action.tool "pay")
  :holds (<= (+ action.args.amount (spent :money :day)) 10000)
  :reason "at most 10000 a day; try again tomorrow")
(defexample "a small payment goes through" :action (:tool "pay" :args (:to "ACME" :amount 40)) :expect (allow))
(defexample "a large one waits for a person" :action (:tool "pay" :args (:to "ACME" :amount 900)) :expect (ask payments/large))
(defexample "nothing passes the daily limit" :action (:tool "pay" :args (:to "ACME" :amount 20000)) :expect (deny invariant/daily-limit))
