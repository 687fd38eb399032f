(deftool search
  :params (:query string :limit (integer 1 1000) :fields (list string))
  :required (:query)
  :tier :allow)
(deflist public-fields "name" "city")

(defskill bounds
  :trigger (= action.tool "search")
  :gate ((rewrite few
           :when (> (get action.args.limit 1000) 100)
           :set (:limit 100)
           :reason "at most 100 at a time")
         (rewrite plain :set (:query (lower action.args.query)) :reason "one spelling")
         (rewrite public
           :when (has? action.args.fields)
           :set (:fields (filter action.args.fields (in it public-fields)))
           :reason "other fields are not shown")))

(defexample "all three"
  :action (:tool "search" :args (:query "Ana" :fields ("name" "salary")))
  :expect (allow))
