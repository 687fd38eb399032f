(deftool shell :params (:cmd command) :required (:cmd) :tier :ask :effect :local)
(defskill standing-grants
  :doc "Notes may be added to the list until the end of the year: ann, 2026-11-21."
  :trigger (= action.tool "shell")
  :gate ((allow notes
           :when (and (matches? action.args.cmd "^echo [a-z ]+ >> list$") (< now 1798761600))
           :reason "a standing grant for notes, until 2027")))
(defexample "a note"
  :action (:tool "shell" :args (:cmd "echo milk >> list"))
  :now 1798000000
  :expect (allow standing-grants/notes))
(defexample "not after its end"
  :action (:tool "shell" :args (:cmd "echo milk >> list"))
  :now 1798761600
  :expect (ask tier/shell))
(defexample "nothing else"
  :action (:tool "shell" :args (:cmd "echo x >> list; reboot"))
  :now 1798000000
  :expect (ask tier/shell))
