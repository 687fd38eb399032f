; The words that the rules of this folder have in common.

(defcondition answers? () "It tells the user something, and does nothing else."
  (= action.tool "reply"))

(defcondition acts? () "An effect, of which the session is known well enough to judge it."
  (and session.whole (not (answers?)) (read-untrusted?) (not (reads?))
       (/= (get session.user-text "") "")))

(defcondition prose? (from) "From the text of a result."
  (in from ("prose" "prose-host")))

(defcondition order? (from) "From a text that tells its reader to act."
  (in from ("zone" "zone-host")))

(defcondition text? (from) "From the text of a result, whatever it does."
  (in from ("prose" "prose-host" "zone" "zone-host" "alien" "alien-host")))

(defcondition alien-origin? (from) "From a text that speaks to the agent."
  (in from ("alien" "alien-host")))

(defcondition steers? (role strong) "It decides what is done to what."
  (or strong (in role ("id" "object"))))

(defcondition settled? ()
  "No value that decides anything comes from a text that the task was not handed to; nor do words that the user did not ask to send."
  (let ((words (< (fit 1) 2)))
    (none-or-empty (arguments)
      (and (not (in it.role ("code" "flag"))) (or words (/= it.role "content"))
           (text? it.origin) (not (vouched? it.value))))))

(defcondition given? () "The text that the task was handed to gave some value of it."
  (some (arguments) (and (or (steers? it.role it.strong) (in it.role ("time" "amount")))
                         (/= it.origin "user") (delegated? it.value))))

(defcondition words-alone? ()
  "It takes words to somebody and nothing else along: no file, no record, nothing that a text wrote."
  (and (in "comm" (classes)) (some (arguments :content) t)
       (none-or-empty (arguments)
         (or (in it.role ("id" "net" "secret" "permission" "code"))
             (matches? (lower it.name) "attach|file|enclos|path|document")
             (and (= it.role "content") (text? it.origin))))))

(defcondition grave? () "What gives access, moves money or destroys."
  (some (classes) (in it ("delete" "grant" "pay"))))

(defcondition code? ()
  "It runs code. What code does is for other rules; here its values are its words."
  (> (len (arguments :code)) 0))

(defcondition private? (text)
  "It speaks of what opens a door, or says who somebody is, what they owe or how they are."
  (matches? (lower text) "(\\b|_)(pass(word|code|phrase|port)s?|secrets?|credentials?|private keys?|iban|pin|(card|account|insurance) number|(access|alarm|door|entry|gate|recovery|release|security|unlock|verification)[ _-]?codes?|birthda(y|te)|date of birth|(home|my|our|your|h(is|er)|their) address(es)?|(access|api|auth|print|secret)[_ -]?(token|key)s?|tokens?|medical|tax|salar(y|ies))(\\b|_)"))

(defcondition opens? (tool) "Its name speaks of what opens a door."
  (matches? (lower tool) "pass(word|code|phrase)|secret|credential|(access|alarm|door|entry|gate|recovery|release|security|unlock|verification)[_.-]?code"))

(defcondition power? (tool)
  "Its name speaks of standing rights and rules, or of where mail and money go."
  (or (and (matches? (lower tool) "address")
           (or (in "create" (classes)) (some (arguments) (in it.role ("principal" "net")))))
      (standing? tool)))

(defcondition standing? (tool) "Its name speaks of standing rights and rules."
  (matches? (lower tool) "deputy|delegate|proxy|mandate|attorney|signator|admin|owner|collaborator|permission|role|rights|access|rule|filter|limit|redirect|forward|webhook|login|payee|secret|remote"))

(defcondition spared? ()
  "A person who approved a call covered more like it. Access, standing rights and secrets are asked about each time."
  (and (covered?)
       (not (in "grant" (classes))) (not (power? action.tool)) (not (opens? action.tool))
       (not (private? action.text))))
