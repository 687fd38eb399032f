(deftool send_email :params (:to string :cc string :body string) :required (:to :body) :tier :allow)
(deflist own-domains "@example.com" "@example.org")
(defcondition outside? (address) "An address that is not ours."
  (none own-domains (ends-with? (lower address) it)))
(defcondition mail () (= action.tool "send_email"))

(defskill post
  :trigger (mail)
  :gate ((ask stranger :when (outside? action.args.to) :reason "goes to a stranger")
         (deny hidden
           :when "has(action.args.cc) and outside(action.args.cc)"
           :reason "a stranger would read along")))

(defexample "ours"
  :action (:tool "send_email" :args (:to "Ana@Example.com" :body "hi"))
  :expect (allow))
(defexample "theirs"
  :action (:tool "send_email" :args (:to "eve@evil.net" :body "hi"))
  :expect (ask post/stranger))
(defexample "copied"
  :action (:tool "send_email" :args (:to "ana@example.com" :cc "eve@evil.net" :body "hi"))
  :expect (deny post/hidden))
