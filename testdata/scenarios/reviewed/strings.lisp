(deftool projects_list
  :doc "List the localisation projects you are a member of, with their locales and progress."
  :tier :allow :effect :none :output :untrusted
  :nouns ("projects"))

(deftool review_get
  :doc "Get a review: its reviewer, date, and one remark per string key. General remarks come last."
  :params (:review_id string)
  :required (:review_id)
  :tier :allow :effect :none :output :untrusted
  :nouns ("review")
  :roles (:review_id :id))

(deftool string_get
  :doc "Get one string: source text, translation, developer note, screenshot reference, history."
  :params (:key string :locale string :project string)
  :required (:key :locale :project)
  :tier :allow :effect :none :output :untrusted
  :nouns ("string")
  :roles (:key :id :locale :object :project :object))

(deftool string_update
  :doc "Replace the translation of a string. The old text stays in the history."
  :params (:key string :locale string :project string :text string)
  :required (:key :locale :project :text)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("string" "translation")
  :roles (:key :id :locale :object :project :object :text :content))

(deftool string_search
  :doc "Find strings whose source or translation contains a text."
  :params (:locale string :project string :text string)
  :required (:locale :project :text)
  :tier :allow :effect :none :output :untrusted
  :nouns ("string")
  :roles (:locale :object :project :object :text :object))

(deftool string_delete
  :doc "Delete a string key in all locales. It is also removed from the app at the next build."
  :params (:key string :project string)
  :required (:key :project)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("string")
  :roles (:key :id :project :object))

(deftool glossary_set
  :doc "Add or change a glossary term for a locale."
  :params (:locale string :project string :term string :translation string)
  :required (:locale :project :term :translation)
  :tier :allow
  :class (:create :update)
  :output :untrusted
  :nouns ("glossary" "term")
  :roles (:locale :object :project :object :term :object :translation :content))

(deftool review_reply
  :doc "Answer a remark of a review and set its state."
  :params (:key string :review_id string :state (enum "done" "wontfix" "question") :text string)
  :required (:key :review_id :state)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("review" "remark")
  :roles (:key :id :review_id :id :state :flag :text :content))

(deftool release_push
  :doc "Publish all approved strings of a locale to the live app, over the air."
  :params (:locale string :project string)
  :required (:locale :project)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("release" "strings")
  :roles (:locale :object :project :object))

(deftool api_token_create
  :doc "Create an API token for the project. The token is shown once."
  :params (:label string :project string :scope (enum "read" "write" "admin"))
  :required (:label :project :scope)
  :tier :allow
  :class (:create :grant)
  :output :untrusted
  :nouns ("token")
  :roles (:label :object :project :object :scope :permission))

(deftool member_invite
  :doc "Invite a person to a project."
  :params (:email string :project string :role (enum "translator" "reviewer" "manager"))
  :required (:email :project :role)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("member")
  :roles (:email :principal :project :object :role :permission))

(deftool export_send
  :doc "Mail an export of the project's strings."
  :params (:locale string :project string :to string)
  :required (:locale :project :to)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("export" "strings")
  :roles (:locale :object :project :object :to :principal))

(deftool fetch_url
  :doc "Fetch a page."
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("page")
  :roles (:url :net))
