(deftool fetch :doc "Fetches a page." :params (:url url) :required (:url) :tier :allow :effect :none)
(deflist known-hosts "example.com" "go.dev" "wikipedia.org")
(deflist inside "10.0.0.0/8" "127.0.0.0/8" "169.254.0.0/16" "172.16.0.0/12" "192.168.0.0/16")
(defskill known-hosts-only
  :trigger (= action.tool "fetch")
  :gate
  ((reject inside
     :when (let ((h (host action.args.url)))
             (or (= h "localhost") (and (matches? h "^[0-9.]+$") (cidr-in? h inside))))
     :reason "addresses inside the network are not for you")
   (ask unknown
     :when (not (domain-in? (host action.args.url) known-hosts))
     :reason "a host that is not on the list")))
(defexample "a known host" :action (:tool "fetch" :args (:url "https://pkg.go.dev/fmt")) :expect (allow))
(defexample "the cloud's own address"
  :action (:tool "fetch" :args (:url "http://169.254.169.254/latest")) :expect (deny known-hosts-only/inside))
(defexample "any other" :action (:tool "fetch" :args (:url "https://evil.net/")) :expect (ask known-hosts-only/unknown))
