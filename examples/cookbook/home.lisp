; Home: comfort at once, doors and alarms with care
;
; An agent runs a house. Light, heating and music are its own business, within limits that it
; cannot leave: 16 to 23 degrees, and soft music from ten to seven. A door opens for those who
; live there, by day, while somebody is in, and with a yes; the alarm goes off with two. Locking
; is always fine.
;
; The program that embeds the engine says in `facts.ctx.home` how many people are in; without
; that, `get` assumes none.

(deftool set-light
  :doc "Sets the light of a room, in percent."
  :params (:room string :level (integer 0 100))
  :required (:room :level)
  :tier :allow :effect :external :idempotent t)
(deftool set-heating
  :doc "Sets the temperature of a room, in degrees."
  :params (:room string :degrees (number 5 35))
  :required (:room :degrees)
  :tier :allow :effect :external :idempotent t)
(deftool play
  :doc "Plays music, at a volume in percent."
  :params (:what string :volume (integer 0 100))
  :required (:what :volume)
  :tier :allow :effect :external)
(deftool lock
  :doc "Locks or opens a door."
  :params (:door (enum "front" "garden" "garage") :open boolean)
  :required (:door :open)
  :tier :allow :effect :external :idempotent t)
(deftool set-alarm
  :doc "Arms the alarm, or switches it off."
  :params (:on boolean)
  :required (:on)
  :tier :allow :effect :external :idempotent t)

(defcondition night? () "From ten in the evening to seven in the morning."
  (or (>= (hour now "Europe/Berlin") 22) (< (hour now "Europe/Berlin") 7)))
(defcondition lives-here? () "Whether the session is of somebody who lives in the house."
  (some session.roles (= it "resident")))

(defskill comfort
  :trigger (in action.tool ("set-heating" "play"))
  :gate
  ((rewrite heating
     :when (and (= action.tool "set-heating")
                (or (< action.args.degrees 16) (> action.args.degrees 23)))
     :set (:degrees (max 16 (min 23 action.args.degrees)))
     :reason "rooms are kept between 16 and 23 degrees")
   (rewrite quiet
     :when (and (= action.tool "play") (night?) (> action.args.volume 15))
     :set (:volume 15)
     :reason "it is night; music plays softly")))

(defskill doors
  :trigger (= action.tool "lock")
  :gate
  ((deny visitor
     :when (and action.args.open (not (lives-here?)))
     :reason "doors open for those who live here; ask one of them")
   (deny night
     :when (and action.args.open (night?))
     :reason "at night doors are opened by hand")
   (deny away
     :when (and action.args.open (= (get facts.ctx.home 0) 0))
     :reason "the house is empty; doors stay locked")
   (ask open :when action.args.open :reason "this opens a door" :approvers :resident)))

(defskill alarm
  :trigger (= action.tool "set-alarm")
  :gate
  ((ask off
     :when (not action.args.on)
     :reason "two people switch the alarm off" :approvers :resident :quorum 2)))

(defexample "light is always fine"
  :action (:tool "set-light" :args (:room "kitchen" :level 80))
  :expect (allow))
(defexample "a warm room"
  :action (:tool "set-heating" :args (:room "kitchen" :degrees 23))
  :expect (allow)
  :args (:room "kitchen" :degrees 23)
  :passed (comfort/heating comfort/quiet))
(defexample "a cool one"
  :action (:tool "set-heating" :args (:room "cellar" :degrees 16))
  :expect (allow)
  :args (:room "cellar" :degrees 16))
(defexample "too hot"
  :action (:tool "set-heating" :args (:room "kitchen" :degrees 30))
  :expect (allow)
  :args (:room "kitchen" :degrees 23))
(defexample "a little too hot"
  :action (:tool "set-heating" :args (:room "kitchen" :degrees 23.5))
  :expect (allow)
  :args (:room "kitchen" :degrees 23))
(defexample "too cold"
  :action (:tool "set-heating" :args (:room "kitchen" :degrees 15.5))
  :expect (allow)
  :args (:room "kitchen" :degrees 16))
(defexample "music by day"
  :now 1781517600
  :action (:tool "play" :args (:what "jazz" :volume 60))
  :expect (allow)
  :args (:what "jazz" :volume 60))
(defexample "music at ten in the evening"
  :now 1781553600
  :action (:tool "play" :args (:what "jazz" :volume 16))
  :expect (allow)
  :args (:what "jazz" :volume 15))
(defexample "a second before ten"
  :now 1781553599
  :action (:tool "play" :args (:what "jazz" :volume 60))
  :expect (allow)
  :args (:what "jazz" :volume 60))
(defexample "soft music at night"
  :now 1781553600
  :action (:tool "play" :args (:what "jazz" :volume 10))
  :expect (allow)
  :args (:what "jazz" :volume 10))
(defexample "a second before seven"
  :now 1781499599
  :action (:tool "play" :args (:what "jazz" :volume 60))
  :expect (allow)
  :args (:what "jazz" :volume 15))
(defexample "music at seven in the morning"
  :now 1781499600
  :action (:tool "play" :args (:what "jazz" :volume 60))
  :expect (allow)
  :args (:what "jazz" :volume 60))
(defexample "locking at any time, by anybody"
  :now 1781553600
  :session (:roles ("guest"))
  :action (:tool "lock" :args (:door "front" :open false))
  :expect (allow)
  :passed (doors/visitor doors/night doors/away doors/open))
(defexample "a resident opens a door"
  :now 1781517600
  :session (:roles ("child" "resident")) :facts (:ctx (:home 1))
  :action (:tool "lock" :args (:door "garden" :open t))
  :expect (ask doors/open)
  :passed (doors/visitor doors/night doors/away))
(defexample "a guest does not"
  :now 1781517600
  :session (:roles ("guest")) :facts (:ctx (:home 1))
  :action (:tool "lock" :args (:door "garden" :open t))
  :expect (deny doors/visitor))
(defexample "a resident, at night"
  :now 1781553600
  :session (:roles ("resident")) :facts (:ctx (:home 1))
  :action (:tool "lock" :args (:door "garden" :open t))
  :expect (deny doors/night))
(defexample "a resident who is away"
  :now 1781517600
  :session (:roles ("resident")) :facts (:ctx (:home 0))
  :action (:tool "lock" :args (:door "garden" :open t))
  :expect (deny doors/away))
(defexample "nothing says who is there"
  :now 1781517600
  :session (:roles ("resident"))
  :action (:tool "lock" :args (:door "garden" :open t))
  :expect (deny doors/away))
(defexample "the alarm is armed"
  :action (:tool "set-alarm" :args (:on t))
  :expect (allow)
  :passed (alarm/off))
(defexample "and switched off"
  :action (:tool "set-alarm" :args (:on false))
  :expect (ask alarm/off)
  :reason "two people switch the alarm off")
