(deftool read_record :params (:customer string) :required (:customer) :tier :allow :effect :none)
(deftool ask_user :params (:question string) :required (:question) :tier :allow)
(deftool send_email :params (:to string :body string) :required (:to :body) :tier :allow)
(deftool edit :params (:path path :text string) :required (:path :text) :tier :allow :effect :local)
(deftool run_tests :tier :allow :effect :local)
(deftool deploy :tier :allow)

(defcondition done? (call tool) "A call that was allowed and has not failed."
  (and (= call.tool tool) (= call.decision "allow") (= call.error "")))

(defskill order
  :gate ((deny ask-first
           :when (and (= action.tool "send_email")
                      (no-call-since (done? it "read_record") (done? it "ask_user")))
           :reason "you have read a record since you last asked the user: ask whether this mail may go out")
         (deny untested
           :when (and (= action.tool "deploy")
                      (no-call-since (= it.tool "edit") (done? it "run_tests")))
           :reason "run the tests: there was an edit after they last ran")))

(defexample "nothing was read"
  :action (:tool "send_email" :args (:to "a@x.org" :body "hi"))
  :expect (allow))
(defexample "read, and not asked" :action (:tool "send_email" :args (:to "a@x.org" :body "hi"))
  :session (:calls ((:tool "ask_user" :args (:question "?"))
                    (:tool "read_record" :args (:customer "ana"))))
  :expect (deny order/ask-first))
(defexample "read, then asked" :action (:tool "send_email" :args (:to "a@x.org" :body "hi"))
  :session (:calls ((:tool "read_record" :args (:customer "ana"))
                    (:tool "ask_user" :args (:question "?"))))
  :expect (allow))
(defexample "the tests have failed" :action (:tool "deploy")
  :session (:calls ((:tool "edit" :args (:path "a" :text "b"))
                    (:tool "run_tests" :error "exit status 1")))
  :expect (deny order/untested))
