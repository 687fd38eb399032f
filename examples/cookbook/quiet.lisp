(deftool note :doc "Keeps a note." :params (:text string) :required (:text) :tier :allow :effect :local)
(deftool call-person :doc "Rings somebody up." :params (:who string) :required (:who) :tier :allow :effect :external)
(defskill quiet
  :doc "The program that embeds the engine says in facts.ctx.mood whether it is a quiet time."
  :trigger (= action.tool "call-person")
  :gate
  ((reject night
     :when (= (get facts.ctx.mood "") "quiet")
     :reason "it is a quiet time; leave a note instead")))
(defexample "at any time" :action (:tool "call-person" :args (:who "Ann")) :expect (allow))
(defexample "while it is quiet"
  :facts (:ctx (:mood "quiet")) :action (:tool "call-person" :args (:who "Ann")) :expect (deny quiet/night))
