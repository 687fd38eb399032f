; The sample rule file of docs/language.md.
(defaults :unknown-tool :ask) ; or :deny

(deftool shell
  :doc "Run one command in the workspace."
  :params (:cmd command :timeout (integer 1 300))
  :required (:cmd)
  :tier :ask                        ; :allow :ask :deny
  :effect :external :idempotent nil ; what act and recovery need
  :output :untrusted)               ; may its results steer later actions?

(deftool send_money
  :params (:recipient string :amount (number 0 1000000))
  :required (:recipient :amount)
  :tier :ask :effect :external
  :spends (:money :amount)) ; what one call adds to a budget

(deflist secret-paths "**/.env" "**/.ssh/**" "**/*.pem")

(defskill shell-guard
  :doc "What no explanation can excuse."
  :priority 150
  :trigger (= action.tool "shell")
  :gate
  ((deny protected-path
     :when (some (paths action) (glob-any? it secret-paths))
     :reason "reads or writes a protected path")
   (deny destroys-data
     :when (some (shell action.args.cmd)
             (and (= it.name "rm") (flag? it "r")
                  (not (every it.operands (under? it "/workspace")))))
     :reason "recursive delete outside the workspace")
   (ask elevates
     :when (some (shell action.args.cmd) (some it.via (in it ("sudo" "su" "doas"))))
     :approvers :operator
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
  :augment "Prefer read-only commands. State why you need each one.")

(definvariant payments-stay-small
  :when (= action.tool "send_money")
  :holds (<= (+ action.args.amount (spent :money :day)) 1000)
  :reason "more than 1000 a day")

(defexample "rm outside the workspace is refused"
  :action (:tool "shell" :args (:cmd "rm -fr ~/notes"))
  :expect (deny shell-guard/destroys-data))
