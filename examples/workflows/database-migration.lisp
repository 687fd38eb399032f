; Database migration: no change without a backup that was seen to restore
;
; A person chooses the moment, for the choice cannot be undone by choosing again. `:needs` ties
; the migration to the backup and to its trial: if either was refused or left out, the engine
; leaves the migration out too, whatever the mode of the run.
(:id "examples.database_migration" :name "Database migration" :version "1.0.0"
 :description "Rehearse a migration on a copy, back the database up, have a person choose when to switch, migrate, and compare."
 :recommended-preferences (:recommended-autonomy :guided :recommended-risk-policy :conservative)
 :steps
 ((:id "rehearse" :title "Rehearse on a copy" :uses ("database" "migration") :gives ("minutes")
   :prompt-blocks (:goal "Run {{migration}} on a fresh copy of {{database}} and measure it."
                   :constraints ("Never run it on {{database}} itself."
                                 "Use a copy of full size; a sample hides the locks.")
                   :procedure ("Note the longest lock and the tables that it held."
                               "Write the statements that undo the migration, and run them on the copy."
                               "Hand in the time it took as the key minutes.")
                   :verify ("After the undo, the schema of the copy equals that of {{database}}.")))
  (:id "backup" :title "Back it up" :needs ("rehearse")
   :tool "shell" :args (:cmd "pg_dump --format=custom --file=before.dump {{database}}"))
  (:id "restore" :title "Try the backup" :needs ("backup")
   :tool "shell"
   :args (:cmd "pg_restore --exit-on-error --no-owner --dbname=restore_trial before.dump"))
  (:id "when" :title "Choose the moment" :needs ("restore") :gives ("when")
   :person (:kind :choice
            :question "The rehearsal took {{minutes}} minutes. When shall the migration run?"
            :choices ("now" "tonight" "not at all")
            :non-assumable :irreversible-action))
  (:id "migrate" :title "Migrate" :needs ("backup" "restore" "when")
   :run-condition (:var "when" :not-equals "not at all")
   :require-confirmation (:kind :human-approval)
   :tool "shell"
   :args (:cmd "psql --single-transaction --set=ON_ERROR_STOP=1 --file {{migration}} {{database}}"))
  (:id "compare" :title "Compare" :needs ("migrate")
   :run-condition (:var "when" :not-equals "not at all")
   :prompt "Compare the row counts of each table that changed with those of the rehearsal, and watch the error rate for ten minutes. Quote both. If a count differs, say so first and propose the undo; do not run it.")
  (:id "record" :title "Write it down"
   :prompt "Write down when it ran or why it did not, how long it took, and until when the backup must be kept.")))
