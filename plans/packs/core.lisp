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
   :example (:kind "cortex.probe" :capability "web_browsing" :available t))
  (:id "wr.contracts.review_verdict" :kind "wr.review_verdict"
   :schema (:type "object"
            :properties (:kind (:const "wr.review_verdict") :verdict (:enum ("clean" "minor" "blocking"))
                         :confidence (:enum ("high" "medium" "low"))
                         :findings (:type "array"
                                    :items (:type "object"
                                            :properties (:severity (:enum ("critical" "major" "minor" "nit"))
                                                         :summary (:type "string" :minLength 1))
                                            :required ("severity" "summary")))
                         :summary (:type "string" :minLength 1))
            :required ("kind" "verdict" "confidence" "findings" "summary"))
   :requirements ("Hand in one artifact of kind wr.review_verdict with verdict, confidence, findings and summary.")
   :example (:kind "wr.review_verdict" :verdict "clean" :confidence "high" :findings () :summary "Nothing found"))
  (:id "wr.contracts.gate_verdict" :kind "wr.gate_verdict"
   :schema (:type "object"
            :properties (:kind (:const "wr.gate_verdict") :verdict (:enum ("approved" "rejected" "uncertain"))
                         :confidence (:enum ("high" "medium" "low")) :rationale (:type "string" :minLength 20))
            :required ("kind" "verdict" "confidence" "rationale"))
   :requirements ("Hand in one artifact of kind wr.gate_verdict with verdict, confidence and a rationale.")
   :example (:kind "wr.gate_verdict" :verdict "approved" :confidence "high" :rationale "The numbers are those of yesterday."))
  (:id "wr.contracts.coordinator_signal" :kind "wr.coordinator_signal"
   :schema (:type "object"
            :properties (:kind (:const "wr.coordinator_signal")
                         :signalKind (:enum ("progress" "finding" "data_needed" "approval_needed" "blocked"))
                         :payload (:type "object"))
            :required ("kind" "signalKind" "payload"))
   :requirements ("Hand in one artifact of kind wr.coordinator_signal with signalKind and payload.")
   :example (:kind "wr.coordinator_signal" :signalKind "progress" :payload {}))
  (:id "wr.contracts.discovery_handoff" :kind "wr.discovery_handoff"
   :schema (:type "object"
            :properties (:kind (:const "wr.discovery_handoff") :selectedDirection (:type "string" :minLength 1)
                         :confidenceBand (:enum ("high" "medium" "low"))
                         :keyInvariants (:type "array" :maxItems 12 :items (:type "string" :maxLength 200)))
            :required ("kind" "selectedDirection" "designDocPath" "confidenceBand" "keyInvariants"))
   :requirements ("Hand in one artifact of kind wr.discovery_handoff with the direction and what must stay true.")
   :example (:kind "wr.discovery_handoff" :version 1 :selectedDirection "Named views" :designDocPath ""
             :confidenceBand "low" :keyInvariants ()))
  (:id "wr.contracts.shaping_handoff" :kind "wr.shaping_handoff"
   :schema (:type "object" :properties (:kind (:const "wr.shaping_handoff") :pitchPath (:type "string" :minLength 1))
            :required ("kind" "pitchPath" "selectedShape" "appetite" "keyConstraints" "rabbitHoles" "outOfScope"
                       "validationChecklist"))
   :requirements ("Hand in one artifact of kind wr.shaping_handoff with the pitch, its borders and its checklist.")
   :example (:kind "wr.shaping_handoff" :version 1 :pitchPath "pitch.md" :selectedShape "A filter with a name"
             :appetite "Two weeks" :keyConstraints () :rabbitHoles () :outOfScope () :validationChecklist ()))
  (:id "wr.contracts.coding_handoff" :kind "wr.coding_handoff"
   :schema (:type "object" :properties (:kind (:const "wr.coding_handoff") :filesChanged (:type "array" :maxItems 20))
            :required ("kind" "keyDecisions" "knownLimitations" "testsAdded" "filesChanged"))
   :requirements ("Hand in one artifact of kind wr.coding_handoff with decisions, limits, tests and files.")
   :example (:kind "wr.coding_handoff" :version 1 :keyDecisions () :knownLimitations () :testsAdded () :filesChanged ()))
  (:id "wr.contracts.differentiation_handoff" :kind "wr.differentiation_handoff"
   :schema (:type "object" :properties (:kind (:const "wr.differentiation_handoff") :shapingHandoff (:type "object"))
            :required ("kind" "generatedAt" "evidenceFreshness" "validationChecklist" "shapingHandoff"))
   :requirements ("Hand in one artifact of kind wr.differentiation_handoff with its evidence and the hand-over.")
   :example (:kind "wr.differentiation_handoff" :version 1 :generatedAt "2026-01-01T00:00:00Z" :evidenceFreshness {}
             :validationChecklist () :shapingHandoff {})))
 :refs
 ((:id "wr.refs.notes_first_durability"
   :text "Write what you decide and find into the notes of the step: they last, and files beside them need not.")
  (:id "wr.refs.adversarial_challenge_rules"
   :text "Try to break the leading answer: name what would disprove it, and go and look for that.")
  (:id "wr.refs.synthesis_under_disagreement"
   :text "Where views differ, write down on which fact they differ, and settle the fact before the view."))
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
