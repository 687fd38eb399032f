; Declarations of npm's @modelcontextprotocol/server-memory 2026.8.31, reviewed by hand after
; memory.draft.lisp. The graph holds what sessions wrote into it, so what is read back is
; untrusted. What is deleted cannot be had back: a person is asked.

(deftool create_entities
  :doc "Create multiple new entities in the knowledge graph"
  :params (:entities (list (object (:|entityType| string :name string :observations (list string))
                                   :required (:|entityType| :name :observations))))
  :required (:entities)
  :tier :allow :effect :local
  :class (:create)
  :output (:|entityType| :untrusted :name :untrusted :observations :untrusted)
  :nouns ("entities")
  :roles (:entities :content))

(deftool create_relations
  :doc "Create multiple new relations between entities in the knowledge graph. Relations should be in active voice"
  :params (:relations (list (object (:from string :|relationType| string :to string)
                                    :required (:from :|relationType| :to))))
  :required (:relations)
  :tier :allow :effect :local
  :class (:create)
  :output (:from :untrusted :|relationType| :untrusted :to :untrusted)
  :nouns ("relations")
  :roles (:relations :content))

(deftool add_observations
  :doc "Add new observations to existing entities in the knowledge graph"
  :params (:observations (list (object (:contents (list string) :|entityName| string)
                                       :required (:contents :|entityName|))))
  :required (:observations)
  :tier :allow :effect :local
  :class (:create)
  :output (:|addedObservations| :untrusted :|entityName| :untrusted)
  :nouns ("observations")
  :roles (:observations :content))

(deftool delete_entities
  :doc "Delete multiple entities and their associated relations from the knowledge graph"
  :params (:|entityNames| (list string))
  :required (:|entityNames|)
  :tier :ask :effect :local :idempotent t
  :class (:delete)
  :output (:message :untrusted :success :untrusted)
  :nouns ("entities")
  :roles (:|entityNames| :id))

(deftool delete_observations
  :doc "Delete specific observations from entities in the knowledge graph"
  :params (:deletions (list (object (:|entityName| string :observations (list string))
                                    :required (:|entityName| :observations))))
  :required (:deletions)
  :tier :ask :effect :local :idempotent t
  :class (:delete)
  :output (:message :untrusted :success :untrusted)
  :nouns ("observations")
  :roles (:deletions :id))

(deftool delete_relations
  :doc "Delete multiple relations from the knowledge graph"
  :params (:relations (list (object (:from string :|relationType| string :to string)
                                    :required (:from :|relationType| :to))))
  :required (:relations)
  :tier :ask :effect :local :idempotent t
  :class (:delete)
  :output (:message :untrusted :success :untrusted)
  :nouns ("relations")
  :roles (:relations :id))

(deftool read_graph
  :doc "Read the entire knowledge graph"
  :tier :allow :effect :none
  :output (:|entityType| :untrusted :from :untrusted :name :untrusted :observations :untrusted
           :|relationType| :untrusted :to :untrusted) :nouns ("graph"))

(deftool search_nodes
  :doc "Search for nodes in the knowledge graph based on a query"
  :params (:query string)
  :required (:query)
  :tier :allow :effect :none
  :output (:|entityType| :untrusted :from :untrusted :name :untrusted :observations :untrusted
           :|relationType| :untrusted :to :untrusted) :nouns ("nodes") :roles (:query :object))

(deftool open_nodes
  :doc "Open specific nodes in the knowledge graph by their names"
  :params (:names (list string))
  :required (:names)
  :tier :allow :effect :none
  :output (:|entityType| :untrusted :from :untrusted :name :untrusted :observations :untrusted
           :|relationType| :untrusted :to :untrusted) :nouns ("nodes") :roles (:names :object))
