; Files stay in the workspace. The host says where that is: facts.env.workspace.
; A path is judged after cleaning and resolving .. and ~, so there is one
; spelling only. Without the fact nothing can be told, and so nothing is done.

(include "tools.lisp")

(defskill path-guard
  :doc "File tools stay below facts.env.workspace."
  :priority 145
  :trigger (in action.tool ("read-file" "list-files" "write-file" "delete-file"))
  :gate
  ((reject outside
     :when (some (paths action) (not (under? it facts.env.workspace)))
     :reason "outside the workspace")))

(defexample "up and out" :action (:tool "read-file" :args (:path "/memex/../.bashrc"))
  :facts (:env (:workspace "/memex" :cwd "/memex")) :expect (deny path-guard/outside))
(defexample "far up" :action (:tool "write-file" :args (:path "projects/../../etc/passwd" :content "x"))
  :facts (:env (:workspace "/memex" :cwd "/memex")) :expect (deny path-guard/outside))
(defexample "a neighbour with the same beginning" :action (:tool "read-file" :args (:path "/memex2/safe.txt"))
  :facts (:env (:workspace "/memex" :cwd "/memex")) :expect (deny path-guard/outside))
(defexample "inside" :action (:tool "read-file" :args (:path "/memex/safe.txt"))
  :facts (:env (:workspace "/memex" :cwd "/memex")) :expect (allow tier/read-file))
(defexample "where the workspace is unknown" :action (:tool "read-file" :args (:path "/memex/safe.txt"))
  :expect (deny path-guard/outside/error))
