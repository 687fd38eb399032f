; Coding: a workspace, a list of hosts, and a question for what cannot be taken back
;
; An agent works on a program, in `facts.env.workspace`. There it reads and writes, looks around,
; tests and commits without asking. It reaches listed hosts alone, touches no file outside and no
; keys, and does not push by force. It asks before it installs, pushes, or runs anything that no
; form describes.
;
; `commands` lists what a line would run, for clauses that deny or ask; `shell` adds what cannot
; be known, for clauses that allow. `fits?` reads forms like a manual's synopsis; it does not look
; at redirections, so a clause that allows must. The shipped rules in `examples/skills/coding`
; have much longer lists.

(deftool shell
  :doc "Runs one command line in the workspace."
  :params (:cmd command :timeout (integer 1 600))
  :required (:cmd)
  :tier :ask :effect :external)
(deftool read-file
  :doc "Reads a file."
  :params (:path path)
  :required (:path)
  :tier :allow :effect :none)
(deftool write-file
  :doc "Writes a file."
  :params (:path path :text string)
  :required (:path :text)
  :tier :allow :effect :local)
(deflist keys "**/.env" "**/.env.*" "**/.ssh/**" "**/*.pem" "**/id_{rsa,dsa,ecdsa,ed25519}"
  "**/.git/**")
(deflist hosts-we-use "github.com" "proxy.golang.org" "sum.golang.org" "pkg.go.dev")
(deflist everyday
  "NUM ~ [0-9]+"
  "ls -[1aAlhrt] FILE..." "cat FILE..." "head|tail -n=NUM FILE..." "wc -[lwc] FILE..."
  "grep -[rnilvcwE] --include=TEXT TEXT FILE..."
  "git status|log|diff|show -[ps] --oneline --stat -NUM FILE..."
  "git add FILE..." "git commit -m=TEXT" "go build|vet FILE..." "go test -[v] -run=TEXT FILE..."
  "gofmt -[lwd] FILE...")
(deflist installing
  "go get|install ANY..." "npm|pnpm|yarn install|i|ci|add|update ANY..."
  "pip|pip3|uv|cargo install|add ANY..."
  "apt|apt-get|brew install ANY...")

(defskill files
  :trigger (in action.tool ("read-file" "write-file"))
  :gate
  ((deny outside
     :when (some (paths action) (not (under? it facts.env.workspace)))
     :reason "stay in the workspace")
   (deny keys
     :when (some (paths action) (glob-any? it keys :fold))
     :reason "keys, settings and .git are not yours to touch")
   (ask dependencies
     :when (and (= action.tool "write-file")
                (some (paths action)
                  (glob-any? it ("**/go.mod" "**/package.json" "**/pyproject.toml"))))
     :reason "this changes what the project depends on")))

(defskill commands
  :trigger (= action.tool "shell")
  :gate
  ((deny forced
     :when (some (commands action.args.cmd)
             (and (= it.name "git") (some it.operands (= it "push"))
                  (or (flag? it "force") (flag? it "force-with-lease")
                      (some it.operands (starts-with? it "+")))))
     :reason "a forced push loses what others did; push without it, or revert")
   (deny hosts
     :when (some (hosts action) (not (domain-in? it hosts-we-use)))
     :reason "this host is not on the list; do without it, or ask for it to be added")
   (deny outside
     :when (some (commands action.args.cmd)
             (some (redirected it) (not (under? it facts.env.workspace))))
     :reason "read and write inside the workspace")
   (ask installs
     :when (some (commands action.args.cmd) (fits? it installing "/"))
     :reason "what is installed runs code; say what you need it for")
   (ask pushes
     :when (some (commands action.args.cmd)
             (and (= it.name "git") (some it.operands (= it "push"))))
     :reason "others see what is pushed")
   (allow everyday
     :when (every (shell action.args.cmd)
             (and (none it.via t) (every it.redirects (= it.target "/dev/null"))
                  (fits? it everyday facts.env.workspace keys)))
     :reason "looks, tests and commits in the workspace")
   (rewrite bounded
     :when (missing? action.args.timeout)
     :set (:timeout 120)
     :reason "a command gets two minutes")))

