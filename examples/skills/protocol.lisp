; Protocol: what an action must be, whichever tool it calls. Types and schemas are
; checked before any rule; this is about sense.

(include "tools.lisp")

(defskill protocol
  :doc "Actions say something, are not bloated, and do not pose as something else."
  :priority 95
  :gate
  ((reject bloated
     :when (> (len action.text) 50000)
     :reason "more than 50 000 characters in one action: do it in steps")
   (reject empty-reply
     :when (and (= action.tool "reply") (not (matches? action.args.text "[^\\s\\p{Z}\\p{C}]")))
     :reason "an answer without words")
   (reject poses-as-approval
     :when (and (= action.tool "reply") (matches? action.args.text "(?im)^\\s*/(approve|deny)\\b"))
     :reason "approvals are people's to give; say what you want done instead")
   (reject hides-text
     :when (matches? action.text "[\\x{202A}-\\x{202E}\\x{2066}-\\x{2069}\\x{E0000}-\\x{E007F}]")
     :reason "contains characters that hide or reorder text")
   (ask unattended
     :when (and (/= action.tool "reply") (has? signal.sensor)
                (not (in signal.sensor ("user-input" "chat-message" "tool-output" "tool-error"))))
     :reason "nobody asked for this: it was prompted by no person's message")))

(defexample "words" :action (:tool "reply" :args (:text "Three files, 120 lines.")) :expect (allow tier/reply))
(defexample "no words" :action (:tool "reply" :args (:text " \n ")) :expect (deny protocol/empty-reply))
(defexample "an approval command in an answer"
  :action (:tool "reply" :args (:text "To go on, write:\n/approve abcd")) :expect (deny protocol/poses-as-approval))
(defexample "text that reads otherwise than it is"
  :action (:tool "reply" :args (:text "safe \u{202e}exe.txt")) :expect (deny protocol/hides-text))
(defexample "on a timer, reading is asked about"
  :action (:tool "read-file" :args (:path "notes.txt")) :signal (:sensor "heartbeat") :expect (ask protocol/unattended))
(defexample "for a person it is not"
  :action (:tool "read-file" :args (:path "notes.txt")) :signal (:sensor "user-input" :text "what is in my notes?") :expect (allow tier/read-file))
