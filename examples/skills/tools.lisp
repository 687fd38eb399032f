; The tools that the shipped rules know, and what each may do before anybody
; asks. A tool that is not here asks a person. Change tiers to taste: rules in
; other files can only make a decision stricter, or vouch for a call of a tool
; that would ask.

(defaults :unknown-tool :ask)

(deftool shell
  :doc "Run one command line in the workspace, as bash reads it."
  :params (:cmd command :timeout (integer 1 300) :max-output (integer 1 1000000))
  :required (:cmd)
  :tier :ask :effect :external :output :untrusted)

(deftool read-file
  :doc "Read a text file."
  :params (:path path)
  :required (:path)
  :tier :allow :effect :none :idempotent t :output :untrusted)

(deftool list-files
  :doc "List a folder."
  :params (:path path)
  :required (:path)
  :tier :allow :effect :none :idempotent t :output :untrusted)

(deftool write-file
  :doc "Write a text file, whole."
  :params (:path path :content string)
  :required (:path :content)
  :tier :ask :effect :local :idempotent t :output :trusted)

(deftool delete-file
  :doc "Delete a file for good."
  :params (:path path)
  :required (:path)
  :tier :deny :effect :local)

(deftool fetch
  :doc "Read a web page."
  :params (:url url)
  :required (:url)
  :tier :ask :effect :external :idempotent t :output :untrusted)

(deftool send-message
  :doc "Send a message to somebody else than the user."
  :params (:to string :text string)
  :required (:to :text)
  :tier :ask :effect :external)

(deftool pay
  :doc "Send money to an account."
  :params (:account string :amount (number 0 1000000) :subject string)
  :required (:account :amount)
  :tier :ask :effect :external
  :spends (:money :amount))