(defexample "a file of the project"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "read-file" :args (:path "src/main.go"))
  :expect (allow)
  :passed (files/outside files/keys files/dependencies))
(defexample "by way of .."
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "read-file" :args (:path "src/../../etc/passwd"))
  :expect (deny files/outside))
(defexample "through a link"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :links (("/work/notes" "/etc/passwd"))
  :action (:tool "read-file" :args (:path "notes"))
  :expect (deny files/outside))
(defexample "a key, in capitals"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "read-file" :args (:path ".ENV"))
  :expect (deny files/keys))
(defexample "a file of the project is written"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "write-file" :args (:path "src/main.go" :text "package main"))
  :expect (allow))
(defexample "a hook that would run later"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "write-file" :args (:path ".git/hooks/pre-commit" :text "make"))
  :expect (deny files/keys))
(defexample "a new dependency"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "write-file" :args (:path "go.mod" :text "module x"))
  :expect (ask files/dependencies))
(defexample "the dependencies are read"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "read-file" :args (:path "go.mod"))
  :expect (allow))
(defexample "tests, with the time they may take"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "go vet ./... && go test -run TestOpen ./store"))
  :expect (allow commands/everyday)
  :args (:cmd "go vet ./... && go test -run TestOpen ./store" :timeout 120))
(defexample "a time of its own"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "git commit -m 'mend the parser'" :timeout 30))
  :expect (allow commands/everyday)
  :args (:cmd "git commit -m 'mend the parser'" :timeout 30)
  :passed (commands/forced commands/hosts commands/outside commands/installs commands/pushes
                           commands/bounded))
(defexample "a key of the workspace is not printed"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "cat .env"))
  :expect (ask tier/shell))
(defexample "a program in front of another"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "nice go test ./..."))
  :expect (ask tier/shell))
(defexample "what is not listed waits for a person"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "git status && make release"))
  :expect (ask tier/shell))
(defexample "a forced push"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "git push --force origin main"))
  :expect (deny commands/forced))
(defexample "by its short name"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "git push -uf origin main"))
  :expect (deny commands/forced))
(defexample "with a lease"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "git push --force-with-lease"))
  :expect (deny commands/forced))
(defexample "by a plus sign"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "git add . && git push origin +main"))
  :expect (deny commands/forced))
(defexample "a plain push is a question"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "git add . && git push origin main"))
  :expect (ask commands/pushes)
  :passed (commands/forced))
(defexample "other things are forced, too"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "git add -f dist"))
  :expect (ask tier/shell))
(defexample "another program that pushes"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "./tool push -f"))
  :expect (ask tier/shell))
(defexample "a listed host"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "curl https://api.github.com/meta"))
  :expect (ask tier/shell)
  :passed (commands/hosts))
(defexample "another one, beside it"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell"
           :args (:cmd "curl https://github.com/x && curl https://github.com.evil.net/"))
  :expect (deny commands/hosts))
(defexample "a file outside"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "ls > ls.txt; ls >> ../ls.txt"))
  :expect (deny commands/outside))
(defexample "reading from outside"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "wc -l < /etc/passwd"))
  :expect (deny commands/outside))
(defexample "a file of the workspace is a question"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "ls > ls.txt"))
  :expect (ask tier/shell)
  :passed (commands/outside))
(defexample "errors that are thrown away"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "ls 2> /dev/null"))
  :expect (allow commands/everyday))
(defexample "a text for a program"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "cat <<'END'\nhello\nEND"))
  :expect (ask tier/shell)
  :passed (commands/outside))
(defexample "an install"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "go vet ./... && npm install left-pad"))
  :expect (ask commands/installs)
  :reason "what is installed runs code; say what you need it for")
(defexample "with pip"
  :facts (:env (:cwd "/work" :workspace "/work"))
  :action (:tool "shell" :args (:cmd "pip install requests"))
  :expect (ask commands/installs))
