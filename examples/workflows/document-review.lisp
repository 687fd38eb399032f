; Document review: rounds of reading and writing, until a reader can act on the text
;
; The assessment holds the review to its own findings: while any dimension is poor, the reading
; is not accepted until the reviewer has said what would mend it.
(:id "examples.document_review" :name "Document review" :version "1.0.0"
 :description "Read a document as its readers would, improve it in rounds, and hand over a verdict with what is left."
 :agent-role "You are an editor. You defend the reader's time, and leave the author's opinions alone."
 :assessments
 ((:id "reading" :purpose "Whether the reader can act on the text."
   :dimensions ((:id "purpose"
                 :purpose "The first paragraph says what the text is for."
                 :levels ("poor" "fair" "good"))
                (:id "truth"
                 :purpose "Each statement can be checked."
                 :levels ("poor" "fair" "good"))
                (:id "length"
                 :purpose "Nothing could be left out."
                 :levels ("poor" "fair" "good")
                 :required nil))))
 :steps
 ((:id "reader" :title "Who reads it?" :uses ("document")
   :prompt "Name the reader of {{document}}, what that reader knows already, and what he or she should do afterwards. If the text does not tell, say what you assume.")
  (:id "rounds" :type :loop :title "Read and improve"
   :loop (:type :while :max-iterations 3
          :condition-source (:kind :artifact-contract
                             :contract-ref "wr.contracts.loop_control"
                             :loop-id "rounds"))
   :body
   ((:id "read" :title "Read it as that reader"
     :prompt-blocks (:goal "Read the text once from start to end and note where you stopped."
                     :constraints ("Quote the sentence; a finding without a quotation does not count."
                                   "Do not rewrite yet.")
                     :output-required (:findings "Place, quotation, and what the reader misunderstands")
                     :verify ("No finding is a matter of taste."))
     :assessment-refs ("reading")
     :assessment-consequences
     ((:when (:any-equals-level "poor" :for-assessment "reading")
       :effect (:kind :require-followup
                :guidance "For each poor dimension, name the one change that mends it, and judge again as if it were made."))))
    (:id "improve" :title "Mend the findings"
     :prompt "Mend each finding with the least change. Where the truth of a statement is open, ask instead of guessing, and mark the place.")
    (:id "enough" :title "Is another round worth it?"
     :prompt "Continue if a finding is left that would make the reader act wrongly. Do not continue for style."
     :output-contract (:contract-ref "wr.contracts.loop_control"))))
  (:id "verdict" :title "Hand it over"
   :prompt "Give the verdict: clean, minor or blocking. List what is left, the gravest first, each with its place."
   :output-contract (:contract-ref "wr.contracts.review_verdict"))))
