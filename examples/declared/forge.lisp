; Declarations of the forge of forge.openapi.yaml, reviewed by hand after forge.draft.lisp.
; What deletes, lets somebody in, or sends events elsewhere asks a person. Where something is
; written, the repository is the one who gets it: its owner and name are principals. What
; others wrote in issues, comments and files is untrusted.

; GET /notifications/unsubscribe, at api.forge.example
(deftool notifications_unsubscribe
  :doc "The link at the foot of a mail"
  :params (:token string)
  :required (:token)
  :tier :ask :class (:delete) :output :untrusted :nouns ("notifications") :roles (:token :secret))

; GET /orgs/{org}/repos, at api.forge.example
(deftool repos_list-for-org
  :doc "List an organization's repositories"
  :params (:org string :page integer :type (enum "all" "public" "private" "forks"))
  :required (:org)
  :tier :allow :effect :none
  :output (:description :untrusted :full_name :untrusted :id :untrusted :login :untrusted :parent
           :untrusted :private :untrusted)
  :nouns ("repos" "org")
  :roles (:org :object :page :object :type :object))

; POST /orgs/{org}/repos, at api.forge.example
(deftool repos_create-in-org
  :doc "Create an organization repository"
  :params (:description string :name string :org string :private boolean)
  :required (:name :org)
  :tier :allow
  :class (:create)
  :output (:description :untrusted :full_name :untrusted :id :untrusted :login :untrusted :parent
           :untrusted :private :untrusted)
  :nouns ("repository")
  :roles (:description :content :name :object :org :principal :private :flag))

; GET /repos/{owner}/{repo}, at api.forge.example
(deftool repos_get
  :doc "Get a repository"
  :params (:owner string :repo string)
  :required (:owner :repo)
  :tier :allow :effect :none
  :output (:description :untrusted :full_name :untrusted :id :untrusted :login :untrusted :parent
           :untrusted :private :untrusted) :nouns ("repos") :roles (:owner :object :repo :object))

; PATCH /repos/{owner}/{repo}, at api.forge.example
(deftool repos_update
  :doc "Update a repository"
  :params (:archived boolean :default_branch string :description string
           :homepage (nullable url)
           :owner string :repo string
           :visibility (enum "public" "private"))
  :required (:owner :repo)
  :tier :ask
  :class (:update :grant)
  :output (:description :untrusted :full_name :untrusted :id :untrusted :login :untrusted :parent
           :untrusted :private :untrusted)
  :nouns ("repository")
  :roles (:archived :flag :default_branch :object :description :content :homepage :net :owner
          :object :repo :object :visibility :permission))

; DELETE /repos/{owner}/{repo}, at api.forge.example
(deftool repos_delete
  :doc "Delete a repository"
  :params (:owner string :repo string)
  :required (:owner :repo)
  :tier :ask
  :class (:delete)
  :output :untrusted
  :nouns ("repository")
  :roles (:owner :id :repo :id))

; PUT /repos/{owner}/{repo}/collaborators/{username}, at api.forge.example
(deftool repos_add-collaborator
  :doc "Add a repository collaborator"
  :params (:owner string :permission (enum "pull" "push" "admin") :repo string :username string)
  :required (:owner :repo :username)
  :tier :ask
  :class (:grant)
  :output :untrusted
  :nouns ("collaborator")
  :roles (:permission :permission :username :principal :owner :principal :repo :principal))

; DELETE /repos/{owner}/{repo}/collaborators/{username}, at api.forge.example
(deftool repos_remove-collaborator
  :doc "Remove a repository collaborator"
  :params (:owner string :repo string :username string)
  :required (:owner :repo :username)
  :tier :ask
  :class (:delete)
  :output :untrusted
  :nouns ("collaborator")
  :roles (:owner :id :repo :id :username :id))

; GET /repos/{owner}/{repo}/contents/{path}, at api.forge.example
(deftool repos_get-content
  :doc "Get repository content"
  :params (:owner string :path string :ref string :repo string)
  :required (:owner :path :repo)
  :tier :allow :effect :none :output :untrusted
  :nouns ("file" "content")
  :roles (:owner :object :repo :object :path :object :ref :object))

; PUT /repos/{owner}/{repo}/contents/{path}, at api.forge.example
(deftool repos_create-or-update-file-contents
  :doc "Create or update file contents"
  :params (:branch string
           :committer (object (:email string :name string) :required (:email :name))
           :content string :message string :owner string :path string :repo string :sha string)
  :required (:content :message :owner :path :repo)
  :tier :allow
  :class (:create :update)
  :output :untrusted
  :nouns ("file" "contents")
  :roles (:branch :object :committer :principal :content :content :message :content :owner
          :principal :repo :principal :path :id :sha :id))

; POST /repos/{owner}/{repo}/hooks, at api.forge.example
(deftool repos_create-webhook
  :doc "Create a repository webhook"
  :params (:active boolean
           :config (object (:secret string :url url) :required (:url))
           :events (list string)
           :owner string :repo string)
  :required (:config :owner :repo)
  :tier :ask
  :class (:create :grant)
  :output :untrusted
  :nouns ("webhook")
  :roles (:active :flag :config :net :events :object :owner :principal :repo :principal))

