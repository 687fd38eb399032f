(deftool send-mail :doc "Sends a mail." :params (:to (list string) :subject string :body string) :required (:to :subject :body)
  :tier :allow :effect :external)
(defskill email
  :trigger (= action.tool "send-mail")
  :gate
  ((reject credentials
     :when (some (secrets action.text) t)
     :reason "the mail holds a credential; leave it out")
   (ask outside
     :when (some action.args.to (not (or (ends-with? (lower it) "@example.com") (ends-with? (lower it) "@example.org"))))
     :reason "somebody outside the company would get this")
   (ask crowd
     :when (> (len action.args.to) 20)
     :reason "more than 20 people would get this")))
(defexample "a colleague" :action (:tool "send-mail" :args (:to ("ben@example.com") :subject "Hi" :body "Lunch?")) :expect (allow))
(defexample "a stranger" :action (:tool "send-mail" :args (:to ("x@other.net") :subject "Hi" :body "Lunch?")) :expect (ask email/outside))
