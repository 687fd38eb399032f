(deftool search :doc "Searches the web." :params (:query string) :required (:query) :tier :allow :effect :none)
(defskill too-often
  :trigger (= action.tool "search")
  :gate
  ((reject per-minute
     :when (>= (len (calls-since "search" 60)) 10)
     :reason "ten searches a minute are enough; work with what you have")
   (reject again
     :when (some (calls "search") (= it.args action.args))
     :reason "you have searched for exactly this already; its result is above")))
(defexample "the first search" :action (:tool "search" :args (:query "pebble")) :expect (allow))
(defexample "the same again"
  :session (:calls ((:tool "search" :args (:query "pebble") :decision "allow")))
  :action (:tool "search" :args (:query "pebble")) :expect (deny too-often/again))
