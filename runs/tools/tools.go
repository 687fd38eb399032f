package tools

import "encoding/json"

// Name is the name of a tool.
type Name string

// The tools. There is no seventh: what people and programs look at is not for agents.
const (
	List       Name = "list_workflows"
	Inspect    Name = "inspect_workflow"
	Start      Name = "start_workflow"
	Continue   Name = "continue_workflow"
	Checkpoint Name = "checkpoint_workflow"
	Resume     Name = "resume_session"
)

// Call is what an agent asks of one tool.
//
//sumtype:decl
type Call interface {
	// Tool is the tool that is asked.
	Tool() Name
	// check says what the types cannot.
	check() error
}

// Described is a tool as an agent hears of it.
type Described struct {
	Name  Name
	Doc   string // what it does and when to use it, for a model
	Reads bool   // writes nothing
	// Input is an empty call, whose type has the fields.
	Input Call
}

// All are the tools, in the order in which an agent needs them.
func All() []Described {
	return []Described{
		{List, "The workflows that can be started. With tags, those that have one of them.", true, &ListWorkflows{}},
		{Inspect, "One workflow before you start it: its steps, or its description alone.", true, &InspectWorkflow{}},
		{
			Start,
			"Begin a run of a workflow. The answer holds the first step and one continueToken. Do the step, then call " +
				"continue_workflow with that token and your notes.",
			false,
			&StartWorkflow{},
		},
		{Continue, "Hand in the pending step and get the next one, or read again where the run stands. With output it " +
			"advances; without, it only reads. Copy continueToken from the newest answer of the same run.", false,
			&ContinueWorkflow{}},
		{Checkpoint, "Remember this place of the run without finishing the step.", false, &CheckpointWorkflow{}},
		{
			Resume,
			"Find a run to go on with after the conversation was lost: by words from its notes, by its id, by branch " +
				"or commit. Nothing is changed.",
			true,
			&ResumeSession{},
		},
	}
}

// ListWorkflows asks which workflows there are.
type ListWorkflows struct {
	WorkspacePath  string   `json:"workspacePath,omitempty" jsonschema:"absolute path of the folder that you work in"`
	Tags           []string `json:"tags,omitempty" jsonschema:"only workflows with one of these tags"`
	IncludeSources bool     `json:"includeSources,omitempty" jsonschema:"say where each comes from"`
}

// InspectWorkflow asks for one workflow.
type InspectWorkflow struct {
	WorkflowID string `json:"workflowId" jsonschema:"as list_workflows names it"`
	Mode       string `json:"mode,omitempty" jsonschema:"metadata, or preview with the steps; preview if absent"`
}

// StartWorkflow begins a run.
type StartWorkflow struct {
	WorkflowID    string         `json:"workflowId" jsonschema:"as list_workflows names it"`
	Goal          string         `json:"goal" jsonschema:"what is to be reached, in a sentence"`
	WorkspacePath string         `json:"workspacePath,omitempty" jsonschema:"absolute path of the folder that you work in"`
	Context       map[string]any `json:"context,omitempty" jsonschema:"values that the workflow's steps may name"`
	Preferences   *Preferences   `json:"preferences,omitempty" jsonschema:"how far to go without the user"`
	RequestID     string         `json:"requestId,omitempty" jsonschema:"a name of this request: the same again starts nothing new"`
}

// Preferences are how far a run goes without its user. The host bounds what an agent may choose.
type Preferences struct {
	Autonomy   string `json:"autonomy,omitempty" jsonschema:"guided, full_auto_stop_on_user_deps or full_auto_never_stop"`
	RiskPolicy string `json:"riskPolicy,omitempty" jsonschema:"conservative, balanced or aggressive"`
}

// ContinueWorkflow hands in a step, or reads again where the run stands.
type ContinueWorkflow struct {
	ContinueToken string         `json:"continueToken" jsonschema:"from the newest answer of this run, as it is"`
	Intent        string         `json:"intent,omitempty" jsonschema:"advance or rehydrate; if absent, advance where there is output"`
	Context       map[string]any `json:"context,omitempty" jsonschema:"values that are new or changed; null removes one"`
	Output        *Output        `json:"output,omitempty" jsonschema:"what the step gave"`
}

// Output is what a step gave.
type Output struct {
	NotesMarkdown string            `json:"notesMarkdown,omitempty" jsonschema:"10 to 30 lines about this step alone"`
	Artifacts     []json.RawMessage `json:"artifacts,omitempty" jsonschema:"objects that the step's contract asks for"`
}

// CheckpointWorkflow remembers a place of a run.
type CheckpointWorkflow struct {
	CheckpointToken string  `json:"checkpointToken" jsonschema:"the checkpointToken or continueToken of the newest answer"`
	Output          *Output `json:"output,omitempty" jsonschema:"notes on how far the step is"`
}

// ResumeSession looks for a run to go on with.
type ResumeSession struct {
	Query             string `json:"query,omitempty" jsonschema:"words that stand in the run's notes"`
	RunID             string `json:"runId,omitempty" jsonschema:"the run, if you know it"`
	SessionID         string `json:"sessionId,omitempty" jsonschema:"the run's log, if you know it"`
	GitBranch         string `json:"gitBranch,omitempty" jsonschema:"the branch that you are on"`
	GitHeadSHA        string `json:"gitHeadSha,omitempty" jsonschema:"the commit that you are on, 40 hexadecimal digits"`
	WorkspacePath     string `json:"workspacePath,omitempty" jsonschema:"absolute path of the folder that you work in"`
	SameWorkspaceOnly bool   `json:"sameWorkspaceOnly,omitempty" jsonschema:"only runs that were started there"`
}

// Tool implements [Call].
func (*ListWorkflows) Tool() Name { return List }

// Tool implements [Call].
func (*InspectWorkflow) Tool() Name { return Inspect }

// Tool implements [Call].
func (*StartWorkflow) Tool() Name { return Start }

// Tool implements [Call].
func (*ContinueWorkflow) Tool() Name { return Continue }

// Tool implements [Call].
func (*CheckpointWorkflow) Tool() Name { return Checkpoint }

// Tool implements [Call].
func (*ResumeSession) Tool() Name { return Resume }

// Advances says whether the call hands in a step: it says so, or has an output.
func (c *ContinueWorkflow) Advances() bool {
	return c.Intent == "advance" || c.Intent == "" && c.Output != nil
}
