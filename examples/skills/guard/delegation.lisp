; What the user handed to a source: "do what the ticket asks", "set it up as the README
; says". The source steers, within what the sentence and the kind of source imply. A question
; comes where the stakes are high.

(include "terms.lisp")

(defcondition from-text? () "A text gave some value that decides what is done to what."
  (some (arguments) (and (steers? it.role it.strong) (text? it.origin))))

(defcondition asked-away? ()
  "The user asked for this deletion, and gave a part of what decides it; the source gave the rest."
  (and (= (fit 1) 2) (not (in "grant" (classes))) (not (in "pay" (classes)))
       (some (arguments) (and (steers? it.role it.strong) (= it.origin "user")))
       (none-or-empty (arguments) (and (/= it.origin "user") (not (delegated? it.value))))))

(defcondition at-the-till? ()
  "It moves money and does not say to whom, as buying and giving back what was paid do, and the task speaks of that."
  (and (in "pay" (classes)) (not (in "grant" (classes))) (not (in "delete" (classes)))
       (or (>= (fit 1) 1) (>= (commanded :delegated) 1))
       (none-or-empty (arguments)
         (or (in it.role ("net" "secret" "permission" "code"))
             (and (= it.role "principal") (/= it.origin "user"))))))

(defcondition attached? (name role) "It is a file that goes along, by the name of the argument."
  (and (= role "") (matches? (lower name) "attach|file|path|document")))

(defcondition loud? (tool) "Its name says that it reaches everybody at once."
  (matches? (lower tool) "blast|broadcast|mass|bulk|every(one|body)|(^|_)all(_|$)|newsletter_?(send|publish)|(send|publish)_?newsletter"))

(defcondition keeps-out? (tool) "Its name speaks of what keeps people out, or sees them."
  (matches? (lower tool)
            "(^|[_.-])((alarms?|doors?|gates?|cameras?|key(card)?s?)([_.-]|$)|locks?[_.-])"))

(defcondition price? (name) "It is a budget or a price, by the name of the argument."
  (matches? (lower name) "budget|price|fee|discount|preis|rabatt|prix|precio|prezzo|sconto"))

(defcondition hidden? (path role) "It is a file of settings or keys, which no list shows."
  (and (= role "object") (matches? path "(^|/)[.][A-Za-z]")))

(defcondition plain-line? (line)
  "One plain command that neither deletes, nor asks for more rights, nor leaves the folder or the machine."
  (and (not (matches? line "[|;&<>$`~\\n]|://|[.][.]/|@"))
       (not (matches? (lower line) "(^|[ /])(sudo|su|doas|rm|rmdir|unlink|shred|dd|mkfs\\S*|chmod|chown|kill|pkill|curl|wget|scp|sftp|ftp|rsync|ssh|nc|ncat|telnet|crontab|useradd|usermod|passwd|gpg|eval|exec|reboot|shutdown|reset|wipe|purge|erase|drop|truncate|destroy)( |$)|--(force|no-\\S*|hard)|(^| )(npm|pnpm|yarn|pip3?|pipx|gem|cargo|go|brew|apt|apt-get|dnf|apk) (-\\S+ )*(install|add|get|i) (-\\S+ )*[^- ]"))))

(defskill guard-delegation
  :doc "What the user handed to a source is done; where the stakes are high, the user is asked."
  :priority 128
  :trigger (and (acts?) (delegates?))
  :gate
  ((deny closer
     :when (and (not (code?)) (>= (fit -1) 0) (< (fit 1) 2)
                (> (commanded :unpointed) (commanded :delegated))
                (not (and (settled?)
                          (some (arguments)
                            (and (or (steers? it.role it.strong) (in it.role ("time" "amount")))
                                 (or (= it.origin "user") (delegated? it.value)))))))
     :reason "another text than the one that the user handed the task to asks for this")
   (ask grave
     :when (and (grave?) (not (code?)) (not (at-the-till?))
                (or (and (from-text?) (not (asked-away?)))
                    (and (< (fit 1) 1)
                         (or (in "delete" (classes))
                             (= (commanded :delegated) 0)
                             (and (some (arguments :strong) t)
                                  (in "pay" (classes)))
                             (and (< (commanded :delegated) 2)
                                  (in "grant" (classes))))))
                (not (spared?)))
     :reason "it gives access, moves money or destroys, and a text that the user handed the task to decides that")
   (ask door
     :when (and (in "grant" (classes)) (keeps-out? action.tool)
                (some (arguments) (and (steers? it.role it.strong) (/= it.origin "user"))))
     :reason "it opens, or switches off, what keeps people out, and the user did not say all of it")
   (ask account
     :when (and (not (code?))
                (some (arguments)
                  (and (text? it.origin)
                       (matches? it.text "^[A-Z]{2}[0-9]{2} ?([A-Z0-9]{4} ?){2,7}[A-Z0-9]{0,4}$")))
                (not (spared?)))
     :reason "a text gave the account that money goes to")
   (ask price
     :when (and (in "pay" (classes))
                (some (arguments)
                  (and (= it.role "amount") (text? it.origin) (price? it.name)))
                (not (spared?)))
     :reason "a text sets what something may cost")
   (ask power
     :when (and (not (code?)) (< (fit 1) 2) (power? action.tool) (some (classes) (/= it "comm")))
     :reason "it changes what somebody may do from now on, and the user did not ask for that")
   (ask loud
     :when (and (in "comm" (classes)) (< (fit 1) 2) (loud? action.tool) (not (spared?)))
     :reason "it goes to everybody at once, and the user did not ask for that")
   (ask unseen
     :when (and (in "comm" (classes)) (= (len (arguments :content)) 0)
                (some (arguments :strong)
                  (and (/= it.origin "user") (text? it.origin) (matches? it.text "@|://")))
                (not (spared?)))
     :reason "it sends what this call does not show to somebody whom a text gave")
   (ask secret
     :when (and (not (code?))
                (or (opens? action.tool)
                    (some (arguments) (and (/= it.origin "user") (hidden? it.text it.role)))
                    (and (or (in "comm" (classes)) (some (arguments :strong) t))
                         (some (arguments)
                           (and (or (in it.role ("content" "object")) (attached? it.name it.role))
                                (/= it.origin "user")
                                (private? it.text))))))
     :reason "it gives away or changes what should be known to few, and the user did not name it")
   (ask elsewhere
     :when (and (not (code?))
                (let ((alone (words-alone?)) (comm (in "comm" (classes))))
                  (some (arguments)
                    (and (or comm (/= it.role "content"))
                         (or (/= it.role "principal")
                             (and (matches? it.text "[@:/]") (not alone)))
                         (elsewhere? it.value))))
                (not (spared?)))
     :reason "a text gave an address in it, on another site than what the user handed the task to")
   (ask other-text
     :when (and (not (code?)) (not (settled?)) (not (spared?)))
     :reason "a value comes from a text that the user did not hand the task to")
   (ask strong-line
     :when (some (arguments :code) (and (/= it.origin "user") (not (plain-line? it.value))))
     :reason "it does more than one plain step in this folder, and the user did not say this line")))
