; What is tagged @personal stays at home: no action carries it, be it a reply, a
; message or a command, whether the tag stands in a list of tags or in the text.
; The address bob@personal.example is not a tag. Add your own tags to the pattern.

(include "tool-permissions.lisp")

(defskill privacy-tags
  :doc "Nothing that is tagged private leaves."
  :priority 130
  :gate
  ((deny tagged
     :when (matches? action.text "(?i)(^|[^a-z0-9_.+-])@personal($|[^a-z0-9_-])")
     :reason "this is marked as private; leave the private part out")))

(defexample "a tag in the text"
  :action (:tool "reply" :args (:text "Dinner with Eve @personal at eight"))
  :expect (deny privacy-tags/tagged))

(defexample "a tag among tags, whatever its case"
  :action (:tool "publish_note" :args (:title "plans" :tags ("work" "@PERSONAL")))
  :expect (deny privacy-tags/tagged))

(defexample "a tag as the outline writes it"
  :action (:tool "reply" :args (:text "* Diary :@Personal:"))
  :expect (deny privacy-tags/tagged))

(defexample "an address is not a tag"
  :action (:tool "reply" :args (:text "Write to bob@personal.example, in person."))
  :expect (allow))

(defexample "another word is not a tag"
  :action (:tool "reply" :args (:text "the @personality test, a personal matter"))
  :expect (allow))
