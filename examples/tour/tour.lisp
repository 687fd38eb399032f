; The rules that the tour adds to those that ship: one tool with a budget. What an
; agent may spend is the operator's to say, and no explanation raises it.

(deftool pay
  :doc "Pay a bill from the household account. Amounts are in euros."
  :params (:to string :amount (number 0 10000))
  :required (:to :amount)
  :tier :allow :effect :external
  :spends (:money :amount))

(definvariant household-budget
  :when (= action.tool "pay")
  :holds (<= (+ action.args.amount (spent :money :day)) 500)
  :reason "the household budget is 500 euros a day")

(defexample "within the budget"
  :action (:tool "pay" :args (:to "City Power" :amount 120))
  :expect (allow tier/pay))

(defexample "together over it"
  :action (:tool "pay" :args (:to "City Power" :amount 120))
  :session (:id "s" :calls ((:tool "pay" :args (:to "Landlord" :amount 400))))
  :expect (deny invariant/household-budget))
