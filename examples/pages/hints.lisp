(deftool transfer
  :params (:to string :amount (integer 1 100000) :urgent boolean)
  :required (:to :amount)
  :tier :allow :spends (:money :amount))
(deflist payees "ana@example.com" "bob@example.com")
(defskill transfers
  :trigger (= action.tool "transfer")
  :gate ((deny payee
           :when (not (in action.args.to payees))
           :reason "pay known payees alone"
           :hint t)
         (deny urgent
           :when (get action.args.urgent false)
           :reason "nothing here is urgent"
           :hint t)))
(definvariant daily
  :when (= action.tool "transfer")
  :holds (<= (+ action.args.amount (spent :money :day)) 1000)
  :reason "at most 1000 a day"
  :hint t)

(defexample "as much as the day allows"
  :action (:tool "transfer" :args (:to "ana@example.com" :amount 4000))
  :session (:calls ((:tool "transfer" :args (:to "bob@example.com" :amount 300))))
  :expect (deny invariant/daily)
  :hint (:at ("amount") :set 700))
(defexample "a known payee"
  :action (:tool "transfer" :args (:to "eve@example.com" :amount 40))
  :expect (deny transfers/payee)
  :hint (:at ("to") :set "ana@example.com"))
(defexample "two edits would be needed"
  :action (:tool "transfer" :args (:to "eve@example.com" :amount 40 :urgent t))
  :expect (deny transfers/payee)
  :hint nil)
