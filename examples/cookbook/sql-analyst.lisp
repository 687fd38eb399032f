; SQL: read what is open, change what a person agrees to
;
; An analyst's agent asks a MySQL database. It may SELECT from the open tables, 500 rows at a
; time, and reads no columns about people. A change runs through another tool and waits for a
; person; one without a condition never runs.
;
; `sql` reads the whole query, or is an error, which denies: a second statement, a table in a
; subquery, or a comment that the server would run cannot hide. `it.unconditional` is true of an
; UPDATE or DELETE that reads no column. Rules do not see the columns of a query, so that clause
; is a pattern, and errs on the safe side.

(deftool query
  :doc "Reads from the database."
  :params (:text (sql mysql) :limit (integer 1 10000))
  :required (:text)
  :tier :allow :effect :none)
(deftool change
  :doc "Changes rows of the database."
  :params (:text (sql mysql))
  :required (:text)
  :tier :ask :effect :external
  :class :update)
(deflist open-tables "orders" "items" "shops" "users" "shop.orders" "shop.items" "shop.shops"
  "shop.users")
(deflist slow "sleep" "benchmark" "get_lock" "load_file")

(defskill reading
  :trigger (= action.tool "query")
  :gate
  ((deny writes
     :when (some (sql action.args.text) (not (in it.kind ("select" "explain"))))
     :reason "query only reads: write one SELECT, or propose the tool change")
   (deny tables
     :when (some (sql action.args.text) (some it.tables (not (in it open-tables))))
     :reason "open are orders, items, shops and users")
   (deny functions
     :when (some (sql action.args.text) (some it.functions (in it slow)))
     :reason "leave out functions that wait, lock or read files")
   (deny people
     :when (matches? action.args.text
                     "(?i)\\b(password|iban|birthday)|\\bselect\\s[^;]*\\*[^;]*\\busers\\b")
     :reason "columns about people stay in the database; name the columns, and count instead of listing")
   (rewrite bounded
     :when (> (get action.args.limit 10000) 500)
     :set (:limit 500)
     :reason "500 rows are enough to look at")))

(defskill changing
  :trigger (= action.tool "change")
  :gate
  ((deny kind
     :when (some (sql action.args.text) (not (in it.kind ("insert" "update" "delete"))))
     :reason "change takes INSERT, UPDATE and DELETE")
   (deny everything
     :when (some (sql action.args.text) it.unconditional)
     :reason "this would change every row; add a WHERE that says which")))

(defexample "a join"
  :action (:tool "query"
           :args (:text "SELECT o.id FROM orders o JOIN items i USING (id)" :limit 500))
  :expect (allow)
  :args (:text "SELECT o.id FROM orders o JOIN items i USING (id)" :limit 500)
  :passed (reading/writes reading/tables reading/functions reading/people reading/bounded))
(defexample "how it would run"
  :action (:tool "query" :args (:text "explain select id from orders" :limit 10))
  :expect (allow))
(defexample "with its database"
  :action (:tool "query" :args (:text "select id from shop.orders" :limit 10))
  :expect (allow))
(defexample "too many rows"
  :action (:tool "query" :args (:text "select name from shops" :limit 501))
  :expect (allow)
  :args (:text "select name from shops" :limit 500))
(defexample "without a limit"
  :action (:tool "query" :args (:text "select name from shops"))
  :expect (allow)
  :args (:text "select name from shops" :limit 500))
(defexample "two statements"
  :action (:tool "query" :args (:text "select 1; delete from shops"))
  :expect (deny reading/writes)
  :reason "query only reads: write one SELECT, or propose the tool change")
(defexample "a table below"
  :action (:tool "query" :args (:text "select id from orders where id in (select id from staff)"))
  :expect (deny reading/tables))
(defexample "a function that waits"
  :action (:tool "query" :args (:text "select lower(name), sleep(9) from shops"))
  :expect (deny reading/functions))
(defexample "one that locks"
  :action (:tool "query" :args (:text "select get_lock('x', 9) from shops"))
  :expect (deny reading/functions))
(defexample "a column about people"
  :action (:tool "query" :args (:text "select iban from users"))
  :expect (deny reading/people))
(defexample "and all of them"
  :action (:tool "query" :args (:text "select * from users"))
  :expect (deny reading/people))
(defexample "how many people there are"
  :action (:tool "query" :args (:text "select count(id) from users" :limit 1))
  :expect (allow))
(defexample "half a query"
  :action (:tool "query" :args (:text "select 1 from"))
  :expect (deny reading/writes/error))
(defexample "a comment that the server would run"
  :action (:tool "query" :args (:text "select 1 /*! union select password from users */"))
  :expect (deny reading/writes/error))
(defexample "a change waits for a person"
  :action (:tool "change" :args (:text "update orders set state = 'paid' where id = 7"))
  :expect (ask tier/change)
  :passed (changing/kind changing/everything))
(defexample "a new row does"
  :action (:tool "change" :args (:text "insert into shops (name) values ('north')"))
  :expect (ask tier/change))
(defexample "one row goes"
  :action (:tool "change" :args (:text "delete from shops where id = 7"))
  :expect (ask tier/change))
(defexample "every row at once"
  :action (:tool "change" :args (:text "delete from orders where 1 = 1"))
  :expect (deny changing/everything))
(defexample "the table itself"
  :action (:tool "change" :args (:text "drop table orders"))
  :expect (deny changing/kind))
