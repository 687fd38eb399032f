; The capability of the design, as people write it.
(defcapability deploy.appservice
  :version "1.3.0" :owner "team-platform" :scope :project :roles ("ReleaseManager")
  :doc "Deploys an image to an app service and sees that it is healthy."
  :compat (:env ("staging") :toolset "v6" :repo "github.com/acme/payments")
  :inputs (:app (string :from facts.ctx.app) :image string) :required (:app :image)
  :outputs (:endpoint url)
  :needs (:tools ("shell") :when ((= facts.ctx.subscription facts.env.subscription)))
  :offer (:goals ("deploy") :keywords ("deploy" "release") :weights (:goal 3.0 :keyword 1.0 :recent 1.5)
          :tau 3.5 :cooldown 30 :at-once 3)
  :once (:key ("deploy" :app :image) :within 86400)
  :budget (:usd 0.10 :ms 5000)
  :plan
  ((was :tool "shell" :args (:cmd "az webapp show -n {{app}} --query image -o tsv") :ms 1000
        :out (:previous text) :undo "only reads")
   (set-image :tool "shell" :args (:cmd "az webapp config container set -n {{app}} -i {{image}}") :ms 1500
              :undo (:tool "shell" :args (:cmd "az webapp config container set -n {{app}} -i {{work.previous}}")))
   (restart :tool "shell" :args (:cmd "az webapp restart -n {{app}}") :ms 1000
            :undo "a restart changes nothing that lasts")
   (healthy :tool "shell" :args (:cmd "curl -sSf https://{{app}}.example.net/healthz") :ms 1000
            :retries 2 :idempotent t :undo "only reads"))
  :result (:endpoint "https://{{app}}.example.net")
  :gate ((deny frozen :when (= facts.policy.freeze t) :reason "no deployments during a freeze"))
  :tests ((basic :inputs (:app "pay" :image "acr.io/pay:2")
                 :facts (:ctx (:subscription "s1") :env (:subscription "s1"))
                 :stubs (:was (:text "acr.io/pay:1"))
                 :expect (:status :ok :outputs (:endpoint "https://pay.example.net")
                          :steps ("was" "set-image" "restart" "healthy"))))
  :fuzz (:count 50 :mutations ("alt_image" "missing_slot"))
  :rates (:unit 0.95 :fuzz 0.85))
