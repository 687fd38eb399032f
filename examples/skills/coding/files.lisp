; What the tools for files may touch.

(include "tools.lisp")

(defskill coding-files
  :doc "Tools for one file stay in the workspace."
  :priority 140
  :trigger (in action.tool ("read-file" "write-file" "edit-file" "edit-notebook" "delete-file"))
  :gate
  ((ask credentials
     :when (credential? action.args.path)
     :reason "this file holds credentials; do without it, or let a person say yes")
   (ask unattended
     :when (and (/= action.tool "read-file") (unattended? action.args.path))
     :reason "what stands in this file runs later, without anybody looking; leave it, or let a person say yes")
   (ask leads-outside
     :when (if (= action.tool "read-file")
               (not (may-read? action.args.path))
               (not (inside? action.args.path)))
     :reason "this lies outside the workspace, or leads there; name a file of the workspace")
   (allow inside
     :when (if (= action.tool "read-file")
               (may-read? action.args.path)
               (inside? action.args.path))
     :reason "a file of the workspace")))

(defskill coding-patches
  :doc "A patch stays in the workspace with every file that it names."
  :priority 140
  :trigger (= action.tool "apply-patch")
  :gate
  ((ask credentials
     :when (credential? action.args.paths)
     :reason "one of these files holds credentials; do without it, or let a person say yes")
   (ask unattended
     :when (unattended? action.args.paths)
     :reason "what stands in one of these files runs later, without anybody looking; leave it, or let a person say yes")
   (allow inside
     :when (inside? action.args.paths)
     :reason "files of the workspace")))

; A pattern is a path as well. One that spells a part of a listed name is after it; a search over
; everything is not.
(defcondition seeks-credentials? (pattern) "A search for files with credentials."
  (some (leads (search pattern (get action.args.path "."))) (glob-any? it credentials :fold)))

(defcondition leaves? (pattern) "A pattern that may leave the folder in which the search begins."
  (matches? pattern "[.][.]|(^|[{,(|\\s])[/~]|\\\\"))

(defskill coding-searches
  :doc "Searches stay in the workspace."
  :priority 140
  :trigger (in action.tool ("find-files" "list-files" "search-files"))
  :gate
  ((ask credentials
     :when (or (credential? (get action.args.path "."))
               (seeks-credentials? (get action.args.glob "*"))
               (and (= action.tool "find-files")
                    (seeks-credentials? (get action.args.pattern "*"))))
     :reason "this holds credentials, or is a search for them; search for something else, or let a person say yes")
   (allow inside
     :when (and (inside? (get action.args.path "."))
                (inside? (search (get action.args.glob "*") (get action.args.path ".")))
                (or (/= action.tool "find-files")
                    (inside? (search (get action.args.pattern "*") (get action.args.path ".")))))
     :reason "a search of the workspace")
   (allow readable
     :when (and (every (leads (get action.args.path ".")) (glob-any? it readable))
                (not (leaves? (get action.args.glob "*")))
                (or (/= action.tool "find-files")
                    (not (leaves? (get action.args.pattern "*")))))
     :reason "a search of what all projects read")
   (allow beside
     :when (and (= action.tool "list-files") (has? facts.env.parents)
                (every (leads (get action.args.path ".")) (in it facts.env.parents)))
     :reason "the names beside the workspace")))

(defskill coding-sandbox
  :doc "A sandbox that the host has is left by a person's word alone."
  :priority 140
  :trigger (= action.tool "shell")
  :gate
  ((ask left
     :when (get action.args.unsandboxed false)
     :reason "this would run outside the host's sandbox; run it inside, or let a person say yes")))

