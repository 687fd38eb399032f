(defcapability deploy.container.appservice
  :version "1.3.0" :owner "team-platform"
  :provenance (:traces ("trace_2025-08-10T12:30Z") :support 0.041 :success 0.98
               :delta-cost -0.42 :delta-p95 -0.3)
  :roles ("ReleaseManager")
  :compat (:repo "github.com/acme/payments" :toolset "v6" :env ("staging"))
  :inputs (:app_name (string :from facts.ctx.appservice)
           :image_tag (string :from facts.work.image_tag)
           :prev_image_tag (string :from facts.work.prev_image_tag))
  :required (:image_tag :app_name)
  :outputs (:endpoint (url :to work.endpoint)) ; its own name, which needs no :to
  :needs (:tools ("term.exec" "tests.run")
          :when ((= facts.env.subscription facts.ctx.subscription)
                 (= facts.policy.deploy_window "open")))
  :plan
  ((step-1 :tool "term.exec" :ms 1500
           :args (:cmd "az webapp config container set --name {{app_name}} --image {{image_tag}}")
           :undo (:tool "term.exec"
                  :args (:cmd "az webapp config container set --name {{app_name}} --image {{prev_image_tag}}")))
   (step-2 :tool "term.exec" :args (:cmd "az webapp restart --name {{app_name}}") :ms 1000
           :undo "the undo of step-1 makes up for it")
   (step-3 :tool "term.exec" :args (:cmd "curl -sSf https://{{app_name}}.azurewebsites.net/healthz")
           :ms 1000 :undo "the undo of step-1 makes up for it"))
  :result (:endpoint "https://{{app_name}}.azurewebsites.net")
  :once (:key ("deploy:appservice:" :app_name ":" :image_tag))
  :budget (:ms 5000 :usd 0.1)
  :offer (:goals ("deploy" "appservice") :keywords ("deploy" "release" "push image")
          :weights (:goal 3 :keyword 1 :recent 1.5) :tau 3.5 :cooldown 30 :at-once 3)
  :parsers (:app_name (:model "gpt-4o-2025-04" :prompt "prompts/app_name_extract.v1"))
  :gate ((deny deny-if-1 :when (= facts.policy.risk "high")
               :reason "deploy.container.appservice is denied where policy.risk == 'high'"))
  :tests ("tests/deploy_basic.json")
  :fuzz (:count 50 :mutations ("alt_image_tag" "missing_slot"))
  :rates (:unit 0.95 :fuzz 0.85))
