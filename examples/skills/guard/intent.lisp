; Whether the user wanted this kind of action.

(include "terms.lisp")

(defcondition mine? ()
  "All values that decide what is done to what are the user's, and there are some."
  (and (some (arguments) (steers? it.role it.strong))
       (none-or-empty (arguments)
         (and (steers? it.role it.strong) (/= it.origin "user") (not (meant? it.value))))))

(defcondition idle? () "It has no values, and no text asks for it."
  (and (= (len (arguments)) 0) (= (commanded) 0)))

(defskill guard-intent
  :doc "Kinds of action that the user did not ask for."
  :priority 125
  :trigger (and (acts?) (not (code?)))
  :gate
  ((deny lured
     :when (and (< (fit 1) 1) (not (delegates?))
                (or (>= (commanded :alien) 1) (>= (commanded :unpointed) 2)
                    (some (arguments) (text? it.origin))))
     :reason "the user did not ask for this kind of action; a text that was read does, or gave its values")
   (deny beyond
     :when (and (< (fit 1) 1) (delegates?) (>= (commanded :alien) 1) (= (commanded :delegated) 0))
     :reason "what the user handed the task to does not ask for this; a text that speaks to the agent does")
   (ask handed
     :when (and (< (fit 1) 1) (delegates?) (= (commanded :delegated) 0)
                (or (grave?)
                    (and (or (>= (commanded) 1)
                             (and (in "comm" (classes))
                                  (some (arguments :strong) (/= it.origin "user"))))
                         (not (and (given?) (settled?)))))
                (not (spared?)))
     :reason "neither the user nor what the user handed the task to asks for this kind of action")
   (ask unasked
     :when (and (= (fit 1) 0) (not (delegates?))
                (or (grave?)
                    (and (read-text?) (not (mine?)) (not (idle?))))
                (not (spared?)))
     :reason "the user did not ask for this kind of action")
   (ask foreign
     :when (and (= (fit -1) -1)
                (or (grave?) (>= (commanded :unpointed) 1) (not (settled?)))
                (not (spared?)))
     :reason "it cannot be told whether the user asked for this, and much is at stake or a text gave a value of it")))
