(deftool query :params (:text (sql mysql)) :required (:text) :tier :allow)
(deflist open-tables "orders" "items" "shop.orders" "shop.items")

(defskill analyst
  :trigger (= action.tool "query")
  :gate ((deny writes
           :when (some (sql action.args.text) (not (in it.kind ("select" "explain"))))
           :reason "only SELECT is allowed here")
         (deny tables
           :when (some (sql action.args.text) (some it.tables (not (in it open-tables))))
           :reason "the query names a table that is not open")
         (deny functions
           :when (some (sql action.args.text)
                   (some it.functions (in it ("sleep" "load_file" "benchmark" "get_lock"))))
           :reason "the query calls a function that is not for analysts")))

(defexample "a join"
  :action (:tool "query" :args (:text "SELECT o.id FROM orders o JOIN items i USING (id)"))
  :expect (allow))
(defexample "a table below"
  :action (:tool "query" :args (:text "select id from orders where id in (select id from staff)"))
  :expect (deny analyst/tables))
(defexample "two statements"
  :action (:tool "query" :args (:text "select 1 from orders; delete from orders"))
  :expect (deny analyst/writes))
(defexample "half a query"
  :action (:tool "query" :args (:text "select 1 from"))
  :expect (deny analyst/writes/error))
