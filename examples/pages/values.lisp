(deftool upload
  :params (:file path :to url)
  :required (:file :to)
  :tier :allow
  :class :create :nouns ("report") :roles (:file :object :to :net)
  :spends (:uploads 1))
(deftool read_page :params (:page url) :required (:page) :tier :allow :effect :none)
(deflist open-hosts "example.com" "example.org")
