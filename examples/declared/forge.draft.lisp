; GET /notifications/unsubscribe, at api.forge.example
; guessed: an effect, from the verb "unsubscribe", though the method is GET
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted: the schema does not say who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool notifications_unsubscribe
  :doc "The link at the foot of a mail"
  :params (:token string)
  :required (:token)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("notifications")
  :roles (:token :secret))

; GET /orgs/{org}/repos, at api.forge.example
; guessed: a read: the method is GET
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted: the schema does not say who wrote it
(deftool repos_list-for-org
  :doc "List an organization's repositories"
  :params (:org string :page integer :type (enum "all" "public" "private" "forks"))
  :required (:org)
  :tier :allow :effect :none
  :output (:description :untrusted :full_name :untrusted :id :untrusted :login :untrusted :parent
           :untrusted :private :untrusted)
  :nouns ("repos" "org")
  :roles (:org :object :page :object :type :flag))

; POST /orgs/{org}/repos, at api.forge.example
; guessed: an effect of class create: the method is POST
; guessed: roles, from the names and descriptions of the parameters
; guessed: texts in :name, :org are strong: what they steer is not known
; guessed: the output is untrusted: the schema does not say who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
; left to the server: :name pattern
(deftool repos_create-in-org
  :doc "Create an organization repository"
  :params (:description string :name string :org string :private boolean)
  :required (:name :org)
  :tier :allow
  :class (:create)
  :output (:description :untrusted :full_name :untrusted :id :untrusted :login :untrusted :parent
           :untrusted :private :untrusted)
  :nouns ("repos" "org")
  :roles (:description :content :private :flag))

; GET /repos/{owner}/{repo}, at api.forge.example
; guessed: a read: the method is GET
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted: the schema does not say who wrote it
(deftool repos_get
  :doc "Get a repository"
  :params (:owner string :repo string)
  :required (:owner :repo)
  :tier :allow :effect :none
  :output (:description :untrusted :full_name :untrusted :id :untrusted :login :untrusted :parent
           :untrusted :private :untrusted)
  :nouns ("repos")
  :roles (:owner :principal :repo :object))

; PATCH /repos/{owner}/{repo}, at api.forge.example
; guessed: an effect of class update: the method is PATCH
; guessed: roles, from the names and descriptions of the parameters
; guessed: texts in :repo are strong: what they steer is not known
; guessed: the output is untrusted: the schema does not say who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
; left to the server: :description maxLength
(deftool repos_update
  :doc "Update a repository"
  :params (:archived boolean :default_branch string :description string
           :homepage (nullable url)
           :owner string :repo string
           :visibility (enum "public" "private"))
  :required (:owner :repo)
  :tier :allow
  :class (:update)
  :output (:description :untrusted :full_name :untrusted :id :untrusted :login :untrusted :parent
           :untrusted :private :untrusted)
  :nouns ("repos")
  :roles (:archived :flag :default_branch :object :description :content :homepage :net :owner
          :principal :visibility :permission))

; DELETE /repos/{owner}/{repo}, at api.forge.example
; guessed: an effect of class delete: the method is DELETE
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted: the schema does not say who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool repos_delete
  :doc "Delete a repository"
  :params (:owner string :repo string)
  :required (:owner :repo)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("repos")
  :roles (:owner :id :repo :id))

; PUT /repos/{owner}/{repo}/collaborators/{username}, at api.forge.example
; guessed: an effect of class create update grant: the method is PUT
; guessed: roles, from the names and descriptions of the parameters
; guessed: texts in :repo are strong: what they steer is not known
; guessed: the output is untrusted: the schema does not say who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool repos_add-collaborator
  :doc "Add a repository collaborator"
  :params (:owner string :permission (enum "pull" "push" "admin") :repo string :username string)
  :required (:owner :repo :username)
  :tier :allow
  :class (:create :update :grant)
  :output :untrusted
  :nouns ("repos" "collaborator")
  :roles (:owner :principal :permission :permission :username :principal))

; DELETE /repos/{owner}/{repo}/collaborators/{username}, at api.forge.example
; guessed: an effect of class delete: the method is DELETE
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted: the schema does not say who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool repos_remove-collaborator
  :doc "Remove a repository collaborator"
  :params (:owner string :repo string :username string)
  :required (:owner :repo :username)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("repos" "collaborator")
  :roles (:owner :id :repo :id :username :id))

