; Builds: tests after the last edit, reviews by people, careful releases
;
; A bot keeps a repository moving: it edits, tests, pushes to branches of its own, merges and
; publishes. It pushes and publishes nothing that was not tested since its last edit, never by
; force and never to main. It merges what a person has approved. It publishes each version once,
; and nothing on a Friday afternoon or over the holidays. A new major version waits for a
; maintainer.
;
; `date` gives texts such as 2026-12-21, which compare as they sort.

(deftool edit
  :doc "Changes a file of the checkout."
  :params (:path path :text string)
  :required (:path :text)
  :tier :allow :effect :local)
(deftool run-tests
  :doc "Runs the tests. Fails when a test does."
  :tier :allow :effect :local)
(deftool get-pr
  :doc "Shows a pull request, with its reviews."
  :params (:number integer)
  :required (:number)
  :tier :allow :effect :none
  :output (:approved :trusted :author :trusted))
(deftool push
  :doc "Pushes the checkout to a branch."
  :params (:branch string :force boolean)
  :required (:branch)
  :tier :allow :effect :external
  :class :update
  :roles (:branch :object :force :flag))
(deftool merge
  :doc "Merges a pull request."
  :params (:number integer)
  :required (:number)
  :tier :allow :effect :external
  :class :update
  :roles (:number :id))
(deftool publish
  :doc "Publishes a version of the package."
  :params (:version string)
  :required (:version)
  :tier :allow :effect :external
  :class :create
  :roles (:version :object))

(defcondition done? (call tool) "A call that was allowed and has not failed."
  (and (= call.tool tool) (= call.decision "allow") (= call.error "")))

(defskill tested
  :doc "What leaves the checkout was tested after its last edit."
  :trigger (in action.tool ("push" "publish"))
  :gate
  ((deny since-edit
     :when (no-call-since (= it.tool "edit") (done? it "run-tests"))
     :reason "run the tests: there was an edit after they last passed")))

(defskill pushing
  :trigger (= action.tool "push")
  :gate
  ((deny forced
     :when (get action.args.force false)
     :reason "a forced push loses what others did; push without :force")
   (deny branch
     :when (not (starts-with? action.args.branch "bot/"))
     :reason "push to a branch whose name begins with bot/, and open a pull request")))

(defskill merging
  :trigger (= action.tool "merge")
  :gate
  ((deny unreviewed
     :when (none-or-empty (calls "get-pr")
             (and (done? it "get-pr") (= it.args.number action.args.number) it.result.approved))
     :reason "look at the pull request with get-pr; it is merged once a person has approved it")))

(defskill publishing
  :trigger (= action.tool "publish")
  :gate
  ((deny version
     :when (not (semver? action.args.version ">=1.0.0"))
     :reason "a version has the form 1.2.3, from 1.0.0 on")
   (deny again
     :when (some (calls "publish")
             (and (done? it "publish") (= it.args.version action.args.version)))
     :reason "this version is published; a change needs the next one")
   (deny friday
     :when (and (= (weekday now "Europe/Berlin") "friday") (>= (hour now "Europe/Berlin") 12))
     :reason "nothing is published on a Friday afternoon; wait for Monday")
   (deny holidays
     :when (let ((day (date now "Europe/Berlin")))
             (and (>= day "2026-12-21") (<= day "2027-01-03")))
     :reason "nothing is published over the holidays")
   (ask major
     :when (matches? action.args.version "^[0-9]+[.]0[.]0$")
     :reason "a new major version breaks what others built on" :approvers :maintainer)))

(defexample "edited, tested, pushed"
  :session (:calls ((:tool "edit" :args (:path "a.go" :text "b") :result "ok")
                    (:tool "run-tests" :result "ok")))
  :action (:tool "push" :args (:branch "bot/fix"))
  :expect (allow)
  :passed (tested/since-edit pushing/forced pushing/branch))
(defexample "not edited at all"
  :action (:tool "push" :args (:branch "bot/fix"))
  :expect (allow))
(defexample "edited after the tests"
  :session (:calls ((:tool "run-tests" :result "ok")
                    (:tool "edit" :args (:path "a.go" :text "b") :result "ok")))
  :action (:tool "push" :args (:branch "bot/fix"))
  :expect (deny tested/since-edit)
  :reason "run the tests: there was an edit after they last passed")
