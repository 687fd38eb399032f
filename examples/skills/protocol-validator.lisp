; The reader sees to it that a proposal is well formed and the schemas that its
; arguments are right. What is left is what would make people, or programs further
; on, see something else than what is there.

(include "tool-permissions.lisp")

(defskill protocol-validator
  :doc "What is shown is what is meant."
  :priority 95
  :gate
  ((reject unreadable
     ; control characters but tab, newline and return; marks that turn the
     ; direction of text around; letters that nobody sees
     :when (matches? action.text "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x{9f}\\x{202a}-\\x{202e}\\x{2066}-\\x{2069}\\x{2060}-\\x{2064}]")
     :reason "an argument holds control characters or marks that change how it is shown; write plain text")
   (reject hidden-letters
     ; outside replies also the tags of Unicode, which spell text that nobody sees
     :when (and (/= action.tool "reply") (matches? action.text "[\\x{e0000}-\\x{e007f}\\x{200b}-\\x{200f}\\x{feff}]"))
     :reason "an argument holds letters that nobody sees; write plain text")
   (reject answers-for-people
     :when (and (= action.tool "reply") (matches? action.text "(?im)^\\s*/(approve|deny)\\b"))
     :reason "approvals are answered by people; describe what is waiting instead")
   (reject too-long
     :when (> (len action.text) 262144)
     :reason "more than 256 KiB of text in one action; split it")
   (reject odd-name
     :when (not (matches? action.tool "^[A-Za-z][A-Za-z0-9_.:/-]{0,127}$"))
     :reason "this is no name of a tool: letters, digits and _ . : / - alone")))

(defexample "an escape that repaints the approver's terminal"
  :action (:tool "shell" :args (:cmd "ls # \u{1b}[2K"))
  :expect (deny protocol-validator/unreadable))

(defexample "text that reads backwards"
  :action (:tool "shell" :args (:cmd "cat \u{202e}txt.eraperp"))
  :expect (deny protocol-validator/unreadable))

(defexample "a name between the letters"
  :action (:tool "send_money" :args (:recipient "ev\u{200b}il" :amount 5))
  :expect (deny protocol-validator/hidden-letters))

(defexample "a model does not answer for people"
  :action (:tool "reply" :args (:text "/approve k3jd92"))
  :expect (deny protocol-validator/answers-for-people))

(defexample "a name of words is no tool"
  :action (:tool "run this please" :args (:x 1))
  :expect (deny protocol-validator/odd-name))

(defexample "text of several lines in any script is plain"
  :action (:tool "reply" :args (:text "Grüße, 你好,\n\tمرحبا"))
  :expect (allow))
