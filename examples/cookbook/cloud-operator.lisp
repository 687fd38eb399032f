; Operations: roles, a dry run first, released versions, known networks
;
; An agent runs services in a cloud. Who set the task counts: guests may look, developers deploy
; to staging, and production needs an operator who is not the one who asks. The first deploy of a
; version is a dry run, only released versions reach production, ports open to the company's
; networks alone, and a volume with data is not deleted at all.
;
; The embedding program sets `session.roles`; a model cannot. `semver?` and `cidr-in?` take whole
; versions and addresses alone: `latest` and a host name are errors, and so denied.

(deftool list-services
  :doc "Lists the services, with versions and replicas."
  :tier :allow :effect :none)
(deftool deploy
  :doc "Deploys a version of a service."
  :params (:service string :version string :env (enum "staging" "production") :dry-run boolean)
  :required (:service :version :env)
  :tier :allow :effect :external
  :class :update
  :roles (:service :id :version :object :env :object :dry-run :flag))
(deftool scale
  :doc "Sets how many replicas of a service run."
  :params (:service string :replicas (integer 0 100))
  :required (:service :replicas)
  :tier :allow :effect :external :idempotent t
  :class :update
  :roles (:service :id :replicas :amount))
(deftool open-port
  :doc "Lets an address reach a port of a service."
  :params (:service string :port (integer 1 65535) :from host)
  :required (:service :port :from)
  :tier :ask :effect :external
  :class :grant
  :roles (:service :id :port :object :from :net))
(deftool delete-volume
  :doc "Deletes a volume and its data."
  :params (:id string)
  :required (:id)
  :tier :deny :effect :external
  :class :delete
  :roles (:id :id))
(deflist company-networks "10.0.0.0/8" "203.0.113.0/24")

(defcondition role? (name) "Whether the session has a role."
  (some session.roles (= it name)))
(defcondition same? (call args) "An allowed deploy of the same version to the same place."
  (and (= call.decision "allow") (= call.args.service args.service)
       (= call.args.version args.version)
       (= call.args.env args.env)))

(defskill who
  :priority 10
  :trigger (in action.tool ("deploy" "scale" "open-port"))
  :gate
  ((deny guest
     :when (not (or (role? "operator") (role? "developer")))
     :reason "only operators and developers change services; ask one of them")))

(defskill deploying
  :trigger (= action.tool "deploy")
  :gate
  ((rewrite first-dry
     :when (none-or-empty (calls "deploy") (same? it action.args))
     :set (:dry-run t)
     :reason "the first deploy of a version is a dry run; look at its result, then deploy again")
   (deny unreleased
     :when (and (= action.args.env "production")
                (or (not (semver? action.args.version ">=1.0.0"))
                    (contains? action.args.version "-")))
     :reason "only released versions go to production: 1.0.0 or later, without a suffix")
   (ask production
     :when (and (= action.args.env "production") (not (get action.args.dry-run false)))
     :reason "this changes what customers see" :approvers :operator :not-user t)))

(defskill scaling
  :trigger (= action.tool "scale")
  :gate
  ((deny off
     :when (= action.args.replicas 0)
     :reason "a service keeps at least one replica"
     :hint t)
   (ask many :when (> action.args.replicas 20) :reason "more than 20 replicas cost real money")))

(defskill ports
  :trigger (= action.tool "open-port")
  :gate
  ((deny world
     :when (not (cidr-in? action.args.from company-networks))
     :reason "ports open to the company's networks alone")
   (deny shells
     :when (in action.args.port (22 3389))
     :reason "remote shells go through the bastion")
   (allow inside
     :when (and (role? "operator") (cidr-in? action.args.from ("10.0.0.0/8")))
     :reason "an operator opens a port to the inner network")))

(defexample "a first deploy is a dry run"
  :session (:roles ("developer"))
  :action (:tool "deploy" :args (:service "shop" :version "1.4.0-rc.1" :env "staging"))
  :expect (allow)
  :args (:service "shop" :version "1.4.0-rc.1" :env "staging" :dry-run t)
  :passed (who/guest deploying/unreleased deploying/production))
(defexample "the second is not"
  :session (:roles ("developer")
            :calls ((:tool "deploy"
                     :args (:service "shop" :version "1.4.0-rc.1" :env "staging" :dry-run t)
                     :result "ok")))
  :action (:tool "deploy" :args (:service "shop" :version "1.4.0-rc.1" :env "staging"))
  :expect (allow)
  :args (:service "shop" :version "1.4.0-rc.1" :env "staging")
  :passed (deploying/first-dry))
(defexample "in production, too"
  :session (:roles ("operator"))
  :action (:tool "deploy" :args (:service "shop" :version "1.4.0" :env "production"))
  :expect (allow)
  :args (:service "shop" :version "1.4.0" :env "production" :dry-run t))
