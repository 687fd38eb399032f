(deftool refund :params (:order string :amount number) :required (:order :amount) :tier :allow)
(defskill refunds
  :trigger (= action.tool "refund")
  :gate ((deny too-much :when (> action.args.amount 100) :reason "refunds stop at 100")))
