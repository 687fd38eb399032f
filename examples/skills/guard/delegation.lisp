; What the user handed to a source: "do what the ticket asks", "set it up as the README
; says". The source steers, within what the sentence and the kind of source imply. A question
; comes where the stakes are high.

(include "terms.lisp")

(defcondition settled? ()
  "No value that decides anything comes from a text that the task was not handed to."
  (none-or-empty (arguments)
    (and (not (in it.role ("content" "code"))) (text? it.origin) (not (delegated? it.value)))))

(defcondition from-text? () "A text gave some value that decides what is done to what."
  (some (arguments) (and (steers? it.role it.strong) (text? it.origin))))

(defcondition private? (text) "It speaks of what opens a door, or says who somebody is."
  (matches? (lower text) "\\b(pass(word|code|phrase|port)s?|secrets?|credentials?|private keys?|iban|pin|(card|account|insurance) number|birthda(y|te)|date of birth|home address)\\b"))

(defcondition attached? (name role) "It is a file that goes along, by the name of the argument."
  (and (= role "") (matches? (lower name) "attach|file|path|document")))

(defcondition power? (tool) "Its name speaks of standing rights and rules."
  (matches? (lower tool) "deputy|delegate|admin|owner|collaborator|permission|role|rights|access|rule|filter|limit|redirect|forward|webhook|login|payee|secret|remote"))

(defcondition plain-line? (line)
  "One plain command that neither deletes, nor asks for more rights, nor leaves the folder or the machine."
  (and (not (matches? line "[|;&<>$`~\\n]|://|[.][.]/|@"))
       (not (matches? (lower line) "(^|[ /])(sudo|su|doas|rm|rmdir|unlink|shred|dd|mkfs\\S*|chmod|chown|kill|pkill|curl|wget|scp|sftp|ftp|rsync|ssh|nc|ncat|telnet|crontab|useradd|usermod|passwd|gpg|eval|exec|reboot|shutdown)( |$)"))))

(defskill guard-delegation
  :doc "What the user handed to a source is done; where the stakes are high, the user is asked."
  :priority 128
  :trigger (and (acts?) (delegates?))
  :gate
  ((deny closer
     :when (and (not (code?)) (< (fit 1) 2) (> (commanded :unpointed) (commanded :delegated)))
     :reason "another text than the one that the user handed the task to asks for this")
   (ask grave
     :when (and (grave?) (not (code?)) (or (from-text?)
                                           (and (< (fit 1) 1)
                                                (or (in "delete" (classes))
                                                    (= (commanded :delegated) 0)
                                                    (and (some (arguments :strong) t)
                                                         (in "pay" (classes)))
                                                    (and (< (commanded :delegated) 2)
                                                         (in "grant" (classes)))))))
     :reason "it gives access, moves money or destroys, and a text that the user handed the task to decides that")
   (ask power
     :when (and (not (code?)) (< (fit 1) 2) (power? action.tool))
     :reason "it changes what somebody may do from now on, and the user did not ask for that")
   (ask secret
     :when (and (not (code?))
                (or (private? action.tool)
                    (and (or (in "comm" (classes)) (some (arguments :strong) t))
                         (some (arguments)
                           (and (or (in it.role ("content" "object")) (attached? it.name it.role))
                                (/= it.origin "user")
                                (private? it.value))))))
     :reason "it gives away or changes what should be known to few, and the user did not name it")
   (ask elsewhere
     :when (and (not (code?))
                (or (some (arguments)
                      (and (/= it.role "content") (elsewhere? it.value)
                           (or (/= it.role "principal") (matches? it.value "[@:/]"))))
                    (and (in "comm" (classes)) (some (arguments :content) (elsewhere? it.value)))))
     :reason "a text gave an address in it, on another site than what the user handed the task to")
   (ask other-text
     :when (and (not (code?)) (not (settled?)))
     :reason "a value comes from a text that the user did not hand the task to")
   (ask strong-line
     :when (some (arguments :code) (and (/= it.origin "user") (not (plain-line? it.value))))
     :reason "it does more than one plain step in this folder, and the user did not say this line")))