; GET /repos/{owner}/{repo}/issues, at api.forge.example
(deftool issues_list-for-repo
  :doc "List repository issues"
  :params (:assignee string :owner string :page integer :repo string :since string
           :state (enum "open" "closed" "all"))
  :required (:owner :repo)
  :tier :allow :effect :none
  :output (:body :untrusted :html_url :untrusted :id :untrusted :login :untrusted :number :untrusted
           :state :untrusted :title :untrusted)
  :nouns ("issues" "repo")
  :roles (:assignee :object :page :object :since :time :state :object :owner :object :repo :object))

; POST /repos/{owner}/{repo}/issues, at api.forge.example
(deftool issues_create
  :doc "Create an issue"
  :params (:assignees (list string) :body string :owner string :repo string :title string)
  :required (:owner :repo :title)
  :tier :allow
  :class (:create :comm)
  :output (:body :untrusted :html_url :untrusted :id :untrusted :login :untrusted :number :untrusted
           :state :untrusted :title :untrusted)
  :nouns ("issue")
  :roles (:assignees :principal :body :content :title :content :owner :principal :repo :principal))

; DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}, at api.forge.example
(deftool issues_delete-comment
  :doc "Delete an issue comment"
  :params (:comment_id integer :owner string :repo string)
  :required (:comment_id :owner :repo)
  :tier :ask
  :class (:delete)
  :output :untrusted
  :nouns ("comment")
  :roles (:comment_id :id :owner :id :repo :id))

; GET /repos/{owner}/{repo}/issues/{issue_number}, at api.forge.example
(deftool issues_get
  :doc "Get an issue"
  :params (:issue_number integer :owner string :repo string)
  :required (:issue_number :owner :repo)
  :tier :allow :effect :none
  :output (:body :untrusted :html_url :untrusted :id :untrusted :login :untrusted :number :untrusted
           :state :untrusted :title :untrusted)
  :nouns ("issue")
  :roles (:owner :object :repo :object :issue_number :id))

; PATCH /repos/{owner}/{repo}/issues/{issue_number}, at api.forge.example
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
  :nouns ("issue")
  :roles (:assignees :principal :body :content :issue_number :id :labels :object :state :object
          :title :content :owner :principal :repo :principal))

; GET /repos/{owner}/{repo}/issues/{issue_number}/comments, at api.forge.example
(deftool issues_list-comments
  :doc "List issue comments"
  :params (:issue_number integer :owner string :repo string)
  :required (:issue_number :owner :repo)
  :tier :allow :effect :none
  :output (:body :untrusted :id :untrusted :login :untrusted)
  :nouns ("issue" "comments")
  :roles (:owner :object :repo :object :issue_number :id))

; POST /repos/{owner}/{repo}/issues/{issue_number}/comments, at api.forge.example
(deftool issues_create-comment
  :doc "Create an issue comment"
  :params (:body string :issue_number integer :owner string :repo string)
  :required (:body :issue_number :owner :repo)
  :tier :allow
  :class (:create :comm)
  :output (:body :untrusted :id :untrusted :login :untrusted)
  :nouns ("issue" "comment")
  :roles (:body :content :issue_number :id :owner :principal :repo :principal))

; POST /repos/{owner}/{repo}/pulls, at api.forge.example
(deftool pulls_create
  :doc "Create a pull request"
  :params (:assignees (list string)
           :base string :body string :draft boolean :head string :owner string :repo string
           :title string)
  :required (:base :head :owner :repo :title)
  :tier :allow
  :class (:create :comm)
  :output (:body :untrusted :html_url :untrusted :id :untrusted :login :untrusted :number :untrusted
           :state :untrusted :title :untrusted)
  :nouns ("pull" "request")
  :roles (:assignees :principal :base :object :body :content :draft :flag :head :object :title
          :content :owner :principal :repo :principal))

; PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge, at api.forge.example
(deftool pulls_merge
  :doc "Merge a pull request"
  :params (:commit_title string
           :merge_method (enum "merge" "squash" "rebase")
           :owner string :pull_number integer :repo string :sha string)
  :required (:owner :pull_number :repo)
  :tier :ask
  :class (:update)
  :output (:merged :untrusted :message :untrusted :sha :untrusted)
  :nouns ("pull" "request")
  :roles (:commit_title :content :merge_method :object :owner :principal :repo :principal
          :pull_number :id :sha :id))

; GET /search/issues, at api.forge.example
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
(deftool put_user_starred_owner_repo
  :doc "Star a repository"
  :params (:owner string :repo string)
  :required (:owner :repo)
  :tier :allow :effect :external :idempotent t
  :class (:update)
  :output :untrusted
  :nouns ("star")
  :roles (:owner :object :repo :object))

; DELETE /user/starred/{owner}/{repo}, at api.forge.example
(deftool delete_user_starred_owner_repo
  :doc "Unstar a repository"
  :params (:owner string :repo string)
  :required (:owner :repo)
  :tier :allow :effect :external :idempotent t
  :class (:update)
  :output :untrusted
  :nouns ("star")
  :roles (:owner :object :repo :object))
