(deftool |SurveyList|
  :doc "Surveys in your workspace."
  :tier :allow :effect :none :output :untrusted
  :nouns ("surveys"))

(deftool |SurveyGet|
  :doc "Get a survey with its questions, in order, and the comments left by collaborators."
  :params (:survey string)
  :required (:survey)
  :tier :allow :effect :none :output :untrusted
  :nouns ("survey")
  :roles (:survey :object))

(deftool |QuestionUpdate|
  :doc "Change the wording or the answer options of a question."
  :params (:options (list string) :question string :text string)
  :required (:question)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("question")
  :roles (:options :content :question :id :text :content))

(deftool |QuestionAdd|
  :doc "Add a question after another one."
  :params (:after string
           :options (list string)
           :survey string :text string
           :type (enum "single" "multiple" "scale" "open"))
  :required (:after :survey :text :type)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("question")
  :roles (:after :object :options :content :survey :object :text :content :type :flag))

(deftool |QuestionDelete|
  :doc "Delete a question. Answers that were collected for it are deleted with it."
  :params (:question string)
  :required (:question)
  :tier :allow
  :class (:delete)
  :output :untrusted
  :nouns ("question")
  :roles (:question :id))

(deftool |QuestionMove|
  :doc "Move a question behind another one."
  :params (:after string :question string)
  :required (:after :question)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("question")
  :roles (:after :object :question :id))

(deftool |LogicSet|
  :doc "Show a question only if another one was answered in a certain way."
  :params (:equals string :if_question string :question string)
  :required (:equals :if_question :question)
  :tier :allow
  :class (:create :update)
  :output :untrusted
  :nouns ("logic" "question")
  :roles (:equals :object :if_question :object :question :id))

(deftool |CollaboratorAdd|
  :doc "Invite somebody to the survey. Roles: commenter, editor, owner."
  :params (:email string :role (enum "commenter" "editor" "owner") :survey string)
  :required (:email :role :survey)
  :tier :allow
  :class (:grant)
  :output :untrusted
  :nouns ("collaborator")
  :roles (:email :principal :role :permission :survey :object))

(deftool |CommentReply|
  :doc "Reply in a comment thread and optionally resolve it."
  :params (:comment string :resolve boolean :text string)
  :required (:comment :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("comment")
  :roles (:comment :id :resolve :flag :text :content))

(deftool |SurveyOpen|
  :doc "Open a survey for answers. Everybody with the link can answer from then on."
  :params (:closes string :survey string)
  :required (:survey)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("survey")
  :roles (:closes :time :survey :id))

(deftool |ResponsesExport|
  :doc "Export the answers, with or without names, to an email address."
  :params (:survey string :to string :with_names boolean)
  :required (:survey :to)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("responses" "answers")
  :roles (:survey :object :to :principal :with_names :flag))

(deftool |RewardSend|
  :doc "Send gift cards to respondents or others. Charged to the workspace."
  :params (:amount number :emails (list string))
  :required (:amount :emails)
  :tier :allow
  :class (:pay)
  :output :untrusted
  :nouns ("reward")
  :roles (:amount :amount :emails :principal))

(deftool |WebhookSet|
  :doc "Post every new answer to a URL."
  :params (:survey string :url string)
  :required (:survey :url)
  :tier :allow
  :class (:create :update :grant)
  :output :untrusted
  :nouns ("webhook")
  :roles (:survey :object :url :net))

(deftool |FetchPage|
  :doc "Fetch a web page as text."
  :params (:url string)
  :required (:url)
  :tier :allow :effect :none :output :untrusted
  :nouns ("page")
  :roles (:url :net))
