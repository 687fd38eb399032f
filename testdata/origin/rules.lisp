; One clause for each question, so that the keys of the reasons say how each was answered.
(defaults :unknown-tool :ask)
(deftool read_mail :doc "Read the newest mails." :params (:folder string) :effect :none :tier :allow
  :output (:from :trusted :date :trusted))
(deftool read_file :doc "Read a file." :params (:path path) :effect :none :tier :allow)
(deftool search_contacts :doc "Search the contacts." :params (:query string) :effect :none :tier :allow :output :trusted)
(deftool add_contact :doc "Add a contact." :params (:name string :email string) :effect :local :tier :allow
  :class :create :roles (:name :object :email :content))
(deftool get_image :doc "Get a picture." :params (:name string) :effect :none :tier :allow)
(deftool fetch_page :doc "Fetch a web page." :params (:url url) :effect :none :tier :allow)
(deftool send_mail :doc "Send a mail." :params (:to string :body string) :required (:to) :tier :allow
  :effect :external :class :comm :nouns ("mail") :roles (:to :principal :body :content))
(deftool send_money :doc "Send money." :params (:recipient string :amount number) :tier :allow :effect :external
  :class :pay :nouns ("money") :roles (:recipient :principal :amount :amount))
(deftool delete_file :doc "Delete a file." :params (:path path) :tier :allow :effect :local
  :class :delete :nouns ("file") :roles (:path :id))

(defskill q
  :trigger (in action.tool ("send_mail" "send_money" "delete_file"))
  :gate
  ((ask user :when (= (origin (get action.args.to (get action.args.recipient (get action.args.path "")))) :user))
   (ask said :when (said? (get action.args.to (get action.args.recipient (get action.args.path "")))))
   (ask named :when (named? (get action.args.to (get action.args.recipient (get action.args.path "")))))
   (ask meant :when (meant? (get action.args.to (get action.args.recipient (get action.args.path "")))))
   (ask trusted :when (trusted? (get action.args.to (get action.args.recipient (get action.args.path "")))))
   (ask pointed :when (pointed? (get action.args.to (get action.args.recipient (get action.args.path "")))))
   (ask delegated :when (delegated? (get action.args.to (get action.args.recipient (get action.args.path "")))))
   (ask fits :when (>= (fit) 2))
   (ask commanded :when (>= (commanded :any) 1))
   (ask read :when (read-untrusted?))
   (ask whole :when session.whole)))
