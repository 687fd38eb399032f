; What each tool may do at all, before anything else is looked at. The tier is
; the answer where no clause has another one:
;
;   :allow  people need not be asked
;   :ask    a person says yes first, unless an allow clause vouches for the action
;   :deny   never; such a tool is not even mentioned to the model
;
; A tool that is not declared here is asked about. Any other word in the place of
; a tier is an error, and then nothing is loaded.

(defaults :unknown-tool :ask)

(deftool shell
  :doc "Run one command line in bash, in the workspace. :timeout is in seconds."
  :params (:cmd command :timeout (integer 1 600) :max-output (integer 1 100000))
  :required (:cmd)
  :tier :ask :effect :external
  :output :untrusted)

(deftool read-file
  :doc "Read a text file of the workspace."
  :params (:path path)
  :required (:path)
  :tier :allow :effect :none
  :output :untrusted)

(deftool write-file
  :doc "Write a text file of the workspace, in place of what it held."
  :params (:path path :content string)
  :required (:path :content)
  :tier :ask :effect :local :idempotent t)

(deftool delete-file
  :doc "Delete a file for good."
  :params (:path path)
  :required (:path)
  :tier :deny)

(deftool eval
  :doc "Run code inside the agent itself."
  :params (:code string)
  :required (:code)
  :tier :deny)

; Commands that look and do nothing else, whatever they are given.
(deflist looking "ls" "cat" "head" "tail" "wc" "grep" "stat" "du" "pwd" "echo" "cmp")

(defskill tool-permissions
  :doc "Which commands need no approval, and how long a command may take."
  :priority 600
  :trigger (= action.tool "shell")
  :gate
  ((allow looks-only
     ; Not through whole folders: protected files lie there too, and links that
     ; lead out. Listing names and sizes is fine.
     :when (and (every (shell action.args.cmd)
                  (and (in it.name looking)
                       (none it.via t)
                       (none it.redirects t)
                       (or (in it.name ("ls" "stat" "du" "pwd" "echo"))
                           (none-or-empty it.flags (matches? it "^(-[A-Za-z]*[RrLd]|--[rdf])")))))
                (every-or-empty (paths action)
                  (under? it (get facts.env.workspace facts.env.cwd))))
     :reason "only looks at the workspace")
   (rewrite bounded
     :when (missing? action.args.timeout)
     :set (:timeout 60)
     :reason "a command that names no time gets a minute"))
  :augment "A command that only looks at the workspace runs at once; any other waits for a person, so say plainly what it is for.")

(defexample "a tool of tier :allow runs"
  :action (:tool "read-file" :args (:path "notes.txt"))
  :expect (allow tier/read-file))

(defexample "a tool of tier :ask waits for a person"
  :action (:tool "write-file" :args (:path "notes.txt" :content "milk"))
  :expect (ask tier/write-file))

(defexample "a tool of tier :deny never runs"
  :action (:tool "delete-file" :args (:path "notes.txt"))
  :expect (deny tier/delete-file))

(defexample "no spelling leads around a tier"
  :action (:type :request :target :tool :payload (:tool :Eval :args (:code "(delete-everything)")))
  :expect (deny tier/eval))

(defexample "an undeclared tool is asked about"
  :action (:tool "launch_rocket" :args (:when "now"))
  :expect (ask default/unknown-tool))

(defexample "looking at the workspace needs no approval"
  :action (:tool "shell" :args (:cmd "ls -latr src && grep -n TODO src/main.go | wc -l"))
  :facts (:env (:cwd "/workspace"))
  :expect (allow tool-permissions/looks-only))

(defexample "looking elsewhere does"
  :action (:tool "shell" :args (:cmd "cat src/../../etc/hosts"))
  :facts (:env (:cwd "/workspace"))
  :expect (ask tier/shell))

(defexample "so does going through all there is, protected files among it"
  :action (:tool "shell" :args (:cmd "grep --recurs KEY ."))
  :facts (:env (:cwd "/workspace"))
  :expect (ask tier/shell))

(defexample "so does a path that hides in a flag"
  :action (:tool "shell" :args (:cmd "grep --file=/srv/words notes.txt"))
  :facts (:env (:cwd "/workspace"))
  :expect (ask tier/shell))

(defexample "looking and writing what was seen is not just looking"
  :action (:tool "shell" :args (:cmd "cat notes.txt > copy.txt"))
  :facts (:env (:cwd "/workspace"))
  :expect (ask tier/shell))

(defexample "a command inside a substitution counts"
  :action (:tool "shell" :args (:cmd "echo $(touch trace)"))
  :facts (:env (:cwd "/workspace"))
  :expect (ask tier/shell))

(defexample "a command that names no time gets one"
  :action (:tool "shell" :args (:cmd "ls"))
  :facts (:env (:cwd "/home/dev/app" :home "/home/dev"))
  :expect (allow tool-permissions/looks-only)
  :args (:cmd "ls" :timeout 60))

(defexample "a command that names its time keeps it"
  :action (:tool "shell" :args (:cmd "ls" :timeout 5))
  :facts (:env (:cwd "/home/dev/app" :home "/home/dev"))
  :expect (allow tool-permissions/looks-only)
  :args (:cmd "ls" :timeout 5))

(defexample "one command that does not look is enough"
  :action (:tool "shell" :args (:cmd "echo hi | base64 -d"))
  :facts (:env (:cwd "/home/dev/app" :home "/home/dev"))
  :expect (ask tier/shell))

(defexample "an unknown command"
  :action (:tool "shell" :args (:cmd "frobnicate"))
  :facts (:env (:cwd "/home/dev/app" :home "/home/dev"))
  :expect (ask tier/shell))
