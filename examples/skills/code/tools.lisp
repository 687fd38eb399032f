; Tools that run programs. Both ask: where the skill that judges the language is not
; configured, a person decides. Where it is, it vouches for what keeps to the workspace.

(deftool python
  :doc "Run a program in Python, in the workspace."
  :params (:code string)
  :required (:code)
  :tier :ask :effect :external
  :output :untrusted)

(deftool javascript
  :doc "Run a program in JavaScript with Node, in the workspace."
  :params (:code string)
  :required (:code)
  :tier :ask :effect :external
  :output :untrusted)

(defexample "no skill vouches for code"
  :action (:tool "python" :args (:code "print(1)"))
  :expect (ask tier/python))

(defexample "one does"
  :action (:tool "python" :args (:code "print(1)"))
  :plugins ((:name "python-code" :answer :allow))
  :expect (allow python-code/main))

(defexample "one denies"
  :action (:tool "javascript" :args (:code "process.exit()"))
  :plugins ((:name "javascript-code" :answer :reject))
  :expect (deny javascript-code/main))
