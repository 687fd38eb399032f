; The tools of a coding agent, by the names that rules use, whatever its host calls them; and
; the files that matter. The operator trusts the workspace: facts.env.workspace, or else the
; folder that commands start in.

(defaults :unknown-tool :ask)

(deftool shell
  :doc "Run one command line, in the workspace. :timeout is in seconds, :timeout-ms in thousandths of one; :background goes on meanwhile, and :unsandboxed leaves the host's own sandbox."
  :params (:cmd command :timeout (integer 1 600) :max-output (integer 1 100000)
           :timeout-ms (integer 1 7200000) :background boolean :unsandboxed boolean)
  :required (:cmd)
  :tier :ask :effect :external
  :output :untrusted)

(deftool read-file
  :doc "Read a file of the workspace, or a part of it: :limit lines from :offset on, or the lines from :first to :last, or :pages."
  :params (:path path :offset integer :limit integer :first integer :last integer
           :range (list integer) :pages string :whole boolean)
  :required (:path)
  :tier :ask :effect :none
  :output :untrusted)

; Work on files is work like commands: what it may touch is for the rules of this folder. So
; paths stand in the role of code here, and rules that ask what the user wanted of each mail or
; payment do not ask it of each edit.

(deftool write-file
  :doc "Write a text file of the workspace, in place of what it held."
  :params (:path path :content string)
  :required (:path :content)
  :tier :ask :effect :local :idempotent t
  :roles (:path :code :content :content))

(deftool edit-file
  :doc "Put :new in the place of :old in a text file of the workspace, once or everywhere."
  :params (:path path :old string :new string :all boolean)
  :required (:path)
  :tier :ask :effect :local :class :update
  :roles (:path :code :old :flag :new :content))

(deftool edit-notebook
  :doc "Change a cell of a notebook of the workspace."
  :params (:path path :new string :cell string :kind (enum "code" "markdown")
           :how (enum "replace" "insert" "delete"))
  :required (:path :new)
  :tier :ask :effect :local :class :update
  :roles (:path :code :new :content :cell :flag))

(deftool apply-patch
  :doc "Add, change, move and delete text files of the workspace. :paths are all files that the patch names."
  :params (:patch string :paths (list path))
  :required (:patch :paths)
  :tier :ask :effect :local :class (:create :update :delete)
  :roles (:patch :content :paths :code))

(deftool delete-file
  :doc "Delete a file of the workspace."
  :params (:path path)
  :required (:path)
  :tier :ask :effect :local :class :delete
  :roles (:path :code))

(deftool find-files
  :doc "List files of the workspace whose names match a pattern."
  :params (:pattern string :path path :case_sensitive boolean :respect_git_ignore boolean
           :respect_gemini_ignore boolean)
  :required (:pattern)
  :tier :ask :effect :none
  :output :untrusted)

(deftool list-files
  :doc "List a folder of the workspace."
  :params (:path path :ignore (list string) :filter any)
  :tier :ask :effect :none
  :output :untrusted)

(deftool search-files
  :doc "Search the workspace for lines that match a pattern."
  :params (:pattern string :path path :glob string :exclude string :type string :output string
           :before integer :after integer :around integer :context integer :numbers boolean
           :fold boolean
           :matches-only boolean :names-only boolean :literal boolean :multiline boolean
           :limit integer
           :limit-each integer :offset integer :case_sensitive boolean :no_ignore boolean)
  :required (:pattern)
  :tier :ask :effect :none
  :output :untrusted)

; Files with credentials: not read, and not written, without a person.
(deflist credentials
  "**/.env" "**/.envrc" "**/.env[-._]*" "**/{.,_}netrc"
  "**/.{npmrc,pypirc,pgpass,htpasswd,git-credentials}"
  "**/id_{rsa,dsa,ecdsa,ed25519}" "**/*.{pem,key,p12,pfx,jks,kdbx}"
  "**/.{ssh,gnupg,aws,azure,kube,docker}{,/**}")

; What runs later, or elsewhere, or decides what runs: read freely, written by a person. It is the table in
; internal/project. What lies in .claude/worktrees and its like is a project.
(deflist unattended
  ; start files of shells and sessions
  "**/.{bash{rc,_profile,_login,_logout,_aliases},profile,zsh{rc,env},z{profile,login,logout},{k,c,tc}shrc,x{profile,session,initrc},config/{fish,environment.d}{,/**}}"
  ; programs of the user
  "**/.local/bin{,/**}"
  ; units, timers and autostart
  "**/{.config/{systemd,autostart},.local/share/systemd,LaunchAgents}{,/**}"
  ; git and its like: settings and hooks
  "**/{.{git,hg,husky,githooks,config/git}{,/**},.git{config,modules,attributes},.pre-commit-config.yaml,{,.}lefthook{,-local}.{yml,yaml}}"
  ; tasks of servers
  "**/{.github/{workflows,actions}{,/**},.circleci{,/**},.gitlab-ci.{yml,yaml},Jenkinsfile,{azure,bitbucket}-pipelines.yml,.{travis,drone}.yml}"
  ; tasks and settings of editors
  "**/.{vscode,idea,zed,devcontainer}{,/**}"
  ; settings, hooks and commands of coding agents
  "**/.{{claude,codex,gemini,cursor,copilot,agents}{,/*,/{[!w]*,w,w[!o]*,work[!t]*}/**},mcp.json,github/{hooks,copilot,agents,prompts,skills,chatmodes}{,/**}}"
  ; what coding agents are told at each start
  "**/{{CLAUDE,CLAUDE.local,AGENTS,AGENTS.override,GEMINI}.md,.{cursor,windsurf}rules,.github/{copilot-instructions.md,instructions{,/**}}}")

; Samples are made to be shown.
(deflist samples "**/.env.{example,sample,template,dist}")

; What lies outside of every project, and may be read by all: what programs of the project are built
; from. All else outside asks. Add the folders that your builds read.
(deflist readable
  "/usr/{include,local/include,share/{doc,man,dict,zoneinfo}}{,/**}"
  "/usr/{lib/{go*,gcc*,python3*,node_modules,ruby,rustlib,jvm},local/{go,lib/{node_modules,python3*}},share/{go*,python3*,nodejs}}{,/**}"
  "/{nix/store,opt/homebrew/{include,lib,Cellar}}{,/**}"
  "~/{go/pkg/mod,.cargo/registry/src,.rustup/toolchains,.nvm/versions,.pyenv/versions,.rbenv/versions,.m2/repository,.gradle/caches,.local/lib/python3*}{,/**}")

; A path is where it leads: each of these asks about the path as it is written, and about what is
; behind its links.

(defcondition credential? (path)
  "A file with credentials, or what leads to one, and no sample of one."
  (some (leads path) (and (glob-any? it credentials :fold) (not (glob-any? it samples)))))

(defcondition unattended? (path) "A file of which what it holds runs later, or what leads to one."
  (some (leads path) (glob-any? it unattended :fold)))

(defcondition inside? (path) "A place in the workspace that leads nowhere else."
  (every (leads path) (under? it (get facts.env.workspace facts.env.cwd))))

(defcondition may-read? (path) "A place in the workspace, or one that all projects read."
  (every (leads path)
    (or (under? it (get facts.env.workspace facts.env.cwd)) (glob-any? it readable))))