(defexample "a file of the workspace is read"
  :action (:tool "read-file" :args (:path "src/main.go"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-files/inside))

(defexample "and written"
  :action (:tool "write-file" :args (:path "/workspace/src/main.go" :content "package main"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-files/inside))

(defexample "one of a toolchain"
  :action (:tool "read-file" :args (:path "/usr/include/stdio.h"))
  :facts (:env (:workspace "/workspace" :cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-files/inside))

(defexample "which is not written"
  :action (:tool "write-file" :args (:path "/usr/include/stdio.h" :content "x"))
  :facts (:env (:workspace "/workspace" :cwd "/workspace" :home "/home/dev"))
  :expect (ask coding-files/leads-outside))

(defexample "the second folder of a project"
  :action (:tool "write-file" :args (:path "/lib/a.go" :content "x"))
  :facts (:env (:workspace ("/workspace" "/lib") :cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-files/inside))

(defexample "where there is no project"
  :action (:tool "read-file" :args (:path "notes.txt"))
  :facts (:env (:workspace () :cwd "/" :home "/home/dev"))
  :expect (ask coding-files/leads-outside))

(defexample "what stands beside the project"
  :action (:tool "list-files" :args (:path ".."))
  :facts (:env (:workspace "/src/app" :parents ("/src") :cwd "/src/app" :home "/home/dev"))
  :expect (allow coding-searches/beside))

(defexample "a search of a toolchain"
  :action (:tool "search-files" :args (:pattern "FILE" :path "/usr/include"))
  :facts (:env (:workspace "/src/app" :cwd "/src/app" :home "/home/dev"))
  :expect (allow coding-searches/readable))

(defexample "one outside is not"
  :action (:tool "read-file" :args (:path "src/../../notes.txt"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask coding-files/leads-outside))

(defexample "writing outside"
  :action (:tool "write-file" :args (:path "~/notes.txt" :content "milk"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask coding-files/leads-outside))

(defexample "what runs at every login, wherever it stands"
  :action (:tool "write-file" :args (:path "~/.bashrc" :content "alias ll=ls"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask coding-files/unattended))

(defexample "what an agent is told at each start"
  :action (:tool "edit-file" :args (:path "web/CLAUDE.md" :old "a" :new "b"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask coding-files/unattended))

(defexample "which is read"
  :action (:tool "read-file" :args (:path "web/CLAUDE.md"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-files/inside))

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

(defexample "an edit in the workspace"
  :action (:tool "edit-file" :args (:path "/workspace/src/main.go" :old "a" :new "b"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-files/inside))

(defexample "an edit of what runs later"
  :action (:tool "edit-file" :args (:path ".claude/settings.json" :old "a" :new "b" :all t))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask coding-files/unattended))

(defexample "a notebook elsewhere"
  :action (:tool "edit-notebook" :args (:path "/srv/a.ipynb" :new "1+1"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask coding-files/leads-outside))

(defexample "a file of the workspace is deleted"
  :action (:tool "delete-file" :args (:path "old.go"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-files/inside))

(defexample "a patch of two files"
  :action (:tool "apply-patch"
           :args (:patch "*** Update File: a.go\n*** Move to: b.go" :paths ("a.go" "b.go")))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-patches/inside))

(defexample "one of them elsewhere"
  :action (:tool "apply-patch"
           :args (:patch "*** Update File: a.go\n*** Move to: ../b.go" :paths ("a.go" "../b.go")))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask tier/apply-patch))

(defexample "one of them with credentials"
  :action (:tool "apply-patch" :args (:patch "*** Add File: .env" :paths (".env")))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask coding-patches/credentials))

(defexample "one of them for later"
  :action (:tool "apply-patch" :args (:patch "*** Add File: .git/hooks/x" :paths (".git/hooks/x")))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask coding-patches/unattended))

(defexample "a search of the whole workspace"
  :action (:tool "search-files" :args (:pattern "^/etc/" :glob "*.go" :fold t))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-searches/inside))

(defexample "a search elsewhere"
  :action (:tool "search-files" :args (:pattern "x" :path "/etc"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask tier/search-files))

(defexample "a search among keys"
  :action (:tool "search-files" :args (:pattern "x" :path ".ssh"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask coding-searches/credentials))

(defexample "names in the workspace"
  :action (:tool "find-files" :args (:pattern "**/*.go"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-searches/inside))

(defexample "names elsewhere"
  :action (:tool "find-files" :args (:pattern "/etc/**"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask tier/find-files))

(defexample "a command outside the host's sandbox"
  :action (:tool "shell" :args (:cmd "ls" :unsandboxed t))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask coding-sandbox/left))

(defexample "one with the other arguments of hosts"
  :action (:tool "shell" :args (:cmd "ls" :timeout-ms 5000 :background t :unsandboxed false))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask))
