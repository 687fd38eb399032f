; What the servers from npm's @modelcontextprotocol say themselves is destructive: it writes
; over a file, moves it away, or deletes what is remembered. It is denied here; all else is
; as their declarations have it.

(include "filesystem.lisp")
(include "memory.lisp")
(include "everything.lisp")

(deflist destructive
  "write_file" "edit_file" "move_file"
  "delete_entities" "delete_observations" "delete_relations")

(defskill destructive-calls
  :doc "Denies the calls of MCP servers that destroy something."
  :trigger (in action.tool destructive)
  :gate
  ((deny destroys
     :when t
     :reason "this overwrites, moves or deletes; a person does that by hand")))

(defexample "a file is not moved"
  :action (:tool "move_file" :args (:source "/notes/a" :destination "/notes/b"))
  :expect (deny destructive-calls/destroys))

(defexample "a memory is not deleted"
  :action (:tool "delete_entities" :args (:|entityNames| ("Ana")))
  :expect (deny destructive-calls/destroys))
