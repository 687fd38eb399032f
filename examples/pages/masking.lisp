(deftool post_note :params (:text string) :required (:text) :tier :allow)

(defskill masking
  :trigger (= action.tool "post_note")
  :gate ((rewrite cards
           :when (matches? action.args.text "\\b[0-9]{12}[0-9]{4}\\b")
           :set (:text (replace action.args.text "\\b[0-9]{12}([0-9]{4})\\b" "****$1"))
           :reason "card numbers are shown by their last four digits")
         (rewrite credentials
           :when (some (secrets action.args.text) t)
           :set (:text (redact action.args.text))
           :reason "credentials stay out of notes")))

(defexample "a card"
  :action (:tool "post_note" :args (:text "paid with 4111111111111111"))
  :expect (allow))
(defexample "a plain note"
  :action (:tool "post_note" :args (:text "call Ana back"))
  :expect (allow))
