; Declarations of the mail service of mail.swagger.json, reviewed by hand after
; mail.draft.lisp. A mailbox is the owner's own. A rule that forwards and a delegate both let
; others read mail: they grant, and ask. The owner wrote the contacts' names and addresses;
; all else in a message is untrusted.

; GET /contacts, at mail.mailroom.example
(deftool |searchContacts|
  :doc "Searches the owner's contacts."
  :params (:name string)
  :required (:name)
  :tier :allow :effect :none
  :output (:email :trusted :name :trusted :note :untrusted)
  :nouns ("contacts")
  :roles (:name :object))

; PUT /mailboxes/{mailbox}/autoreply, at mail.mailroom.example
(deftool |setAutoReply|
  :doc "Sets what answers while the owner is away."
  :params (:body (object (:end string :start string :text string)) :mailbox string)
  :required (:mailbox)
  :tier :ask
  :class (:comm :update)
  :output :untrusted
  :nouns ("auto" "reply")
  :roles (:body :content :mailbox :object))

; POST /mailboxes/{mailbox}/delegates, at mail.mailroom.example
(deftool |addDelegate|
  :doc "Lets another account read and send here."
  :params (:account string :mailbox string :|maySend| boolean)
  :required (:account :mailbox)
  :tier :ask
  :class (:grant)
  :output :untrusted
  :nouns ("delegate")
  :roles (:account :principal :|maySend| :permission :mailbox :object))

; DELETE /mailboxes/{mailbox}/delegates/{account}, at mail.mailroom.example
(deftool |removeDelegate|
  :doc "Ends a delegation."
  :params (:account string :mailbox string)
  :required (:account :mailbox)
  :tier :ask
  :class (:delete)
  :output :untrusted
  :nouns ("delegate")
  :roles (:account :id :mailbox :id))

; GET /mailboxes/{mailbox}/drafts, at mail.mailroom.example
(deftool |listDrafts|
  :doc "Lists drafts."
  :params (:mailbox string)
  :required (:mailbox)
  :tier :allow :effect :none
  :output (:date :untrusted :from :untrusted :id :untrusted :parent :untrusted :subject :untrusted
           :text :untrusted :to :untrusted) :nouns ("drafts") :roles (:mailbox :object))

; POST /mailboxes/{mailbox}/drafts, at mail.mailroom.example
(deftool |createDraft|
  :doc "Creates a draft."
  :params (:attachments (list string)
           :bcc (list string)
           :cc (list string)
           :mailbox string :subject string :text string
           :to (list string))
  :required (:mailbox :subject :text :to)
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("draft")
  :roles (:attachments :id :bcc :principal :cc :principal :subject :content :text :content :to
          :principal :mailbox :object))

; POST /mailboxes/{mailbox}/drafts/{id}/send, at mail.mailroom.example
(deftool |sendDraft|
  :doc "Sends a draft."
  :params (:id string :mailbox string)
  :required (:id :mailbox)
  :tier :allow :class (:comm) :output :untrusted :nouns ("draft") :roles (:id :id :mailbox :object))

; GET /mailboxes/{mailbox}/messages, at mail.mailroom.example
(deftool |listMessages|
  :doc "Lists the messages of a mailbox."
  :params (:|labelIds| (list string) :mailbox string :|maxResults| (integer 1 500) :q string)
  :required (:mailbox)
  :tier :allow :effect :none
  :output (:date :untrusted :from :untrusted :id :untrusted :|nextPage| :untrusted :parent
           :untrusted :subject :untrusted :text :untrusted :to :untrusted)
  :nouns ("messages")
  :roles (:|labelIds| :object :|maxResults| :object :q :object :mailbox :object))

; POST /mailboxes/{mailbox}/messages, at mail.mailroom.example
(deftool |sendMessage|
  :doc "Sends a message."
  :params (:attachments (list string)
           :bcc (list string)
           :cc (list string)
           :mailbox string :subject string :text string
           :to (list string))
  :required (:mailbox :subject :text :to)
  :tier :allow
  :class (:comm)
  :output (:date :untrusted :from :untrusted :id :untrusted :parent :untrusted :subject :untrusted
           :text :untrusted :to :untrusted)
  :nouns ("message")
  :roles (:attachments :id :bcc :principal :cc :principal :subject :content :text :content :to
          :principal :mailbox :object))

