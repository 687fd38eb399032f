; Bug hunt: nothing is mended before it was seen to fail
;
; The loop ends when the agent hands in that the error was reproduced, or after five attempts.
; Without a reproduction the run goes on to a report of what was tried, and changes no code.
(:id "examples.bug_hunt" :name "Bug hunt" :version "1.0.0"
 :description "Reproduce an error, find its cause, mend it with a test that failed before, and say what else it may touch."
 :meta-guidance ("Write down what you saw before you write down what you believe."
                 "Do not mend a second error on the way; note it.")
 :steps
 ((:id "report" :title "Read the report" :uses ("report") :gives ("expected")
   :prompt-blocks (:goal "Turn this report into one sentence of what happened and one of what should happen: {{report}}"
                   :procedure ("Name the version, the input and the place where it was seen."
                               "Mark what the report says and what you concluded."
                               "Hand in what should happen as the key expected.")
                   :verify ("A person who has not read the report could recognise the error.")))
  (:id "reproduce" :type :loop :title "Reproduce it"
   :loop (:type :while :max-iterations 5
          :condition-source (:kind :artifact-contract
                             :contract-ref "wr.contracts.loop_control"
                             :loop-id "reproduce"))
   :body
   ((:id "attempt" :title "Try to make it fail" :gives ("reproduced")
     :prompt "Attempt {{currentIteration}}. Write the smallest test or script that should show the error, and run it at the version of the report. Change one thing since the last attempt and say which. Hand in the key reproduced: true only if you saw the failure yourself, and quote its output.")
    (:id "seen" :title "Was it seen?"
     :prompt "Stop if the last attempt failed for the reason that the report gives, or if you have no further idea. A failure of another kind is not a reproduction."
     :output-contract (:contract-ref "wr.contracts.loop_control"))))
  (:id "give-up" :title "Report what was tried" :run-condition (:var "reproduced" :not-equals t)
   :prompt "List each attempt, what it changed and what it showed. Ask the reporter for the one fact that would help most. Change no code.")
  (:id "cause" :title "Find the cause" :run-condition (:var "reproduced")
   :prompt-blocks (:goal "Find the line whose change makes the failing test pass, and say why it is wrong."
                   :constraints ("A guard that hides the symptom is not a cause.")
                   :procedure ("Halve the distance: in the history, in the input, or along the call."
                               "State one rival cause and the observation that rules it out.")
                   :verify ("The cause explains why the error does not always happen.")))
  (:id "mend" :title "Mend it" :run-condition (:var "reproduced")
   :prompt "Keep the reproduction as a test. Make it pass with the smallest change at the cause, then run the tests of every package that uses what you changed. Quote the result of the new test before and after."
   :validation-criteria (:and ((:type :contains
                                :value "before"
                                :message "Quote the test before the change.")
                               (:type :contains
                                :value "after"
                                :message "Quote the test after the change."))))
  (:id "neighbours" :title "Look for its siblings" :run-condition (:var "reproduced")
   :prompt "Search for other places with the same mistake. List them with file and line, and say of each whether it can fail. Mend none of them here.")))
