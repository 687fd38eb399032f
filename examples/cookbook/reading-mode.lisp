(defaults :unknown-tool :deny)
(deftool read-page :doc "Reads a page." :params (:url url) :required (:url) :tier :allow :effect :none)
(deftool summarise :doc "Sums a text up." :params (:text string) :required (:text) :tier :allow :effect :none)
(deftool publish :doc "Publishes a text." :params (:text string) :required (:text) :tier :ask :effect :external)
(defskill reading-mode
  :doc "What the user asked for decides: without the word publish nothing is published."
  :trigger (= action.tool "publish")
  :gate
  ((reject not-asked
     :when (not (contains? (lower session.user-text) "publish"))
     :reason "the user did not ask for anything to be published")))
(defexample "an unknown tool" :action (:tool "delete-all" :args nil) :expect (deny default/unknown-tool))
(defexample "nobody asked"
  :session (:user "Sum this up.") :action (:tool "publish" :args (:text "x")) :expect (deny reading-mode/not-asked))
(defexample "the user asked, and still says yes"
  :session (:user "Publish it.") :action (:tool "publish" :args (:text "x")) :expect (ask tier/publish))
