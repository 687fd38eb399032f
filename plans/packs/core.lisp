(:contracts
 ((:id "wr.contracts.loop_control" :kind "wr.loop_control"
   :schema (:type "object"
            :properties (:kind (:const "wr.loop_control") :decision (:enum ("continue" "stop")) :summary (:type "string"))
            :required ("kind" "decision"))
   :requirements ("Hand in one artifact of kind wr.loop_control."
                  "Its decision is \"continue\" or \"stop\".")
   :example (:kind "wr.loop_control" :decision "stop"))
  (:id "wr.contracts.assessment" :kind "wr.assessment"
   :schema (:type "object"
            :properties (:kind (:const "wr.assessment") :assessmentId (:type "string") :dimensions (:type "object"))
            :required ("kind" "dimensions"))
   :requirements ("Hand in one artifact of kind wr.assessment."
                  "Its dimensions give a level for each dimension, or a level with a rationale.")
   :example (:kind "wr.assessment" :dimensions {}))
  (:id "cortex.contracts.probe" :kind "cortex.probe"
   :schema (:type "object"
            :properties (:kind (:const "cortex.probe") :capability (:type "string") :available (:type "boolean"))
            :required ("kind" "capability" "available"))
   :requirements ("Hand in one artifact of kind cortex.probe, and say in it whether the capability was there.")
   :example (:kind "cortex.probe" :capability "web_browsing" :available t)))
 :refs
 ((:id "wr.refs.notes_first_durability"
   :text "Write what you decide and find into the notes of the step: they last, and files beside them need not."))
 :features
 ((:id "wr.features.capabilities" :config t
   :constraints ("If something that the work needs is not there, say so in the notes, and do what can be done without it."))
  (:id "wr.features.output_contracts" :config t
   :constraints ("Where a step asks for an artifact, hand in exactly the shape it asks for."))
  (:id "wr.features.mode_guidance" :config t
   :constraints ("Ask a person only for what you can neither find out nor reasonably assume."))
  (:id "wr.features.memory_context"
   :constraints ("If there is a memory of earlier work, look there first, and go on without it if it does not answer."))
  (:id "wr.features.subagent_guidance"
   :constraints ("Where you hand work out, give each a task of its own, and judge what comes back yourself.")))
 :capabilities
 ((:name "delegation" :probe "Hand a trivial task to another agent, such as to repeat one word, and see whether an answer comes back.")
  (:name "web_browsing" :probe "Fetch one public web page, and see whether its text comes back.")))
