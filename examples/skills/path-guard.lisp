; File tools stay in the workspace: the folder facts.env.workspace, or else the one
; that commands start in. Where neither is known, a path that starts there and never
; climbs is inside, wherever that is. Paths are compared after cleaning, so that ..
; leads nowhere, and where the host looks that up, so is what a link leads to. A tool should
; hold on to its folder all the same: links come and go.

(include "tool-permissions.lisp")

(defskill path-guard
  :doc "File tools stay in the workspace."
  :priority 140
  :trigger (in action.tool ("read-file" "write-file" "delete-file"))
  :gate
  ((deny outside
     :when (if (or (has? facts.env.workspace) (has? facts.env.cwd))
               (some (leads action.args.path)
                 (not (under? it (get facts.env.workspace facts.env.cwd))))
               (matches? action.args.path "^[/~]|(^|/)[.][.](/|$)"))
     :reason "the path is outside the workspace, or leads out of it")))

(defexample "inside"
  :action (:tool "read-file" :args (:path "/memex/safe.txt"))
  :facts (:env (:workspace "/memex" :cwd "/memex"))
  :expect (allow))

(defexample "out of it by .."
  :action (:tool "read-file" :args (:path "/memex/../.bashrc"))
  :facts (:env (:workspace "/memex" :cwd "/memex"))
  :expect (deny path-guard/outside))

(defexample "out of it by .. from within"
  :action (:tool "read-file" :args (:path "projects/../../etc/hosts"))
  :facts (:env (:workspace "/memex" :cwd "/memex"))
  :expect (deny path-guard/outside))

(defexample "a folder whose name begins alike"
  :action (:tool "read-file" :args (:path "/memex2/safe.txt"))
  :facts (:env (:workspace "/memex" :cwd "/memex"))
  :expect (deny path-guard/outside))

(defexample "no workspace that anybody knows, and none left"
  :action (:tool "read-file" :args (:path "notes/today.txt"))
  :expect (allow))

(defexample "no workspace that anybody knows, and out of it"
  :action (:tool "read-file" :args (:path "/memex/safe.txt"))
  :expect (deny path-guard/outside))

(defexample "a link out of the workspace"
  :action (:tool "read-file" :args (:path "/memex/notes.txt"))
  :facts (:env (:workspace "/memex" :cwd "/memex"))
  :links (("/memex/notes.txt" "/srv/notes.txt"))
  :expect (deny path-guard/outside))
