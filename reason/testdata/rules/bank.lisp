(defaults :unknown-tool :ask)
(deftool shell
  :params (:cmd command :timeout (integer 1 300)) :required (:cmd)
  :tier :ask :effect :external)
(deftool send_money
  :params (:recipient string :amount (number 0 1000000)) :required (:recipient :amount)
  :tier :ask :effect :external :spends (:money :amount))
(deflist secret-paths "**/.env" "**/.ssh/**")
(defskill shell-guard
  :priority 150
  :trigger (= action.tool "shell")
  :gate
  ((deny protected-path
     :when (some (paths action) (glob-any? it secret-paths))
     :reason "reads or writes a protected path")
   (ask elevates
     :when (some (shell action.args.cmd) (some it.via (in it ("sudo" "su"))))
     :approvers :owner :quorum 2
     :reason "needs more rights than the agent has")
   (allow looks-only
     :when (every (shell action.args.cmd)
             (and (in it.name ("ls" "cat" "wc")) (none it.redirects t) (none it.via t)
                  (every-or-empty it.operands (under? it "/workspace"))))
     :reason "only reads the workspace")
   (rewrite bounded
     :when (missing? action.args.timeout)
     :set (:timeout 30)
     :reason "a command gets 30 s"))
  :augment "Prefer read-only commands.")
(definvariant payments-stay-small
  :when (= action.tool "send_money")
  :holds (<= (+ action.args.amount (spent :money :day)) 1000)
  :reason "more than 1000 a day")
(defexample "reading the workspace is fine"
  :action (:tool "shell" :args (:cmd "ls /workspace"))
  :expect (allow shell-guard/looks-only))
