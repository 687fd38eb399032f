; The tools of a coding agent, and what its file tools may touch. The operator trusts
; the workspace: facts.env.workspace, or else the folder that commands start in.

(defaults :unknown-tool :ask)

(deftool shell
  :doc "Run one command line, in the workspace. :timeout is in seconds."
  :params (:cmd command :timeout (integer 1 600) :max-output (integer 1 100000))
  :required (:cmd)
  :tier :ask :effect :external
  :output :untrusted)

(deftool read-file
  :doc "Read a text file of the workspace."
  :params (:path path)
  :required (:path)
  :tier :ask :effect :none
  :output :untrusted)

(deftool write-file
  :doc "Write a text file of the workspace, in place of what it held."
  :params (:path path :content string)
  :required (:path :content)
  :tier :ask :effect :local :idempotent t)

; Files with credentials: not read, and not written, without a person.
(deflist credentials
  "**/.env" "**/.envrc" "**/.env[-._]*" "**/{.,_}netrc"
  "**/.{npmrc,pypirc,pgpass,htpasswd,git-credentials}"
  "**/id_{rsa,dsa,ecdsa,ed25519}" "**/*.{pem,key,p12,pfx,jks,kdbx}"
  "**/.{ssh,gnupg,aws,azure,kube,docker}{,/**}")

; What runs later, or elsewhere, or decides what runs: read freely, written by a person.
(deflist unattended
  "**/.git{,/**}" "**/.hg{,/**}" "**/.husky{,/**}" "**/.github/{workflows,actions}{,/**}"
  "**/.gitlab-ci.{yml,yaml}" "**/.circleci{,/**}"
  "**/{Jenkinsfile,azure-pipelines.yml,bitbucket-pipelines.yml,.travis.yml,.drone.yml}"
  "**/.{vscode,idea,devcontainer,claude,cursor}{,/**}"
  "**/.{gitmodules,gitattributes,mcp.json,pre-commit-config.yaml}")

; Samples are made to be shown.
(deflist samples "**/.env.{example,sample,template,dist}")

(defskill coding-files
  :doc "File tools stay in the workspace."
  :priority 140
  :trigger (in action.tool ("read-file" "write-file"))
  :gate
  ((ask credentials
     :when (and (glob-any? action.args.path credentials :fold)
                (not (glob-any? action.args.path samples)))
     :reason "this file holds credentials; do without it, or let a person say yes")
   (ask unattended
     :when (and (= action.tool "write-file") (glob-any? action.args.path unattended :fold))
     :reason "what stands in this file runs later, without anybody looking; leave it, or let a person say yes")
   (ask leads-outside
     :when (and (= action.tool "read-file")
                (some (paths action) (not (under? it (get facts.env.workspace facts.env.cwd)))))
     :reason "this lies outside the workspace, or leads there; name a file of the workspace")
   (allow inside
     :when (under? action.args.path (get facts.env.workspace facts.env.cwd))
     :reason "a file of the workspace")))

(defexample "a file of the workspace is read"
  :action (:tool "read-file" :args (:path "src/main.go"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-files/inside))

(defexample "and written"
  :action (:tool "write-file" :args (:path "/workspace/src/main.go" :content "package main"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-files/inside))

(defexample "one outside is not"
  :action (:tool "read-file" :args (:path "src/../../notes.txt"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask coding-files/leads-outside))

(defexample "writing outside"
  :action (:tool "write-file" :args (:path "~/.bashrc" :content "alias ll=ls"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask tier/write-file))

(defexample "credentials"
  :action (:tool "read-file" :args (:path ".env"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask coding-files/credentials))

(defexample "a sample of them"
  :action (:tool "read-file" :args (:path ".env.example"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-files/inside))

(defexample "what runs with every push is read"
  :action (:tool "read-file" :args (:path ".github/workflows/ci.yml"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-files/inside))

(defexample "and not written"
  :action (:tool "write-file" :args (:path ".github/workflows/ci.yml" :content "on: push"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask coding-files/unattended))

(defexample "in an unknown workspace, a person decides"
  :action (:tool "read-file" :args (:path "notes.txt"))
  :expect (ask))

(defexample "a key of a server"
  :action (:tool "read-file" :args (:path "certs/server.pem"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask coding-files/credentials))
