; Tool permissions: which calls need nobody's word, and what a day may cost.
; Tiers stand in tools.lisp; clauses here vouch for calls of tools that would
; ask. Vouching never overrides an ask or a reject of another skill.

(include "tools.lisp")

(deflist reading-commands "cat" "head" "tail" "wc" "ls" "pwd" "grep" "sort" "uniq" "cut" "tr" "nl" "diff" "cmp" "stat" "du" "file" "date" "echo" "printf" "true" "test")

(defskill shell-permissions
  :doc "Commands that only read the workspace need nobody's word; others a person's."
  :priority 100
  :trigger (= action.tool "shell")
  :gate
  ((rewrite bounded
     :when (missing? action.args.timeout)
     :set (:timeout 30)
     :reason "a command gets 30 s unless it says how long it needs")
   (ask elevates
     :when (some (shell action.args.cmd) (some it.via (in it ("sudo" "su" "doas" "pkexec"))))
     :reason "needs more rights than the agent has")
   (allow reads-only
     :when (every (shell action.args.cmd)
             (and (in it.name reading-commands)
                  (every-or-empty it.via (= it "timeout"))
                  (none-or-empty it.redirects (/= it.op "<"))
                  (not (and (= it.name "sort") (flag? it "output")))
                  (every-or-empty it.operands (under? it facts.env.cwd))))
     :reason "only reads, and only where it works"))
  :augment "Prefer commands that only read. One command a step, and say why.")

(defskill budgets
  :doc "Money is asked about by tier; a day has a limit that no approval lifts."
  :priority 90
  :trigger (= action.tool "pay")
  :gate
  ((ask large
     :when (> action.args.amount 500)
     :quorum 2
     :reason "more than 500 takes two people")))

(definvariant a-day-has-a-limit
  :when (= action.tool "pay")
  :holds (<= (+ action.args.amount (spent :money :day)) 1000)
  :reason "more than 1000 in one day")

(defexample "what only reads runs"
  :action (:tool "shell" :args (:cmd "grep -rn TODO src | sort | head -20")) :facts (:env (:cwd "/work/site"))
  :expect (allow shell-permissions/reads-only))

(defexample "what writes asks"
  :action (:tool "shell" :args (:cmd "echo hi > notes.txt"))
  :expect (ask tier/shell))

(defexample "what reads elsewhere asks"
  :action (:tool "shell" :args (:cmd "cat ../other/notes.txt")) :facts (:env (:cwd "/work/site"))
  :expect (ask tier/shell))

(defexample "where it works is unknown: nothing to vouch for"
  :action (:tool "shell" :args (:cmd "cat notes.txt"))
  :expect (ask tier/shell))

(defexample "an unresolved word is nothing to vouch for"
  :action (:tool "shell" :args (:cmd "cat $FILE"))
  :expect (ask tier/shell))

(defexample "a reading command that writes all the same asks"
  :action (:tool "shell" :args (:cmd "sort -o /etc/hosts names"))
  :expect (ask tier/shell))

(defexample "sudo asks, whatever it runs"
  :action (:tool "shell" :args (:cmd "sudo cat notes.txt"))
  :expect (ask shell-permissions/elevates))

(defexample "tier allow runs"
  :action (:tool "read-file" :args (:path "notes.txt"))
  :expect (allow tier/read-file))

(defexample "tier ask asks"
  :action (:tool "write-file" :args (:path "notes.txt" :content "hello"))
  :expect (ask tier/write-file))

(defexample "tier deny is refused"
  :action (:tool "delete-file" :args (:path "notes.txt"))
  :expect (deny tier/delete-file))

(defexample "a tool nobody declared asks"
  :action (:tool "launch" :args (:what "rocket"))
  :expect (ask default/unknown-tool))

(defexample "a day's limit holds over all payments of the day"
  :action (:tool "pay" :args (:account "DE1" :amount 400))
  :session (:id "s" :calls ((:tool "pay" :args (:account "DE2" :amount 700))))
  :expect (deny invariant/a-day-has-a-limit))

(defexample "a payment within the limit asks"
  :action (:tool "pay" :args (:account "DE1" :amount 200))
  :session (:id "s" :calls ((:tool "pay" :args (:account "DE2" :amount 700))))
  :expect (ask tier/pay))
