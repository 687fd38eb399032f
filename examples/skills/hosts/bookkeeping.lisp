; What coding agents do for themselves: lists, questions to the user, plans, parts of the work
; handed to another agent of the same host. It changes nothing outside the host, so it is
; allowed. A tool that is not listed is asked about; an argument that is not, refused.

(defaults :unknown-tool :ask)

; Claude Code, Cursor

(deftool |TodoWrite|
  :doc "Keep a list of what is to do."
  :params (:todos any :merge boolean)
  :tier :allow :effect :none :output :untrusted)

(deftool |Agent|
  :doc "Let another agent of this host work on a part. Its calls are judged like all others."
  :params (:description string :prompt string :subagent_type string :model string :effort string
           :run_in_background boolean :name string :team_name string :mode string
           :isolation (enum "worktree"))
  :tier :allow :effect :none :output :untrusted)

(deftool |Task|
  :doc "The same, in older versions, Cursor and Copilot."
  :params (:description string :prompt string :subagent_type string :agent_type string :model string
           :run_in_background boolean :name string :mode string :resume string :readonly boolean)
  :tier :allow :effect :none :output :untrusted)

(deftool |AskUserQuestion|
  :doc "Ask the user."
  :params (:questions any :answers any :annotations any :metadata any)
  :tier :allow :effect :none :output :untrusted)

(deftool |EnterPlanMode|
  :doc "Begin to plan."
  :tier :allow :effect :none :output :untrusted)

(deftool |ExitPlanMode|
  :doc "Show the user a plan."
  :params (:plan string :|planFilePath| string :|allowedPrompts| any)
  :tier :allow :effect :none :output :untrusted)

(deftool |TaskCreate|
  :doc "Note something to do."
  :params (:subject string :description string :|activeForm| string :metadata any)
  :tier :allow :effect :none :output :untrusted)

(deftool |TaskGet|
  :doc "Read a note of something to do."
  :params (:|taskId| string)
  :tier :allow :effect :none :output :untrusted)

(deftool |TaskUpdate|
  :doc "Change a note of something to do."
  :params (:|taskId| string :status string :subject string :description string :|activeForm| string
           :owner string :|addBlocks| any :|addBlockedBy| any :metadata any)
  :tier :allow :effect :none :output :untrusted)

(deftool |TaskList|
  :doc "List what is to do."
  :tier :allow :effect :none :output :untrusted)

(deftool |TaskOutput|
  :doc "Read what a command in the background has printed."
  :params (:task_id string :block boolean :timeout integer)
  :tier :allow :effect :none :output :untrusted)

(deftool |BashOutput|
  :doc "The same, in older versions."
  :params (:bash_id string :filter string)
  :tier :allow :effect :none :output :untrusted)

(deftool |TaskStop|
  :doc "Stop a command in the background."
  :params (:task_id string :shell_id string)
  :tier :allow :effect :none :output :untrusted)

(deftool |KillShell|
  :doc "The same, in older versions."
  :params (:shell_id string)
  :tier :allow :effect :none :output :untrusted)

(deftool |ToolSearch|
  :doc "Find tools by name."
  :params (:query string :max_results integer)
  :tier :allow :effect :none :output :untrusted)

(deftool |Skill|
  :doc "Read instructions that are installed in the host."
  :params (:skill string :args string)
  :tier :allow :effect :none :output :untrusted)

(deftool |ReadLints|
  :doc "Read what the editor's checkers found."
  :params (:paths (list string))
  :tier :allow :effect :none :output :untrusted)

; Codex

(deftool update_plan
  :doc "Keep a list of what is to do."
  :params (:plan any :explanation string)
  :tier :allow :effect :none :output :untrusted)

(deftool request_user_input
  :doc "Ask the user."
  :params (:questions any)
  :tier :allow :effect :none :output :untrusted)

(deftool spawn_agent
  :doc "Let another agent of this host work on a part. Its calls are judged like all others."
  :params (:message string :items any :agent_type string :task_name string :fork_context boolean
           :fork_turns string :model string :reasoning_effort string)
  :tier :allow :effect :none :output :untrusted)

(deftool send_input
  :doc "Tell such an agent something."
  :params (:id string :target string :message string :items any :interrupt boolean)
  :tier :allow :effect :none :output :untrusted)

(deftool wait_agent
  :doc "Wait for such an agent."
  :params (:ids (list string) :targets (list string) :timeout_ms integer)
  :tier :allow :effect :none :output :untrusted)

(deftool close_agent
  :doc "End such an agent."
  :params (:id string :target string)
  :tier :allow :effect :none :output :untrusted)

; Gemini CLI

(deftool write_todos
  :doc "Keep a list of what is to do."
  :params (:todos any)
  :tier :allow :effect :none :output :untrusted)

(deftool ask_user
  :doc "Ask the user."
  :params (:questions any)
  :tier :allow :effect :none :output :untrusted)

(deftool enter_plan_mode
  :doc "Begin to plan."
  :params (:reason string)
  :tier :allow :effect :none :output :untrusted)

(deftool exit_plan_mode
  :doc "Show the user a plan."
  :params (:plan_filename string :plan_path string)
  :tier :allow :effect :none :output :untrusted)

(deftool activate_skill
  :doc "Read instructions that are installed in the host."
  :params (:name string)
  :tier :allow :effect :none :output :untrusted)

(deftool update_topic
  :doc "Say what the conversation is about."
  :params (:title string :summary string :strategic_intent string)
  :tier :allow :effect :none :output :untrusted)

(deftool get_internal_docs
  :doc "Read the host's own manual."
  :params (:path string)
  :tier :allow :effect :none :output :untrusted)

(deftool invoke_agent
  :doc "Let another agent of this host work on a part. Its calls are judged like all others."
  :params (:agent_name string :prompt string)
  :tier :allow :effect :none :output :untrusted)

(deftool complete_task
  :doc "End the work of such an agent."
  :params (:result any :response any)
  :tier :allow :effect :none :output :untrusted)

; Copilot

(deftool report_intent
  :doc "Say what comes next."
  :params (:intent string)
  :tier :allow :effect :none :output :untrusted)

(deftool update_todo
  :doc "Keep a list of what is to do."
  :params (:todos any)
  :tier :allow :effect :none :output :untrusted)

; What is typed into a running command is a command. Empty text only waits for output.

(deftool write_stdin
  :doc "Type into a command that is running (Codex)."
  :params (:session_id any :chars string :yield_time_ms integer :max_output_tokens integer)
  :tier :ask :effect :external :output :untrusted)

(defskill hosts-typing
  :doc "Waiting for output types nothing."
  :priority 100
  :trigger (= action.tool "write_stdin")
  :gate
  ((allow waits :when (= (get action.args.chars "") "") :reason "only waits for output")))

(defexample "a list of what is to do"
  :action (:tool "TodoWrite" :args (:todos ((:content "test" :status "pending"))))
  :expect (allow |tier/TodoWrite|))

(defexample "a part of the work, far away, is not the same host"
  :action (:tool "Agent" :args (:description "look" :prompt "look around" :isolation "remote"))
  :expect (deny))

(defexample "waiting for output"
  :action (:tool "write_stdin" :args (:session_id 1 :chars ""))
  :expect (allow hosts-typing/waits))

(defexample "typing into a shell"
  :action (:tool "write_stdin" :args (:session_id 1 :chars "rm -rf /\n"))
  :expect (ask tier/write_stdin))
