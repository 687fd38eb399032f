; guessed: an effect, from the verb "echo"
; guessed: the server says that it only reads; its name does not, and the name counts
; guessed: not idempotent, though the server says that it is: recovery would repeat a call on its word
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool echo
  :doc "Echoes back the input string"
  :params (:message string)
  :required (:message)
  :tier :allow
  :class (:comm)
  :output :untrusted
  :roles (:message :content))

; guessed: a read, from the verb "get"
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
(deftool get-annotated-message
  :doc "Demonstrates how annotations can be used to provide metadata about content."
  :params (:|includeImage| boolean :|messageType| (enum "error" "success" "debug"))
  :required (:|messageType|)
  :tier :allow :effect :none :output :untrusted
  :nouns ("annotated" "message")
  :roles (:|includeImage| :flag :|messageType| :flag))

; guessed: a read, from the verb "get"
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
(deftool get-env
  :doc "Returns all environment variables, helpful for debugging MCP server configuration"
  :tier :allow :effect :none :output :untrusted
  :nouns ("env"))

; guessed: a read, from the verb "get"
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
(deftool get-resource-links
  :doc "Returns up to ten resource links that reference different types of resources"
  :params (:count (number 1.0 10.0))
  :tier :allow :effect :none :output :untrusted
  :nouns ("resource" "links")
  :roles (:count :object))

; guessed: a read, from the verb "get"
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
(deftool get-resource-reference
  :doc "Returns a resource reference that can be used by MCP clients"
  :params (:|resourceId| number :|resourceType| (enum "Text" "Blob"))
  :tier :allow :effect :none :output :untrusted
  :nouns ("resource" "reference")
  :roles (:|resourceId| :id :|resourceType| :flag))

; guessed: a read, from the verb "get"
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
(deftool get-structured-content
  :doc "Returns structured content along with an output schema for client data validation"
  :params (:location (enum "New York" "Chicago" "Los Angeles"))
  :required (:location)
  :tier :allow :effect :none
  :output (:conditions :untrusted :humidity :untrusted :temperature :untrusted)
  :nouns ("structured" "content")
  :roles (:location :object))

; guessed: a read, from the verb "get"
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
(deftool get-sum
  :doc "Returns the sum of two numbers"
  :params (:a number :b number)
  :required (:a :b)
  :tier :allow :effect :none :output :untrusted
  :nouns ("sum")
  :roles (:a :object :b :object))

; guessed: a read, from the verb "get"
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
(deftool get-tiny-image
  :doc "Returns a tiny MCP logo image."
  :tier :allow :effect :none :output :untrusted
  :nouns ("tiny" "image"))

; guessed: an effect, from the verb "file"
; guessed: not idempotent, though the server says that it is: recovery would repeat a call on its word
; guessed: roles, from the names and descriptions of the parameters
; guessed: texts in :name are strong: what they steer is not known
; guessed: the output is untrusted: the schema does not say who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool gzip-file-as-resource
  :doc "Compresses a single file using gzip compression. Depending upon the selected output type, returns either the compressed data as a gzipped resource or a resource link, allowing it to be downloaded in a subsequent request during the current session."
  :params (:data url :name string :|outputType| (enum "resourceLink" "resource"))
  :tier :allow
  :class (:create)
  :output :untrusted
  :nouns ("gzip" "resource")
  :roles (:data :net :|outputType| :flag))

; guessed: an effect, from the verb "toggle"
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool toggle-simulated-logging
  :doc "Toggles simulated, random-leveled logging on or off."
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("simulated" "logging"))

; guessed: an effect, from the verb "toggle"
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool toggle-subscriber-updates
  :doc "Toggles simulated resource subscription updates on or off."
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("subscriber" "updates"))

; guessed: an effect, from the verb "trigger"
; guessed: the server says that it only reads; its name does not, and the name counts
; guessed: not idempotent, though the server says that it is: recovery would repeat a call on its word
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool trigger-long-running-operation
  :doc "Demonstrates a long running operation with progress updates."
  :params (:duration number :steps number)
  :tier :allow
  :class (:run)
  :output :untrusted
  :nouns ("long" "running" "operation")
  :roles (:duration :time :steps :amount))

; guessed: an effect of class update: the server says that it does more than read
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool simulate-research-query
  :doc "Simulates a deep research operation that gathers, analyzes, and synthesizes information. Demonstrates MCP task-based operations with progress through multiple stages. If 'ambiguous' is true and client supports elicitation, sends an elicitation request for clarification."
  :params (:ambiguous boolean :topic string)
  :required (:topic)
  :tier :allow
  :class (:update)
  :output :untrusted
  :nouns ("research" "query")
  :roles (:ambiguous :flag :topic :content))
