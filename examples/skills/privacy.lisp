; Privacy: what a person has tagged as private does not leave, whichever argument
; carries the tag and however it is spelled in capitals.

(include "tools.lisp")

(deflist privacy-tags "@personal" "@private")

(defskill privacy
  :doc "Nothing that carries a privacy tag is sent, written or said."
  :priority 158
  :gate
  ((reject tagged
     :when (let ((text (lower action.text))) (some privacy-tags (contains? text it)))
     :reason "carries a privacy tag")))

(defexample "a tag in the text" :action (:tool "send-message" :args (:to "bob" :text "dinner with mum @personal")) :expect (deny privacy/tagged))
(defexample "in capitals" :action (:tool "reply" :args (:text "see @PERSONAL notes")) :expect (deny privacy/tagged))
(defexample "as a tag of its own" :action (:tool "note" :args (:title "x" :tags ("work" "@Personal"))) :expect (deny privacy/tagged))
(defexample "no tag" :action (:tool "reply" :args (:text "a personal best")) :expect (allow tier/reply))
