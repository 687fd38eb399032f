(:id "acme.release_notes" :name "Release notes" :version "1.0.0"
 :description "Collect merged changes, draft notes, revise until a reviewer is satisfied."
 :recommended-preferences (:recommended-autonomy :full-auto-stop-on-user-deps)
 :capabilities (:web-browsing :preferred)
 :steps
 ((:id "collect" :title "Collect changes"
   :prompt-blocks (:goal "List every user-visible change since {{fromTag}}."
                   :procedure ("Read the merged titles." "Group them by area." "Put the list in context key changes.")
                   :verify ("Each entry cites a commit.")))
  (:id "refine" :type :loop :title "Draft and revise"
   :loop (:type :while :max-iterations 3
          :condition-source (:kind :artifact-contract :contract-ref "wr.contracts.loop_control" :loop-id "refine"))
   :body ((:id "draft" :title "Draft" :prompt "Write or improve the notes from the collected changes."
           :prompt-fragments ((:id "breaking" :when (:var "breaking" :equals t) :text "Open with a migration section.")))
          (:id "decide" :title "Good enough?" :prompt "Compare the draft with the change list."
           :output-contract (:contract-ref "wr.contracts.loop_control"))))
  (:id "publish" :title "Publish" :prompt "Publish after approval."
   :run-condition (:var "dryRun" :not-equals t)
   :require-confirmation (:kind :human-approval))))
