; The protected core: folders that what runs the agent itself consists of, its rules, its
; settings, its own source. The operator names them in facts.env.core. A change there says
; why, in words of its own; without that it is denied. With it, the other rules decide.

(defskill core
  :doc "Changes of the protected core are justified."
  :priority 150
  ; Every tool but those that say by their name that they only look.
  :trigger (and (has? facts.env.core)
                (not (matches? action.tool "^(read|list|get|search|stat|view)([_-](file|files|folder|directory))?$")))
  :gate
  ((deny unjustified
     :when (and (not (matches? action.explanation "^(?s:[\\s\\p{Z}\\p{C}]*[^\\s\\p{Z}\\p{C}]){11}"))
                (some (paths action) (under? it facts.env.core)))
     :reason "this changes the protected core; say in the :explanation why that is needed")))

(defexample "a change without a word"
  :action (:tool "write-file" :args (:path "/srv/agent/core/loop.lisp" :content "(loop)"))
  :facts (:env (:core "/srv/agent/core" :cwd "/srv/work"))
  :expect (deny core/unjustified))

(defexample "a change that says why"
  :action (:tool "write-file" :args (:path "/srv/agent/core/loop.lisp" :content "(loop)")
           :explanation "The loop never ends, so the session hangs.")
  :facts (:env (:core "/srv/agent/core" :cwd "/srv/work"))
  :expect (ask default/unknown-tool))

(defexample "by way of another folder"
  :action (:tool "write-file" :args (:path "../agent/core/loop.lisp" :content "(loop)"))
  :facts (:env (:core "/srv/agent/core" :cwd "/srv/work"))
  :expect (deny core/unjustified))

(defexample "a path within the arguments"
  :action (:tool "edit-file" :args (:edits ((:file (:path "/srv/agent/core/loop.lisp") :text "x"))))
  :facts (:env (:core "/srv/agent/core" :cwd "/srv/work"))
  :expect (deny core/unjustified))

(defexample "reading it"
  :action (:tool "read-file" :args (:path "/srv/agent/core/loop.lisp"))
  :facts (:env (:core "/srv/agent/core" :cwd "/srv/work"))
  :expect (ask default/unknown-tool))

(defexample "elsewhere"
  :action (:tool "write-file" :args (:path "/srv/work/a.txt" :content "x"))
  :facts (:env (:core "/srv/agent/core" :cwd "/srv/work"))
  :expect (ask default/unknown-tool))
