(deftool deploy :doc "Deploys a service." :params (:service string :env (enum "staging" "production") :dry-run boolean)
  :required (:service :env) :tier :allow :effect :external)
(defskill dry-run
  :trigger (= action.tool "deploy")
  :gate
  ((rewrite first-dry
     :when (none-or-empty (calls "deploy") (and (= it.args.service action.args.service) (= it.decision "allow")))
     :set (:dry-run t)
     :reason "the first deploy of a service in a conversation is a dry run")
   (ask production
     :when (and (= action.args.env "production") (not (get action.args.dry-run false)))
     :reason "this changes what customers see" :approvers :operator :not-user t)))
(defexample "the first is made a dry run"
  :action (:tool "deploy" :args (:service "shop" :env "production")) :expect (allow))
(defexample "then a person says yes"
  :session (:calls ((:tool "deploy" :args (:service "shop" :env "production" :dry-run t) :decision "allow")))
  :action (:tool "deploy" :args (:service "shop" :env "production")) :expect (ask dry-run/production))
