(defaults :unknown-tool :deny)
(include "included/orders.lisp")
(lexicon :english "included/german.words")

(deftool export
  :doc "Copies an order to another place."
  :params (:order string :all boolean :rows (integer 1 1000) :scale number :tags (list string)
           :format (enum "csv" "json") :then (nullable command) :source url :query (sql mysql)
           :place (object (:host host :folder path) :required (:host)) :extra any :key string)
  :required (:order)
  :secret (:key)
  :tier :ask :effect :local :idempotent t
  :class :create :nouns ("order") :roles (:order :id))

(defskill exports
  :priority 5
  :mandatory t
  :prompt "You help at the order desk."
  :augment "Exports hold at most 1000 rows."
  :trigger (= action.tool "export")
  :gate ((allow asked :when (> (fit) 0.5) :reason "the user asked for an export")
         (ask everything
           :when (get action.args.all false)
           :approvers :operator :quorum 2
           :reason "all orders at once")))
(definvariant whole
  :doc "An export rests on all that the user said."
  :when (= action.tool "export")
  :holds (or session.whole (has? action.args.key))
  :reason "part of the conversation is missing")
(defmodels desk
  :doc "One model is enough."
  :priority 1
  :when (contains? signal.text "order")
  :use ("small"))

(defexample "what an example may say"
  :action (:tool "export" :args (:order "A1" :key "k-1"))
  :session (:id "s1"
            :system "You help at the order desk."
            :covers ((:tool "export" :sources (1 4) :left 2 :until 1781518000 :principal "ana"))
            :principal "ana" :roles ("clerk")
            :user "Look A1 up."
            :attached ((:name "ticket.txt" :text "Customer 17 wants a copy."))
            :whole nil
            :calls ((:tool "look_up_order"
                     :args (:order "A1")
                     :result (:state "paid")
                     :at 1781517000 :cut t)
                    (:tool "look_up_order"
                     :args (:order "A2")
                     :error "timeout"
                     :decision "allow"
                     :happened nil)
                    (:source "Exports are made on Mondays." :name "README.md")
                    (:reply "Shall I export order A1?")
                    (:user "Export the order A1, please."
                     :attached ((:name "list.txt" :text "A1")))))
  :facts (:ctx (:shift "day") :env (:cwd "/work") :work (:ticket "T-17") :policy (:freeze nil))
  :signal (:sensor "chat"
           :source "web"
           :session "s1"
           :text "Export order A1."
           :from "ana@example.com")
  :now 1781517600
  :links (("/work/notes.txt" "/etc/passwd"))
  :plugins ((:name "scaler" :priority 10 :answer :rewrite :clause "scale" :set (:scale 2))
            (:name "second" :answer :ask :approvers "operator" :quorum 2))
  :expect (ask second/main)
  :args (:order "A1" :key "k-1" :scale 2)
  :reason "the example says so"
  :passed (exports/everything))
