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
     :when (and (some (arguments :id) (and (prose? it.origin) (not (vouched? it.value))))
                (not (spared?)))
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
   (deny all-told
     :when (and (not (code?)) (not (delegates?)) (< (fit 1) 2)
                (none-or-empty (arguments) (and (steers? it.role it.strong) (= it.origin "user")))
                (some (arguments)
                  (and (in it.role ("time" "amount")) (text? it.origin) (gave-another? it.value)))
                (none-or-empty (arguments) (in it.origin ("user" "trusted" "rule"))))
     :reason "the user gave other values than this text does, and this uses none of them")
   (ask other-told
     :when (and (some (arguments)
                  (and (in it.role ("time" "amount" "object")) (text? it.origin)
                       (gave-another? it.value) (not (vouched? it.value))))
                (not (spared?)))
     :reason "the user gave another value than this text does")
   (ask singled
     :when (and (not (code?)) (or (< (fit 1) 2) (delegates?))
                (some (arguments)
                  (and (steers? it.role it.strong) (/= it.origin "user")
                       (singled? it.value) (not (delegated? it.value))))
                (not (spared?)))
     :reason "a text that the task was not handed to would have just this one, for an action of this kind")
   (deny chosen-ordered
     :when (and (>= (commanded) 2)
                (some (arguments)
                  (and (in it.role ("id" "object")) (= it.origin "record")
                       (chose-another? it.value))))
     :reason "the user named one, and a directive in a text asks for another")
   (ask chosen
     :when (and (some (arguments)
                  (and (in it.role ("id" "object")) (= it.origin "record")
                       (chose-another? it.value)))
                (not (spared?)))
     :reason "the user named one of several, and this is another")))
