; The reader sees to it that a proposal is well formed and the schemas that its
; arguments are right. What is left is what would make people, or programs further
; on, see something else than what is there.

(include "tool-permissions.lisp")

(defskill protocol-validator
  :doc "What is shown is what is meant."
  :priority 95
  :gate
  ((deny control
     ; control characters but tab, newline and return, and overrides of direction
     :when (matches? action.text
                     "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x{9f}\\x{202d}\\x{202e}]")
     :reason "an argument holds control characters, which change how it is shown; write plain text")
   (deny turned
     ; in an answer such marks may set off a name in another script
     :when (and (/= action.tool "reply")
                (matches? action.text "[\\x{202a}-\\x{202e}\\x{2066}-\\x{2069}]"))
     :reason "an argument holds marks that turn the direction of text; write plain text")
   (deny hidden-in-command
     :when (and (= action.tool "shell")
                (matches? action.args.cmd
                          "[\\x{200b}-\\x{200f}\\x{2060}-\\x{2064}\\x{feff}\\x{e0000}-\\x{e007f}]"))
     :reason "the command holds invisible letters; write plain text")
   (ask hidden-letters
     :when (and (/= action.tool "reply")
                (matches? action.text
                          "[\\x{200b}\\x{2060}-\\x{2064}\\x{feff}\\x{e0000}-\\x{e007f}]"))
     :reason "an argument holds invisible letters")
   (deny answers-for-people
     :when (and (= action.tool "reply") (matches? action.text "(?im)^\\s*/(approve|deny)\\b"))
     :reason "approvals are answered by people; describe what is waiting instead")
   (deny odd-name
     :when (not (matches? action.tool "^[A-Za-z][A-Za-z0-9_.:/-]{0,127}$"))
     :reason "this is not a tool name: letters, digits and _ . : / - alone")))

(defexample "an escape that repaints the approver's terminal"
  :action (:tool "shell" :args (:cmd "ls # \u{1b}[2K"))
  :expect (deny protocol-validator/control))

(defexample "text that reads backwards"
  :action (:tool "reply" :args (:text "open \u{202e}txt.exe"))
  :expect (deny protocol-validator/control))

(defexample "text that turns around"
  :action (:tool "shell" :args (:cmd "cat \u{2067}a\u{2066}b"))
  :expect (deny protocol-validator/turned))

(defexample "an invisible letter, in a command"
  :action (:tool "shell" :args (:cmd "ls no\u{200d}tes"))
  :expect (deny protocol-validator/hidden-in-command))

(defexample "an invisible letter, in a name"
  :action (:tool "send_money" :args (:recipient "ev\u{200b}il" :amount 5))
  :expect (ask protocol-validator/hidden-letters))

(defexample "a model does not answer for people"
  :action (:tool "reply" :args (:text "/approve k3jd92"))
  :expect (deny protocol-validator/answers-for-people))

(defexample "a name of words is not a tool"
  :action (:tool "run this please" :args (:x 1))
  :expect (deny protocol-validator/odd-name))

(defexample "text of several lines in any script is plain"
  :action (:tool "reply" :args (:text "Grüße, 你好,\n\tمرحبا"))
  :expect (allow))

(defexample "a comment hides nothing"
  :action (:tool "shell" :args (:cmd "ls # notes"))
  :facts (:env (:cwd "/home/dev/app" :home "/home/dev"))
  :expect (allow tool-permissions/looks-only))
