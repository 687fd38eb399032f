(deftool restart :doc "Restarts a service." :params (:service string) :required (:service) :tier :allow :effect :external)
(defskill roles
  :trigger (= action.tool "restart")
  :gate
  ((reject stranger
     :when (none-or-empty session.roles (in it ("operator" "developer")))
     :reason "only operators and developers restart services; ask one of them")
   (ask developer
     :when (none-or-empty session.roles (= it "operator"))
     :reason "an operator has to agree" :approvers :operator)))
(defexample "an operator"
  :session (:roles ("operator")) :action (:tool "restart" :args (:service "shop")) :expect (allow))
(defexample "a developer"
  :session (:roles ("developer")) :action (:tool "restart" :args (:service "shop")) :expect (ask roles/developer))
(defexample "anybody else"
  :session (:roles ("guest")) :action (:tool "restart" :args (:service "shop")) :expect (deny roles/stranger))
