; Who gets it, and where: values in a strong role. Those of the user, of records and of the
; agent's own making pass. One from a text passes if the user pointed at the text and asked
; for this, or handed the task to it.

(include "terms.lisp")

(defcondition let-through? (value wanted)
  "The user pointed at the source and asked for this, or handed the task to it; or it was looked up for the task."
  (or (and (= wanted 2) (pointed? value)) (vouched? value)))

(defcondition handed-right? ()
  "What the user handed the task to names this right, for somebody whom no text chose; the user is asked about access."
  (and (delegates?) (>= (commanded :delegated) 1)
       (none-or-empty (arguments) (and (= it.role "principal") (order? it.origin)))))

(defskill guard-steering
  :doc "A text that was read does not choose who gets what, and where."
  :priority 135
  :trigger (and (acts?) (not (code?)))
  :gate
  ((deny ordered
     :when (let ((f (fit 1)) (right (handed-right?)))
             (some (arguments :strong)
               (and (order? it.origin) (not (let-through? it.value f))
                    (not (and right (= it.role "permission"))))))
     :reason "a directive in a text chose who gets this, or where it goes")
   (deny unasked
     :when (let ((f (fit 1)))
             (and (< f 1)
                  (some (arguments :strong)
                    (and (prose? it.origin) (not (let-through? it.value f))))))
     :reason "the user asked for no such action, and a text chose who gets it, or where it goes")
   (deny opened
     :when (let ((f (fit 1)))
             (some (arguments :strong)
               (and (or (in it.role ("secret" "permission")) (and (= it.role "net") (< f 2)))
                    (prose? it.origin) (not (let-through? it.value f)))))
     :reason "a text that the user did not point at gave a secret, a right, or a host that something goes to")
   (deny dictated
     :when (let ((f (fit 1)))
             (and (some (arguments :strong) (prose? it.origin))
                  (every (arguments)
                    (and (text? it.origin) (not (let-through? it.value f))))))
     :reason "texts that the user did not point at gave every value of this")
   (ask told
     :when (let ((f (fit 1)))
             (and (some (arguments :strong)
                    (and (prose? it.origin) (not (let-through? it.value f))))
                  (not (spared?))))
     :reason "who gets it, or where it goes, stands only in a text that the user did not point at")
   (deny another
     :when (and (some (arguments :strong)
                  (and (text? it.origin) (gave-another? it.value)
                       (not (vouched? it.value))))
                (none-or-empty (arguments :strong) (= it.origin "user")))
     :reason "the user gave another one than this text does")
   (ask followed
     :when (and (some (arguments :strong)
                  (and (order? it.origin) (not (delegated? it.value))))
                (none-or-empty (arguments :strong) (= it.origin "user"))
                (not (spared?)))
     :reason "a directive in a text that the user pointed at chose who gets this, or where it goes")
   (ask unread
     :when (some (arguments :strong) (= it.origin "opaque"))
     :reason "who gets it, or where it goes, stands nowhere; it may have stood in what could not be read")
   (ask invented
     :when (and (some (classes) (in it ("grant" "pay")))
                (some (arguments :strong)
                  (and (in it.role ("principal" "net")) (= it.origin "model"))))
     :reason "who gets it stands nowhere")))
