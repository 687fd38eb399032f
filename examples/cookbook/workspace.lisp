(deftool read-file :doc "Reads a file." :params (:path path) :required (:path) :tier :allow :effect :none)
(deftool write-file :doc "Writes a file." :params (:path path :text string) :required (:path :text) :tier :allow :effect :local)
(deflist keys "**/.env" "**/.env.*" "**/.ssh/**" "**/*.pem" "**/id_*" "**/*secret*")
(defskill workspace
  :trigger (in action.tool ("read-file" "write-file"))
  :gate
  ((reject outside
     :when (some (paths action) (not (under? it facts.env.cwd)))
     :reason "stay in the workspace")
   (reject keys
     :when (some (paths action) (glob-any? it keys :fold))
     :reason "keys and settings are not yours to touch")
   (ask dependencies
     :when (and (= action.tool "write-file") (some (paths action) (glob-any? it ("**/go.mod" "**/package.json" "**/pyproject.toml"))))
     :reason "this changes what the project depends on")))
(defexample "a file of the project"
  :facts (:env (:cwd "/work")) :action (:tool "read-file" :args (:path "src/main.go")) :expect (allow))
(defexample "by way of .."
  :facts (:env (:cwd "/work")) :action (:tool "read-file" :args (:path "src/../../etc/passwd")) :expect (deny workspace/outside))
(defexample "a key"
  :facts (:env (:cwd "/work")) :action (:tool "read-file" :args (:path ".ENV")) :expect (deny workspace/keys))
