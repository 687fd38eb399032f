; Reads pass, but a request to a host tells the host something.

(include "terms.lisp")

(defskill guard-reads
  :doc "Texts do not choose whom the agent asks."
  :priority 120
  :trigger (and (read-untrusted? t) (reads?))
  :gate
  ((deny alien-host
     :when (some (arguments :net) (alien? it.value))
     :reason "a text that speaks to the agent gave this address")
   (deny named
     :when (and (= (commanded :alien 0) 3) (= (fit 2) 0))
     :reason "a text that speaks to the agent names this tool, and the user asked for nothing like it")
   (ask ordered
     :when (and session.whole (/= (get session.user-text "") "")
                (some (arguments :net)
                  (and (order? it.origin) (not (pointed? it.value)) (not (delegated? it.value))))
                (not (spared?)))
     :reason "a directive in a text that the user did not point at gave this address")
   (ask fetched
     :when (and session.whole (/= (get session.user-text "") "")
                (matches? (lower action.tool) "download|install")
                (some (arguments :net) (and (/= it.origin "user") (elsewhere? it.value)))
                (not (spared?)))
     :reason "it brings in a file from another site than what the user handed the task to")
   (ask data
     :when (and session.whole (/= (get session.user-text "") "")
                (some (arguments :net)
                  (and (in it.origin ("prose-host" "zone-host" "record-host"))
                       (matches? (lower it.text) "[?&=]"))))
     :reason "it carries data to a host that a result gave")))
