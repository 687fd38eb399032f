; Declarations of npm's @modelcontextprotocol/server-everything 2026.8.31, a server that shows
; what the protocol can do, reviewed by hand after everything.draft.lisp. It prints the
; environment of its process, which may hold secrets: that is denied.

(deftool echo
  :doc "Echoes back the input string"
  :params (:message string)
  :required (:message)
  :tier :allow :effect :none :output :untrusted :nouns ("echo") :roles (:message :content))

(deftool get-annotated-message
  :doc "Demonstrates how annotations can be used to provide metadata about content."
  :params (:|includeImage| boolean :|messageType| (enum "error" "success" "debug"))
  :required (:|messageType|)
  :tier :allow :effect :none :output :untrusted
  :nouns ("annotated" "message")
  :roles (:|includeImage| :flag :|messageType| :content))

(deftool get-env
  :doc "Returns all environment variables, helpful for debugging MCP server configuration"
  :tier :deny :effect :none :output :untrusted :nouns ("env"))

(deftool get-resource-links
  :doc "Returns up to ten resource links that reference different types of resources"
  :params (:count (number 1.0 10.0))
  :tier :allow :effect :none :output :untrusted :nouns ("resource" "links") :roles (:count :object))

(deftool get-resource-reference
  :doc "Returns a resource reference that can be used by MCP clients"
  :params (:|resourceId| number :|resourceType| (enum "Text" "Blob"))
  :tier :allow :effect :none :output :untrusted
  :nouns ("resource" "reference")
  :roles (:|resourceId| :id :|resourceType| :object))

(deftool get-structured-content
  :doc "Returns structured content along with an output schema for client data validation"
  :params (:location (enum "New York" "Chicago" "Los Angeles"))
  :required (:location)
  :tier :allow :effect :none
  :output (:conditions :untrusted :humidity :untrusted :temperature :untrusted)
  :nouns ("structured" "content")
  :roles (:location :object))

(deftool get-sum
  :doc "Returns the sum of two numbers"
  :params (:a number :b number)
  :required (:a :b)
  :tier :allow :effect :none :output :untrusted :nouns ("sum") :roles (:a :object :b :object))

(deftool get-tiny-image
  :doc "Returns a tiny MCP logo image."
  :tier :allow :effect :none :output :untrusted :nouns ("tiny" "image"))

(deftool gzip-file-as-resource
  :doc "Compresses a single file using gzip compression. Depending upon the selected output type, returns either the compressed data as a gzipped resource or a resource link, allowing it to be downloaded in a subsequent request during the current session."
  :params (:data url :name string :|outputType| (enum "resourceLink" "resource"))
  :tier :allow :effect :local
  :class (:create)
  :output :untrusted
  :nouns ("file")
  :roles (:data :net :name :object :|outputType| :object))

(deftool toggle-simulated-logging
  :doc "Toggles simulated, random-leveled logging on or off."
  :tier :allow :effect :local :class (:update) :output :untrusted :nouns ("logging"))

(deftool toggle-subscriber-updates
  :doc "Toggles simulated resource subscription updates on or off."
  :tier :allow :effect :local :class (:update) :output :untrusted :nouns ("updates"))

(deftool trigger-long-running-operation
  :doc "Demonstrates a long running operation with progress updates."
  :params (:duration number :steps number)
  :tier :allow :effect :none :output :untrusted
  :nouns ("operation")
  :roles (:duration :object :steps :object))

(deftool simulate-research-query
  :doc "Simulates a deep research operation that gathers, analyzes, and synthesizes information. Demonstrates MCP task-based operations with progress through multiple stages. If 'ambiguous' is true and client supports elicitation, sends an elicitation request for clarification."
  :params (:ambiguous boolean :topic string)
  :required (:topic)
  :tier :allow :effect :none :output :untrusted
  :nouns ("research")
  :roles (:ambiguous :flag :topic :object))
