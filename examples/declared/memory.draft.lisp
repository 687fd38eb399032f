; guessed: an effect, from the verb "create"
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool create_entities
  :doc "Create multiple new entities in the knowledge graph"
  :params (:entities (list (object (:|entityType| string :name string :observations (list string))
                                   :required (:|entityType| :name :observations))))
  :required (:entities)
  :tier :allow
  :class (:create)
  :output (:|entityType| :untrusted :name :untrusted :observations :untrusted)
  :nouns ("entities")
  :roles (:entities :object))

; guessed: an effect, from the verb "create"
; guessed: texts in :relations are strong: what they steer is not known
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool create_relations
  :doc "Create multiple new relations between entities in the knowledge graph. Relations should be in active voice"
  :params (:relations (list (object (:from string :|relationType| string :to string)
                                    :required (:from :|relationType| :to))))
  :required (:relations)
  :tier :allow
  :class (:create)
  :output (:from :untrusted :|relationType| :untrusted :to :untrusted)
  :nouns ("relations"))

; guessed: an effect, from the verb "add"
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool add_observations
  :doc "Add new observations to existing entities in the knowledge graph"
  :params (:observations (list (object (:contents (list string) :|entityName| string)
                                       :required (:contents :|entityName|))))
  :required (:observations)
  :tier :allow
  :class (:create :update)
  :output (:|addedObservations| :untrusted :|entityName| :untrusted)
  :nouns ("observations")
  :roles (:observations :content))

; guessed: an effect, from the verb "delete"
; guessed: not idempotent, though the server says that it is: recovery would repeat a call on its word
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool delete_entities
  :doc "Delete multiple entities and their associated relations from the knowledge graph"
  :params (:|entityNames| (list string))
  :required (:|entityNames|)
  :tier :allow
  :class (:delete)
  :output (:message :untrusted :success :untrusted)
  :nouns ("entities")
  :roles (:|entityNames| :object))

; guessed: an effect, from the verb "delete"
; guessed: not idempotent, though the server says that it is: recovery would repeat a call on its word
; guessed: texts in :deletions are strong: what they steer is not known
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool delete_observations
  :doc "Delete specific observations from entities in the knowledge graph"
  :params (:deletions (list (object (:|entityName| string :observations (list string))
                                    :required (:|entityName| :observations))))
  :required (:deletions)
  :tier :allow
  :class (:delete)
  :output (:message :untrusted :success :untrusted)
  :nouns ("observations"))

; guessed: an effect, from the verb "delete"
; guessed: not idempotent, though the server says that it is: recovery would repeat a call on its word
; guessed: texts in :relations are strong: what they steer is not known
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
; guessed: the tier: :allow leaves the decision to the guard's rules, and without them every call is allowed
(deftool delete_relations
  :doc "Delete multiple relations from the knowledge graph"
  :params (:relations (list (object (:from string :|relationType| string :to string)
                                    :required (:from :|relationType| :to))))
  :required (:relations)
  :tier :allow
  :class (:delete)
  :output (:message :untrusted :success :untrusted)
  :nouns ("relations"))

; guessed: a read, from the verb "read"
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
(deftool read_graph
  :doc "Read the entire knowledge graph"
  :tier :allow :effect :none
  :output (:|entityType| :untrusted :from :untrusted :name :untrusted :observations :untrusted
           :|relationType| :untrusted :to :untrusted)
  :nouns ("graph"))

; guessed: a read, from the verb "search"
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
(deftool search_nodes
  :doc "Search for nodes in the knowledge graph based on a query"
  :params (:query string)
  :required (:query)
  :tier :allow :effect :none
  :output (:|entityType| :untrusted :from :untrusted :name :untrusted :observations :untrusted
           :|relationType| :untrusted :to :untrusted)
  :nouns ("nodes")
  :roles (:query :object))

; guessed: a read, from the verb "open"
; guessed: roles, from the names and descriptions of the parameters
; guessed: the output is untrusted, though the server says that its world is closed: that is not who wrote it
(deftool open_nodes
  :doc "Open specific nodes in the knowledge graph by their names"
  :params (:names (list string))
  :required (:names)
  :tier :allow :effect :none
  :output (:|entityType| :untrusted :from :untrusted :name :untrusted :observations :untrusted
           :|relationType| :untrusted :to :untrusted)
  :nouns ("nodes")
  :roles (:names :object))
