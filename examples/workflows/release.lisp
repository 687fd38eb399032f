; Release: a person confirms, the engine tags, and a policy decides whether it may
;
; The two tool steps are taken by the engine, each after a decision of the gates over exactly the
; arguments that stand here. An agent that reads a changelog has no say in what they do.
(:id "examples.release" :name "Release" :version "1.0.0"
 :description "Check that a version can go out, write its notes, have a person confirm them, tag it, and look at it from outside."
 :recommended-preferences (:recommended-autonomy :full-auto-stop-on-user-deps
                           :recommended-risk-policy :conservative)
 :steps
 ((:id "ready" :title "Is it ready?" :uses ("version" "previous")
   :prompt-blocks (:goal "Find out whether {{version}} can be released."
                   :procedure ("Compare the main branch with {{previous}}."
                               "Look for a change of an interface or of stored data, and say how a user gets over it."
                               "See that the checks of the newest commit passed, and name that commit.")
                   :verify ("Each statement names a commit or a file."
                            "A check that did not run counts as failed.")))
  (:id "notes" :title "Write the notes"
   :prompt "Write the notes of {{version}} for those who upgrade: first what they must do, then what is new, then what was mended. Leave out what only insiders can see. One line per entry.")
  (:id "confirm" :title "A person reads the notes" :needs ("ready" "notes")
   :person (:kind :confirm
            :question "Release {{version}} with these notes? Tagging it can be seen by everybody."))
  (:id "tag" :title "Tag the version" :needs ("confirm")
   :tool "shell" :args (:cmd "git tag --annotate {{version}} --message {{version}}"))
  (:id "push" :title "Push the tag" :needs ("tag")
   :tool "shell" :args (:cmd "git push origin refs/tags/{{version}}"))
  (:id "look" :title "Look at it from outside" :needs ("push")
   :prompt "Install {{version}} in an empty directory, as a user would, and run it once. Quote the version that it prints. If it fails, say so in the first line and do not take the tag back: others may have it already."
   :validation-criteria ((:type :length :min 20
                          :message "Quote what the installed program printed.")))))
