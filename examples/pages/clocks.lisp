(deftool refund
  :params (:order string :amount (number 0 1000))
  :required (:order :amount)
  :tier :allow)

(defcondition office-hours? (at)
  (and (not (in (weekday at "Europe/Berlin") (:saturday :sunday)))
       (<= 9 (hour at "Europe/Berlin"))
       (< (hour at "Europe/Berlin") 17)))

(defskill hours
  :trigger (= action.tool "refund")
  :gate ((ask closed :when (not (office-hours? now)) :reason "the office is closed")
         (deny frozen
           :when (= (date now "Europe/Berlin") "2026-12-31")
           :reason "the books are closed that day")))

(defexample "Monday at noon"
  :action (:tool "refund" :args (:order "o1" :amount 5))
  :now 1781517600
  :expect (allow))
(defexample "Monday at half past seven in Berlin"
  :action (:tool "refund" :args (:order "o1" :amount 5))
  :now 1781501400
  :expect (ask hours/closed))
(defexample "Sunday at noon" :action (:tool "refund" :args (:order "o1" :amount 5)) :now 1781431200
  :expect (ask hours/closed))