; GET /repos/{owner}/{repo}/contents/{path}, at api.forge.example
; guessed: a read: the method is GET
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted: the schema does not say who wrote it
(deftool repos_get-content
  :doc "Get repository content"
  :params (:owner string :path string :ref string :repo string)
  :required (:owner :path :repo)
  :tier :allow :effect :none :output :untrusted
  :nouns ("repos" "content")
  :roles (:owner :principal :path :object :ref :id :repo :object))

; PUT /repos/{owner}/{repo}/contents/{path}, at api.forge.example
; guessed: an effect of class create update: the method is PUT
; guessed: roles, from the names and descriptions of the parameters
; guessed: texts in :committer, :repo are strong: what they steer is not known
; guessed: the output is untrusted: the schema does not say who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool repos_create-or-update-file-contents
  :doc "Create or update file contents"
  :params (:branch string
           :committer (object (:email string :name string) :required (:email :name))
           :content string :message string :owner string :path string :repo string :sha string)
  :required (:content :message :owner :path :repo)
  :tier :allow
  :class (:create :update)
  :output :untrusted
  :nouns ("repos" "update" "file" "contents")
  :roles (:branch :object :content :content :message :content :owner :principal :path :object :sha
          :id))

; POST /repos/{owner}/{repo}/hooks, at api.forge.example
; guessed: an effect of class create: the method is POST
; guessed: roles, from the names and descriptions of the parameters
; guessed: texts in :config, :events, :repo are strong: what they steer is not known
; guessed: the output is untrusted: the schema does not say who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
; left to the server: :events minItems
(deftool repos_create-webhook
  :doc "Create a repository webhook"
  :params (:active boolean
           :config (object (:secret string :url url) :required (:url))
           :events (list string)
           :owner string :repo string)
  :required (:config :owner :repo)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("repos" "webhook")
  :roles (:active :flag :owner :principal))

; GET /repos/{owner}/{repo}/issues, at api.forge.example
; guessed: a read: the method is GET
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted: the schema does not say who wrote it
(deftool issues_list-for-repo
  :doc "List repository issues"
  :params (:assignee string :owner string :page integer :repo string :since string
           :state (enum "open" "closed" "all"))
  :required (:owner :repo)
  :tier :allow :effect :none
  :output (:body :untrusted :html_url :untrusted :id :untrusted :login :untrusted :number :untrusted
           :state :untrusted :title :untrusted)
  :nouns ("issues" "repo")
  :roles (:assignee :principal :owner :principal :page :object :repo :object :since :time :state
          :flag))

; POST /repos/{owner}/{repo}/issues, at api.forge.example
; guessed: an effect of class create: the method is POST
; guessed: roles, from the names and descriptions of the parameters
; guessed: texts in :repo are strong: what they steer is not known
; guessed: the output is untrusted: the schema does not say who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool issues_create
  :doc "Create an issue"
  :params (:assignees (list string) :body string :owner string :repo string :title string)
  :required (:owner :repo :title)
  :tier :allow
  :class (:create)
  :output (:body :untrusted :html_url :untrusted :id :untrusted :login :untrusted :number :untrusted
           :state :untrusted :title :untrusted)
  :nouns ("issues")
  :roles (:assignees :principal :body :content :owner :principal :title :content))

; DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}, at api.forge.example
; guessed: an effect of class delete: the method is DELETE
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted: the schema does not say who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool issues_delete-comment
  :doc "Delete an issue comment"
  :params (:comment_id integer :owner string :repo string)
  :required (:comment_id :owner :repo)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("issues" "comment")
  :roles (:comment_id :id :owner :id :repo :id))

; GET /repos/{owner}/{repo}/issues/{issue_number}, at api.forge.example
; guessed: a read: the method is GET
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted: the schema does not say who wrote it
(deftool issues_get
  :doc "Get an issue"
  :params (:issue_number integer :owner string :repo string)
  :required (:issue_number :owner :repo)
  :tier :allow :effect :none
  :output (:body :untrusted :html_url :untrusted :id :untrusted :login :untrusted :number :untrusted
           :state :untrusted :title :untrusted)
  :nouns ("issues")
  :roles (:issue_number :id :owner :principal :repo :object))

; PATCH /repos/{owner}/{repo}/issues/{issue_number}, at api.forge.example
; guessed: an effect of class update: the method is PATCH
; guessed: roles, from the names and descriptions of the parameters
; guessed: texts in :repo are strong: what they steer is not known
; guessed: the output is untrusted: the schema does not say who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
; guessed: :labels may be anything: oneOf cannot be declared
; guessed: :title may be anything: oneOf cannot be declared
(deftool issues_update
  :doc "Update an issue"
  :params (:assignees (list string)
           :body (nullable string)
           :issue_number integer
           :labels (list any)
           :owner string :repo string
           :state (enum "open" "closed")
           :title (nullable any))
  :required (:issue_number :owner :repo)
  :tier :allow
  :class (:update)
  :output (:body :untrusted :html_url :untrusted :id :untrusted :login :untrusted :number :untrusted
           :state :untrusted :title :untrusted)
  :nouns ("issues")
  :roles (:assignees :principal :body :content :issue_number :id :labels :object :owner :principal
          :state :flag :title :content))

