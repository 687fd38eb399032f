; What the host of the thirty workflows registers: the contracts of its hand-overs, and its snippets
(:contracts
 ((:id "wr.contracts.review_verdict" :kind "wr.review_verdict"
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
 ((:id "wr.refs.adversarial_challenge_rules"
   :text "Try to break the leading answer: name what would disprove it, and go and look for that.")
  (:id "wr.refs.synthesis_under_disagreement"
   :text "Where views differ, write down on which fact they differ, and settle the fact before the view.")))
