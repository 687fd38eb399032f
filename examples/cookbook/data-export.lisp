; Exports: public fields, few rows, no names in the note
;
; A desk hands data to partners. An export holds only fields that are on the list, and at most
; 1000 rows; the rules take the rest out instead of denying, and say so. It goes to partners
; alone. The note beside it carries neither addresses of people nor credentials. Health data needs
; two people from privacy, and a requester gets 5000 rows a day.
;
; Rewrites see each other's results and are judged again until nothing changes, so each must leave
; alone what it has done. The gates that deny and ask see what is left: an export of names alone
; is empty.

(deftool export
  :doc "Sends rows of a table to an address. :note goes along."
  :params (:table (enum "visits" "sales" "health")
           :fields (list string)
           :rows (integer 1 100000)
           :to string :note string)
  :required (:table :fields :rows :to)
  :tier :allow :effect :external
  :class :comm
  :nouns ("export" "data" "table")
  :roles (:table :object :fields :object :rows :amount :to :principal :note :content)
  :spends (:rows :rows))
(deflist public-fields "region" "month" "count" "total" "category")
(deflist partners "example.com" "example.org")
(defcondition partner? (address) "One address, and one of a partner."
  (and (matches? address "^[^@,;<>\\s]+@[^@,;<>\\s]+$")
       (domain-in? (replace (lower address) "^.*@" "") partners)))

(defskill narrowing
  :doc "What is taken out, before anything is judged."
  :priority 10
  :trigger (= action.tool "export")
  :gate
  ((rewrite fields
     :when (some action.args.fields (not (in it public-fields)))
     :set (:fields (filter action.args.fields (in it public-fields)))
     :reason "fields that tell people apart are left out")
   (rewrite rows
     :when (> action.args.rows 1000)
     :set (:rows (min action.args.rows 1000))
     :reason "at most 1000 rows at a time")
   (rewrite addresses
     :when (matches? (get action.args.note "") "[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+")
     :set (:note (replace action.args.note "[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+" "[address]"))
     :reason "addresses of people stay out of the note")
   (rewrite credentials
     :when (some (secrets (get action.args.note "")) t)
     :set (:note (redact action.args.note))
     :reason "credentials stay out of the note")))

(defskill handing-out
  :trigger (= action.tool "export")
  :gate
  ((deny empty
     :when (= (len action.args.fields) 0)
     :reason "no field is left; ask for region, month, count, total or category")
   (deny stranger
     :when (not (partner? action.args.to))
     :reason "data goes to partners alone")
   (ask chosen
     :when (not (trusted? action.args.to))
     :reason "the user did not name this address")
   (ask health
     :when (= action.args.table "health")
     :reason "health data needs two people from privacy"
     :approvers :privacy :quorum 2 :not-user t)))

(definvariant rows-a-day
  :when (= action.tool "export")
  :holds (<= (+ action.args.rows (spent :rows :day)) 5000)
  :reason "at most 5000 rows a day for one requester")

(defexample "what a partner may see"
  :session (:user "Send sales to bi@example.com.")
  :action (:tool "export"
           :args (:table "sales" :fields ("region" "total") :rows 1000 :to "bi@example.com"))
  :expect (allow)
  :args (:table "sales" :fields ("region" "total") :rows 1000 :to "bi@example.com")
  :passed (narrowing/fields narrowing/rows narrowing/addresses narrowing/credentials
                            handing-out/empty
                            handing-out/stranger handing-out/chosen handing-out/health
                            invariant/rows-a-day))
(defexample "names are left out"
  :session (:user "Send sales to bi@example.com.")
  :action (:tool "export"
           :args (:table "sales" :fields ("region" "name" "total") :rows 10 :to "bi@example.com"))
  :expect (allow)
  :args (:table "sales" :fields ("region" "total") :rows 10 :to "bi@example.com"))
(defexample "nothing but names"
  :session (:user "Send sales to bi@example.com.")
  :action (:tool "export" :args (:table "sales" :fields ("name") :rows 10 :to "bi@example.com"))
  :expect (deny handing-out/empty))
(defexample "one field is enough, and the other partner"
  :session (:user "Send sales to bi@example.org.")
  :action (:tool "export" :args (:table "sales" :fields ("month") :rows 10 :to "bi@example.org"))
  :expect (allow))
(defexample "too many rows"
  :session (:user "Send sales to bi@example.com.")
  :action (:tool "export" :args (:table "sales" :fields ("region") :rows 1001 :to "bi@example.com"))
  :expect (allow)
  :args (:table "sales" :fields ("region") :rows 1000 :to "bi@example.com"))
(defexample "a note with a person in it"
  :session (:user "Send sales to bi@example.com.")
  :action (:tool "export"
           :args (:table "sales"
                  :fields ("region")
                  :rows 10
                  :to "bi@example.com"
                  :note "ask ann.b+x@mail.example.net"))
  :expect (allow)
  :args (:table "sales" :fields ("region") :rows 10 :to "bi@example.com" :note "ask [address]"))
(defexample "a note with a token in it"
  :session (:user "Send sales to bi@example.com.")
  :action (:tool "export"
           :args (:table "sales" :fields ("region") :rows 10 :to "bi@example.com"
                  :note "use ghp_16C7e42F292c6912E7710c838347Ae178B4a"))
  :expect (allow)
  :args (:table "sales"
         :fields ("region")
         :rows 10
         :to "bi@example.com"
         :note "use [github-token]"))
(defexample "a plain note"
  :session (:user "Send sales to bi@example.com.")
  :action (:tool "export"
           :args (:table "sales"
                  :fields ("region")
                  :rows 10
                  :to "bi@example.com"
                  :note "as agreed"))
  :expect (allow)
  :args (:table "sales" :fields ("region") :rows 10 :to "bi@example.com" :note "as agreed"))
(defexample "another domain"
  :session (:user "Send sales to bi@example.net.")
  :action (:tool "export" :args (:table "sales" :fields ("region") :rows 10 :to "bi@example.net"))
  :expect (deny handing-out/stranger))
(defexample "a second address behind the first"
  :session (:user "Send sales to bi@example.net,bi@example.com.")
  :action (:tool "export"
           :args (:table "sales" :fields ("region") :rows 10 :to "bi@example.net,bi@example.com"))
  :expect (deny handing-out/stranger))
(defexample "a partner whom the agent chose"
  :session (:user "Send sales to our partner.")
  :action (:tool "export" :args (:table "sales" :fields ("region") :rows 10 :to "bi@example.com"))
  :expect (ask handing-out/chosen))
(defexample "health data"
  :session (:user "Send health data to bi@example.com.")
  :action (:tool "export" :args (:table "health" :fields ("region") :rows 10 :to "bi@example.com"))
  :expect (ask handing-out/health))
(defexample "5000 rows on one day"
  :session (:user "Send visits to bi@example.com."
            :calls ((:tool "export"
                     :args (:table "sales" :fields ("region") :rows 4000 :to "bi@example.com")
                     :result "ok")))
  :action (:tool "export"
           :args (:table "visits" :fields ("region") :rows 1000 :to "bi@example.com"))
  :expect (allow))
(defexample "and not one more"
  :session (:user "Send visits to bi@example.com."
            :calls ((:tool "export"
                     :args (:table "sales" :fields ("region") :rows 4001 :to "bi@example.com")
                     :result "ok")))
  :action (:tool "export"
           :args (:table "visits" :fields ("region") :rows 1000 :to "bi@example.com"))
  :expect (deny invariant/rows-a-day))