; GET /repos/{owner}/{repo}/issues/{issue_number}/comments, at api.forge.example
; guessed: a read: the method is GET
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted: the schema does not say who wrote it
(deftool issues_list-comments
  :doc "List issue comments"
  :params (:issue_number integer :owner string :repo string)
  :required (:issue_number :owner :repo)
  :tier :allow :effect :none
  :output (:body :untrusted :id :untrusted :login :untrusted)
  :nouns ("issues" "comments")
  :roles (:issue_number :id :owner :principal :repo :object))

; POST /repos/{owner}/{repo}/issues/{issue_number}/comments, at api.forge.example
; guessed: an effect of class create: the method is POST
; guessed: roles, from the names and descriptions of the parameters
; guessed: texts in :repo are strong: what they steer is not known
; guessed: the output is untrusted: the schema does not say who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool issues_create-comment
  :doc "Create an issue comment"
  :params (:body string :issue_number integer :owner string :repo string)
  :required (:body :issue_number :owner :repo)
  :tier :allow
  :class (:create)
  :output (:body :untrusted :id :untrusted :login :untrusted)
  :nouns ("issues" "comment")
  :roles (:body :content :issue_number :id :owner :principal))

; POST /repos/{owner}/{repo}/pulls, at api.forge.example
; guessed: an effect of class create: the method is POST
; guessed: roles, from the names and descriptions of the parameters
; guessed: texts in :base, :head, :repo are strong: what they steer is not known
; guessed: the output is untrusted: the schema does not say who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool pulls_create
  :doc "Create a pull request"
  :params (:assignees (list string)
           :base string :body string :draft boolean :head string :owner string :repo string
           :title string)
  :required (:base :head :owner :repo :title)
  :tier :allow
  :class (:create)
  :output (:body :untrusted :html_url :untrusted :id :untrusted :login :untrusted :number :untrusted
           :state :untrusted :title :untrusted)
  :nouns ("pulls")
  :roles (:assignees :principal :body :content :draft :flag :owner :principal :title :content))

; PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge, at api.forge.example
; guessed: an effect of class update delete: the method is PUT
; guessed: roles, from the names and descriptions of the parameters
; guessed: texts in :merge_method, :repo are strong: what they steer is not known
; guessed: the output is untrusted: the schema does not say who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool pulls_merge
  :doc "Merge a pull request"
  :params (:commit_title string
           :merge_method (enum "merge" "squash" "rebase")
           :owner string :pull_number integer :repo string :sha string)
  :required (:owner :pull_number :repo)
  :tier :allow
  :class (:update :delete)
  :output (:merged :untrusted :message :untrusted :sha :untrusted)
  :nouns ("pulls")
  :roles (:commit_title :content :owner :principal :pull_number :id :sha :id))

; GET /search/issues, at api.forge.example
; guessed: a read: the method is GET
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted: the schema does not say who wrote it
(deftool search_issues-and-pull-requests
  :doc "Search issues and pull requests"
  :params (:per_page (integer 1 100) :q string)
  :required (:q)
  :tier :allow :effect :none
  :output (:body :untrusted :html_url :untrusted :id :untrusted :login :untrusted :number :untrusted
           :state :untrusted :title :untrusted :total_count :untrusted)
  :nouns ("issues" "pull" "requests")
  :roles (:per_page :object :q :object))

; PUT /user/starred/{owner}/{repo}, at api.forge.example
; guessed: an effect of class update: the method is PUT
; guessed: roles, from the names and descriptions of the parameters
; guessed: texts in :repo are strong: what they steer is not known
; guessed: the output is untrusted: the schema does not say who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool put_user_starred_owner_repo
  :doc "Star a repository"
  :params (:owner string :repo string)
  :required (:owner :repo)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("user" "starred" "owner" "repo")
  :roles (:owner :principal))

; DELETE /user/starred/{owner}/{repo}, at api.forge.example
; guessed: an effect of class delete: the method is DELETE
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted: the schema does not say who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool delete_user_starred_owner_repo
  :doc "Unstar a repository"
  :params (:owner string :repo string)
  :required (:owner :repo)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("user" "starred" "owner" "repo")
  :roles (:owner :id :repo :id))
