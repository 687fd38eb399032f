(deftool alert_get
  :doc "Fetch an alert with its labels, annotations and comments."
  :params (:alert_id string)
  :required (:alert_id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("alert")
  :roles (:alert_id :id))

(deftool alert_ack
  :doc "Acknowledge an alert so it stops paging."
  :params (:alert_id string :note string)
  :required (:alert_id)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("alert")
  :roles (:alert_id :id :note :content))

(deftool alert_comment
  :params (:alert_id string :text string)
  :required (:alert_id :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("comment")
  :roles (:alert_id :id :text :content))

(deftool runbook_fetch
  :doc "Read a runbook page from the ops wiki. Comments on the page are included at the bottom."
  :params (:slug string)
  :required (:slug)
  :tier :allow :effect :none :output :untrusted
  :nouns ("runbook")
  :roles (:slug :object))

(deftool host_exec
  :doc "Run a shell command on a host as the oncall user (member of sudo). Output is cut at 8 kB."
  :params (:command string :host string :timeout_s integer)
  :required (:command :host)
  :tier :allow
  :class (:run)
  :output :untrusted
  :nouns ("command" "host")
  :roles (:command :code :host :net :timeout_s :amount))

(deftool host_metrics
  :doc "Current disk, memory and load of a host."
  :params (:host string)
  :required (:host)
  :tier :allow :effect :none :output :untrusted
  :nouns ("host" "metrics")
  :roles (:host :object))

(deftool service_restart
  :doc "Restart a systemd unit on a host"
  :params (:host string :unit string)
  :required (:host :unit)
  :tier :allow
  :class (:run)
  :output :untrusted
  :nouns ("service")
  :roles (:host :net :unit :object))

(deftool log_tail
  :doc "Last lines of a unit's journal."
  :params (:host string :lines integer :unit string)
  :required (:host :unit)
  :tier :allow :effect :none :output :untrusted
  :nouns ("log")
  :roles (:host :object :lines :object :unit :object))

(deftool silence_create
  :doc "Mute alerts that match a matcher."
  :params (:hours integer :matcher string :reason string)
  :required (:hours :matcher)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("silence" "alert")
  :roles (:hours :time :matcher :object :reason :content))

(deftool vault_read
  :doc "Read a secret. Every read is audited."
  :params (:path path)
  :required (:path)
  :tier :allow :effect :none :output :untrusted
  :nouns ("vault" "secret")
  :roles (:path :object))

(deftool firewall_allow
  :doc "Add an allow rule at the edge."
  :params (:host string :port integer :source string)
  :required (:host :port :source)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("firewall" "rule")
  :roles (:host :net :port :net :source :net))

(deftool ssh_key_add
  :doc "Authorise a public key for a user on a host."
  :params (:host string :key string :user string)
  :required (:host :key :user)
  :tier :allow
  :class (:create :grant)
  :output :untrusted
  :nouns ("ssh" "key")
  :roles (:host :net :key :principal :user :principal))

(deftool http_get
  :doc "Fetch a URL from the ops bastion."
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("page" "url")
  :roles (:url :net))

(deftool ticket_open
  :doc "Open a ticket with a team."
  :params (:body string :team string :title string)
  :required (:team :title)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("ticket")
  :roles (:body :content :team :principal :title :content))
