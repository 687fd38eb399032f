; Code: where its words come from. What it does is for rules about commands.

(include "terms.lisp")

(defskill guard-code
  :doc "A text that was read does not write the agent's code."
  :priority 135
  :trigger (and (acts?) (code?))
  :gate
  ((deny asked
     :when (and (>= (commanded :unpointed) 2) (< (fit 1) 1) (not (delegates?)))
     :reason "a text that the user did not point at asks for this, and the user did not")
   (ask given
     :when (and (not (delegates?))
                (some (arguments :code) (text? (carries it.value))))
     :reason "a text that was read gave an address or five words in a row of this code")))
