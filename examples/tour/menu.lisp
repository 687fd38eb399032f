; The capability of the tour: a page takes the place of the menu, and goes again if it is the wrong one.

(defcapability menu.publish
  :version "1.0.0" :owner "the household" :scope :project
  :doc "Puts a page up as the menu, if the dish stands on it."
  :inputs (:page string :dish string) :required (:page :dish) :outputs (:line string)
  :once (:key ("menu.publish" :page :dish))
  :plan ((keep :tool "shell" :args (:cmd "cp menu.txt before.txt" :timeout 10) :undo
               "a copy harms nothing")
         (put :tool "shell" :args (:cmd "cp {{page}} menu.txt" :timeout 10)
              :undo (:tool "shell" :args (:cmd "cp before.txt menu.txt" :timeout 10)))
         (check :tool "shell" :args (:cmd "grep {{dish}} menu.txt" :timeout 10) :out (:line text)
                :undo "only reads"))
  :result (:line "{{work.line}}")
  :tests ((right :inputs (:page "week.txt" :dish "stew") :stubs (:check (:text "stew"))
                 :expect (:status :ok :outputs (:line "stew") :steps ("keep" "put" "check")))
          (wrong :inputs (:page "week.txt" :dish "fish") :stubs (:check (:error "not there"))
                 :expect (:status :partial_failure :steps ("keep" "put" "check"))))
  :fuzz (:count 5))