(defexample "then a person says yes"
  :session (:roles ("operator")
            :calls ((:tool "deploy"
                     :args (:service "shop" :version "1.4.0" :env "production" :dry-run t)
                     :result "ok")))
  :action (:tool "deploy" :args (:service "shop" :version "1.4.0" :env "production"))
  :expect (ask deploying/production))
(defexample "a dry run again needs none"
  :session (:roles ("operator")
            :calls ((:tool "deploy"
                     :args (:service "shop" :version "1.4.0" :env "production" :dry-run t)
                     :result "ok")))
  :action (:tool "deploy" :args (:service "shop" :version "1.4.0" :env "production" :dry-run t))
  :expect (allow))
(defexample "a dry run of another version proves nothing"
  :session (:roles ("operator")
            :calls ((:tool "deploy"
                     :args (:service "shop" :version "1.3.9" :env "production" :dry-run t)
                     :result "ok")
                    (:tool "deploy"
                     :args (:service "mail" :version "1.4.0" :env "production" :dry-run t)
                     :result "ok")
                    (:tool "deploy"
                     :args (:service "shop" :version "1.4.0" :env "staging" :dry-run t)
                     :result "ok")
                    (:tool "deploy"
                     :args (:service "shop" :version "1.4.0" :env "production")
                     :decision "deny")))
  :action (:tool "deploy" :args (:service "shop" :version "1.4.0" :env "production"))
  :expect (allow)
  :args (:service "shop" :version "1.4.0" :env "production" :dry-run t))
(defexample "the first version"
  :session (:roles ("operator"))
  :action (:tool "deploy" :args (:service "shop" :version "1.0.0" :env "production"))
  :expect (allow))
(defexample "a version before the first"
  :session (:roles ("operator"))
  :action (:tool "deploy" :args (:service "shop" :version "0.9.0" :env "production"))
  :expect (deny deploying/unreleased))
(defexample "a candidate"
  :session (:roles ("operator"))
  :action (:tool "deploy" :args (:service "shop" :version "1.4.0-rc.1" :env "production"))
  :expect (deny deploying/unreleased))
(defexample "the latest is not a version"
  :session (:roles ("operator"))
  :action (:tool "deploy" :args (:service "shop" :version "latest" :env "production"))
  :expect (deny deploying/unreleased/error))
(defexample "a guest"
  :session (:roles ("guest"))
  :action (:tool "scale" :args (:service "shop" :replicas 3))
  :expect (deny who/guest))
(defexample "twenty replicas"
  :session (:roles ("on-call" "developer"))
  :action (:tool "scale" :args (:service "shop" :replicas 20))
  :expect (allow)
  :passed (scaling/off scaling/many))
(defexample "one is enough"
  :session (:roles ("developer"))
  :action (:tool "scale" :args (:service "shop" :replicas 1))
  :expect (allow))
(defexample "many"
  :session (:roles ("developer"))
  :action (:tool "scale" :args (:service "shop" :replicas 21))
  :expect (ask scaling/many))
(defexample "none"
  :session (:roles ("operator"))
  :action (:tool "scale" :args (:service "shop" :replicas 0))
  :expect (deny scaling/off)
  :hint (:at ("replicas") :set 1))
(defexample "a port to the inner network"
  :session (:roles ("operator"))
  :action (:tool "open-port" :args (:service "shop" :port 443 :from "10.1.2.3"))
  :expect (allow ports/inside)
  :passed (ports/world ports/shells))
(defexample "by a developer"
  :session (:roles ("developer"))
  :action (:tool "open-port" :args (:service "shop" :port 443 :from "10.1.2.3"))
  :expect (ask tier/open-port))
(defexample "to the office"
  :session (:roles ("operator"))
  :action (:tool "open-port" :args (:service "shop" :port 443 :from "203.0.113.9"))
  :expect (ask tier/open-port))
(defexample "to the world"
  :session (:roles ("operator"))
  :action (:tool "open-port" :args (:service "shop" :port 443 :from "198.51.100.9"))
  :expect (deny ports/world))
(defexample "to a name that may lead anywhere"
  :session (:roles ("operator"))
  :action (:tool "open-port" :args (:service "shop" :port 443 :from "example.com"))
  :expect (deny ports/world/error))
(defexample "a remote shell"
  :session (:roles ("operator"))
  :action (:tool "open-port" :args (:service "shop" :port 22 :from "10.1.2.3"))
  :expect (deny ports/shells))
(defexample "a remote desktop"
  :session (:roles ("operator"))
  :action (:tool "open-port" :args (:service "shop" :port 3389 :from "10.1.2.3"))
  :expect (deny ports/shells))
(defexample "data is not deleted"
  :session (:roles ("operator"))
  :action (:tool "delete-volume" :args (:id "vol-1"))
  :expect (deny tier/delete-volume))
