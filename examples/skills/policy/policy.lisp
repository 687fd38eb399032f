; Policy: an action says why. It stands in a folder of its own, since a caller that
; only asks for decisions need not explain. An explanation never vouches for
; anything; this rule comes last, so that a better reason is given first.
;
; More than ten characters, not counting white space around them, and most of
; them must be words: white space and invisible characters say nothing.

(defaults :unknown-tool :ask)

(defskill policy
  :doc "Every action but a reply carries an explanation that says something."
  :priority -100
  :trigger (/= action.tool "reply")
  :gate
  ((reject unexplained
     :when (not (and (matches? action.explanation "(?s)[^\\s\\p{Z}\\p{C}].{9,}[^\\s\\p{Z}\\p{C}]")
                     (matches? action.explanation "(?:[^\\s\\p{Z}\\p{C}][\\s\\p{Z}\\p{C}]*){8}")))
     :reason "say in :explanation why this is needed, in a few words"))
  :augment "Give an :explanation with every action: why it is needed, in a few words.")

(defexample "ten characters are too few" :action (:tool "note" :args (:x 1) :explanation "0123456789") :expect (deny policy/unexplained))
(defexample "eleven will do" :action (:tool "note" :args (:x 1) :explanation "to find out") :expect (ask default/unknown-tool))
(defexample "space around words does not count" :action (:tool "note" :args (:x 1) :explanation "     to find      ") :expect (deny policy/unexplained))
(defexample "nor does space between them, by itself" :action (:tool "note" :args (:x 1) :explanation "a           b") :expect (deny policy/unexplained))
(defexample "nothing but space says nothing" :action (:tool "note" :args (:x 1) :explanation "                    ") :expect (deny policy/unexplained))
(defexample "nor does what nobody can see" :action (:tool "note" :args (:x 1) :explanation "\u{a0}\u{a0}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{3000}\u{3000}\u{3000}") :expect (deny policy/unexplained))
(defexample "none at all" :action (:tool "note" :args (:x 1)) :expect (deny policy/unexplained))
(defexample "an answer needs no explanation" :action (:tool "reply" :args (:text "Hello")) :expect (allow tier/reply))
