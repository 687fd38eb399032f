(deftool query :doc "Asks the database." :params (:statement (sql postgres) :limit (integer 1 10000)) :required (:statement)
  :tier :allow :effect :none)
(defskill query
  :trigger (= action.tool "query")
  :gate
  ((ask writes
     :when (not (matches? action.args.statement "(?is)^\\s*select\\s[^;]*;?\\s*$"))
     :reason "one SELECT is read without asking, and nothing else")
   (reject people
     :when (matches? action.args.statement "(?i)\\b(password|iban|birthday)\\b")
     :reason "columns about people stay in the database; ask for counts instead")
   (rewrite bounded
     :when (> (get action.args.limit 10000) 500)
     :set (:limit 500)
     :reason "500 rows are enough to look at")))
(defexample "one question"
  :action (:tool "query" :args (:statement "select name from shops" :limit 10)) :expect (allow))
(defexample "two statements"
  :action (:tool "query" :args (:statement "select 1; delete from shops" :limit 10)) :expect (ask query/writes))
(defexample "a column about people"
  :action (:tool "query" :args (:statement "select iban from users" :limit 10)) :expect (deny query/people))
