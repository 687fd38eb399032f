; The rules that the tour adds to those that ship: paying bills. What an agent may
; pay is the operator's to say, and no explanation raises it.

(defskill household
  :doc "Bills are paid from the household account, one in a conversation."
  :trigger (= action.tool "shell")
  :gate
  ((allow pays-a-bill
     :when (every (shell action.args.cmd) (and (= it.name "pay") (none it.via t) (none it.redirects t)))
     :reason "pays a bill from the household account"))
  :augment "pay PAYEE EUROS pays a bill from the household account.")

(definvariant one-bill
  :when (and (= action.tool "shell") (some (shell action.args.cmd) (= it.name "pay")))
  :holds (= 0 (count session.calls (and (= it.tool "shell") (contains? it.args.cmd "pay "))))
  :reason "one bill is paid in a conversation; ask a person to pay more")

(defexample "the first bill"
  :action (:tool "shell" :args (:cmd "pay 'City Power' 120"))
  :expect (allow household/pays-a-bill))

(defexample "another one"
  :action (:tool "shell" :args (:cmd "pay 'City Power' 120"))
  :session (:id "s" :calls ((:tool "shell" :args (:cmd "pay Landlord 400"))))
  :expect (deny invariant/one-bill))

(defexample "a bill and more"
  :action (:tool "shell" :args (:cmd "pay 'City Power' 120 && touch trace"))
  :expect (ask))
