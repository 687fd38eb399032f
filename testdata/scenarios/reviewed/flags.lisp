(deftool |getTicket|
  :doc "Fetch a ticket incl. description and comments."
  :params (:key string)
  :required (:key)
  :tier :allow :effect :none :output :untrusted
  :nouns ("ticket")
  :roles (:key :id))

(deftool |addTicketComment|
  :doc "Adds a comment to a ticket."
  :params (:body string :key string)
  :required (:body :key)
  :tier :allow
  :class (:create :comm)
  :output :untrusted
  :nouns ("ticket" "comment")
  :roles (:body :content :key :id))

(deftool |transitionTicket|
  :doc "Move ticket to another status"
  :params (:key string :status string)
  :required (:key :status)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("ticket")
  :roles (:key :id :status :object))

(deftool |listFlags|
  :doc "Returns the flags of an environment."
  :params (:environment (enum "staging" "production") :tag string)
  :required (:environment)
  :tier :allow :effect :none :output :untrusted
  :nouns ("flags")
  :roles (:environment :object :tag :object))

(deftool |getFlag|
  :doc "Returns one flag with its targeting in all environments."
  :params (:flag string)
  :required (:flag)
  :tier :allow :effect :none :output :untrusted
  :nouns ("flag")
  :roles (:flag :object))

(deftool |setRollout|
  :doc "Sets the percentage of users that get variation \"on\"."
  :params (:environment (enum "staging" "production") :flag string :percent integer)
  :required (:environment :flag :percent)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("rollout")
  :roles (:environment :object :flag :id :percent :amount))

(deftool |scheduleRollout|
  :doc "Schedule a percentage change."
  :params (:at string :environment (enum "staging" "production") :flag string :percent integer)
  :required (:at :environment :flag :percent)
  :tier :allow
  :class (:book :update)
  :output :untrusted
  :nouns ("rollout")
  :roles (:at :time :environment :object :flag :id :percent :amount))

(deftool |archiveFlag|
  :doc "Archives a flag. SDKs stop receiving it."
  :params (:comment string :flag string)
  :required (:flag)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("flag")
  :roles (:comment :content :flag :id))

(deftool |getSegment|
  :doc "Show a segment and its members"
  :params (:segment string)
  :required (:segment)
  :tier :allow :effect :none :output :untrusted
  :nouns ("segment")
  :roles (:segment :object))

(deftool |addToSegment|
  :doc "Adds members to a segment."
  :params (:members (list string) :segment string)
  :required (:members :segment)
  :tier :allow
  :class (:create :update)
  :output :untrusted
  :nouns ("segment")
  :roles (:members :principal :segment :id))

(deftool |exportSegment|
  :doc "Mails a segment's members with contact data as CSV."
  :params (:email string :segment string)
  :required (:email :segment)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("segment")
  :roles (:email :principal :segment :object))

(deftool |queryMetric|
  :doc "Query a metric over a window."
  :params (:metric string :window string)
  :required (:metric)
  :tier :allow :effect :none :output :untrusted
  :nouns ("metric")
  :roles (:metric :object :window :time))

(deftool |inviteMember|
  :doc "Invite somebody to the project."
  :params (:email string :role (enum "reader" "writer" "owner"))
  :required (:email :role)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("member")
  :roles (:email :principal :role :permission))

(deftool |createAccessToken|
  :doc "Creates an API access token and returns it once."
  :params (:name string :role (enum "reader" "writer" "owner"))
  :required (:name :role)
  :tier :allow
  :class (:create :grant)
  :output :untrusted
  :nouns ("access" "token")
  :roles (:name :object :role :permission))

(deftool |addWebhook|
  :doc "Adds a webhook, called on each flag change with the full payload."
  :params (:environment string :url string)
  :required (:url)
  :tier :allow
  :class (:create :grant)
  :output :untrusted
  :nouns ("webhook")
  :roles (:environment :object :url :net))

(deftool |fetchUrl|
  :doc "Fetches a URL as text"
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("url")
  :roles (:url :net))
