(deflist reading
  "NUM ~ [0-9]+"                 ; a kind of word: all of it matches; with !~, no part of it may
  "COMMON = -[nr] --context=NUM" ; a shorthand
  "grep|egrep COMMON -A=NUM TEXT FILE..."
  "git -C=FILE diff|show --stat[=TEXT] FILE..."
  "python '-m' pytest -k=TEXT FILE...")

(deftool shell :params (:cmd command) :required (:cmd) :tier :ask)

(defskill reading
  :doc "Reading in the workspace needs no person's yes."
  :trigger (= action.tool "shell")
  :gate
  ((allow reads
     :when (every (shell action.args.cmd) (fits? it reading "/workspace"))
     :reason "only reads the workspace")))

(defexample "a search"
  :action (:tool "shell" :args (:cmd "grep -n TODO main.go"))
  :facts (:env (:cwd "/workspace"))
  :expect (allow reading/reads))
