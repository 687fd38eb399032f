; Which thing, when, how much, and what it says.

(include "terms.lisp")

(defskill guard-things
  :doc "A text that was read does not choose the thing that is changed."
  :priority 130
  :trigger (acts?)
  :gate
  ((deny id-ordered
     :when (some (arguments :id) (and (order? it.origin) (not (delegated? it.value))))
     :reason "a directive in a text chose what this changes")
   (ask id-told
     :when (some (arguments :id) (and (prose? it.origin) (not (delegated? it.value))))
     :reason "what this changes stands only in a text")
   (deny given
     :when (and (>= (commanded :alien) 2)
                (some (arguments)
                  (and (in it.role ("time" "amount" "object")) (alien-origin? it.origin))))
     :reason "a text that speaks to the agent asks for this, and gave its values")
   (deny other-ordered
     :when (and (>= (commanded) 2)
                (some (arguments)
                  (and (in it.role ("time" "amount" "object"))
                       (or (order? it.origin) (alien-origin? it.origin))
                       (gave-another? it.value) (not (delegated? it.value)))))
     :reason "a directive in a text gives another value than the user did")
   (ask other-told
     :when (some (arguments)
             (and (in it.role ("time" "amount" "object")) (text? it.origin)
                  (gave-another? it.value) (not (delegated? it.value))))
     :reason "the user gave another value than this text does")
   (deny chosen-ordered
     :when (and (>= (commanded) 2)
                (some (arguments)
                  (and (in it.role ("id" "object")) (= it.origin "record")
                       (chose-another? it.value))))
     :reason "the user named one, and a directive in a text asks for another")
   (ask chosen
     :when (some (arguments)
             (and (in it.role ("id" "object")) (= it.origin "record") (chose-another? it.value)))
     :reason "the user named one of several, and this is another")))