; GET /mailboxes/{mailbox}/messages/{id}, at mail.mailroom.example
(deftool |getMessage|
  :doc "Gets one message."
  :params (:format (enum "full" "headers" "raw") :id string :mailbox string)
  :required (:id :mailbox)
  :tier :allow :effect :none
  :output (:date :untrusted :from :untrusted :id :untrusted :parent :untrusted :subject :untrusted
           :text :untrusted :to :untrusted)
  :nouns ("message")
  :roles (:format :object :id :id :mailbox :object))

; DELETE /mailboxes/{mailbox}/messages/{id}, at mail.mailroom.example
(deftool |deleteMessage|
  :doc "Deletes a message for ever."
  :params (:id string :mailbox string)
  :required (:id :mailbox)
  :tier :ask :class (:delete) :output :untrusted :nouns ("message") :roles (:id :id :mailbox :id))

; GET /mailboxes/{mailbox}/messages/{id}/attachments/{attachment}, at mail.mailroom.example
(deftool |getAttachment|
  :doc "Downloads an attachment."
  :params (:attachment string :id string :mailbox string)
  :required (:attachment :id :mailbox)
  :tier :allow :effect :none :output :untrusted
  :nouns ("attachment")
  :roles (:attachment :object :id :id :mailbox :object))

; POST /mailboxes/{mailbox}/messages/{id}/forward, at mail.mailroom.example
(deftool |forwardMessage|
  :doc "Forwards a message."
  :params (:comment string :id string :mailbox string :to (list string))
  :required (:id :mailbox :to)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("message")
  :roles (:comment :content :id :id :to :principal :mailbox :object))

; PUT /mailboxes/{mailbox}/messages/{id}/labels, at mail.mailroom.example
(deftool |labelMessage|
  :doc "Sets the labels of a message."
  :params (:body (list string) :id string :mailbox string)
  :required (:body :id :mailbox)
  :tier :allow :effect :external :idempotent t
  :class (:update)
  :output :untrusted
  :nouns ("message" "label")
  :roles (:body :object :id :id :mailbox :object))

; POST /mailboxes/{mailbox}/messages/{id}/reply, at mail.mailroom.example
(deftool |replyToMessage|
  :doc "Answers a message, to its sender or to all."
  :params (:all boolean :cc (list string) :id string :mailbox string :text string)
  :required (:id :mailbox :text)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :nouns ("message")
  :roles (:all :flag :cc :principal :id :id :text :content :mailbox :object))

; POST /mailboxes/{mailbox}/messages/{id}/trash, at mail.mailroom.example
(deftool |trashMessage|
  :doc "Moves a message to the trash."
  :params (:id string :mailbox string)
  :required (:id :mailbox)
  :tier :allow :effect :external :idempotent t
  :class (:delete)
  :output :untrusted
  :nouns ("message")
  :roles (:id :id :mailbox :object))

; GET /mailboxes/{mailbox}/rules, at mail.mailroom.example
(deftool |listRules|
  :doc "Lists the rules for incoming mail."
  :params (:mailbox string)
  :required (:mailbox)
  :tier :allow :effect :none
  :output (:|forwardTo| :untrusted :label :untrusted :match :untrusted :trash :untrusted)
  :nouns ("rules")
  :roles (:mailbox :object))

; POST /mailboxes/{mailbox}/rules, at mail.mailroom.example
(deftool |createRule|
  :doc "Creates a rule for incoming mail."
  :params (:|forwardTo| string :label string :mailbox string :match string :trash boolean)
  :required (:mailbox :match)
  :tier :ask
  :class (:create :grant)
  :output (:|forwardTo| :untrusted :label :untrusted :match :untrusted :trash :untrusted)
  :nouns ("rule")
  :roles (:|forwardTo| :principal :label :object :match :object :trash :flag :mailbox :object))