(defexample "the tests failed"
  :session (:calls ((:tool "edit" :args (:path "a.go" :text "b") :result "ok")
                    (:tool "run-tests" :error "exit status 1")))
  :action (:tool "push" :args (:branch "bot/fix"))
  :expect (deny tested/since-edit))
(defexample "the tests were denied"
  :session (:calls ((:tool "edit" :args (:path "a.go" :text "b") :result "ok")
                    (:tool "run-tests" :decision "deny")))
  :action (:tool "push" :args (:branch "bot/fix"))
  :expect (deny tested/since-edit))
(defexample "a forced push"
  :action (:tool "push" :args (:branch "bot/fix" :force t))
  :expect (deny pushing/forced))
(defexample "to main"
  :action (:tool "push" :args (:branch "main"))
  :expect (deny pushing/branch))
(defexample "to a look-alike"
  :action (:tool "push" :args (:branch "bot"))
  :expect (deny pushing/branch))
(defexample "what a person has approved is merged"
  :session (:calls ((:tool "get-pr"
                     :args (:number 7)
                     :result (:number 7 :author "ann" :approved t))))
  :action (:tool "merge" :args (:number 7))
  :expect (allow)
  :passed (merging/unreviewed))
(defexample "not without a look"
  :action (:tool "merge" :args (:number 7))
  :expect (deny merging/unreviewed))
(defexample "nor without an approval"
  :session (:calls ((:tool "get-pr"
                     :args (:number 7)
                     :result (:number 7 :author "ann" :approved false))))
  :action (:tool "merge" :args (:number 7))
  :expect (deny merging/unreviewed))
(defexample "nor by the approval of another"
  :session (:calls ((:tool "get-pr"
                     :args (:number 8)
                     :result (:number 8 :author "ann" :approved t))))
  :action (:tool "merge" :args (:number 7))
  :expect (deny merging/unreviewed))
(defexample "nor when the look failed"
  :session (:calls ((:tool "get-pr" :args (:number 7) :error "time-out")))
  :action (:tool "merge" :args (:number 7))
  :expect (deny merging/unreviewed))
(defexample "a version on Monday"
  :now 1781517600
  :action (:tool "publish" :args (:version "1.4.0"))
  :expect (allow)
  :passed (publishing/version publishing/again publishing/friday publishing/holidays
                              publishing/major))
(defexample "a version that was not tested"
  :now 1781517600
  :session (:calls ((:tool "edit" :args (:path "a.go" :text "b") :result "ok")))
  :action (:tool "publish" :args (:version "1.4.0"))
  :expect (deny tested/since-edit))
(defexample "a version before the first"
  :now 1781517600
  :action (:tool "publish" :args (:version "0.9.0"))
  :expect (deny publishing/version))
(defexample "a version with a part missing"
  :now 1781517600
  :action (:tool "publish" :args (:version "1.4"))
  :expect (deny publishing/version/error))
(defexample "the same twice"
  :now 1781517600
  :session (:calls ((:tool "publish" :args (:version "1.4.0") :result "ok")))
  :action (:tool "publish" :args (:version "1.4.0"))
  :expect (deny publishing/again))
(defexample "after one that failed, and one before it"
  :now 1781517600
  :session (:calls ((:tool "publish" :args (:version "1.3.9") :result "ok")
                    (:tool "publish"
                     :args (:version "1.4.0")
                     :error "no connection"
                     :happened false)))
  :action (:tool "publish" :args (:version "1.4.0"))
  :expect (allow))
(defexample "a new major version"
  :now 1781517600
  :action (:tool "publish" :args (:version "2.0.0"))
  :expect (ask publishing/major))
(defexample "Friday, before noon"
  :now 1781258399
  :action (:tool "publish" :args (:version "1.4.0"))
  :expect (allow))
(defexample "Friday, at noon"
  :now 1781258400
  :action (:tool "publish" :args (:version "1.4.0"))
  :expect (deny publishing/friday))
(defexample "Sunday before the holidays"
  :now 1797807599
  :action (:tool "publish" :args (:version "1.4.0"))
  :expect (allow))
(defexample "the holidays begin"
  :now 1797807600
  :action (:tool "publish" :args (:version "1.4.0"))
  :expect (deny publishing/holidays))
(defexample "their last second"
  :now 1799017199
  :action (:tool "publish" :args (:version "1.4.0"))
  :expect (deny publishing/holidays))
(defexample "the first one after them"
  :now 1799017200
  :action (:tool "publish" :args (:version "1.4.0"))
  :expect (allow))
