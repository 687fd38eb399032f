package tools

import (
	"encoding/json"

	"github.com/opencortex-go/cortex/plans/state"
)

// Intent says what an agent is to do next.
type Intent string

// The intents.
const (
	Perform        Intent = "perform_pending_then_continue"
	AwaitPerson    Intent = "await_user_confirmation" // a person is asked; read again later
	OnlyRehydrate  Intent = "rehydrate_only"          // the engine has the step, or nothing can be handed in; read again
	NothingMore    Intent = "complete"
	replyKindOK           = "ok"
	replyKindBlock        = "blocked"
)

// Reply is the answer to a call that starts a run, continues one, or sets a checkpoint. It holds
// one ticket, and says in every case which run, workflow and step it is about.
type Reply struct {
	Kind string `json:"kind"` // ok or blocked
	Run  RunRef `json:"run"`
	// Text is the whole answer for a model, in its own words: what is pending, what blocks, what
	// to call next.
	Text string `json:"text"`
	// ContinueToken is the ticket. It is "" if nothing can be handed in or read on.
	ContinueToken string `json:"continueToken,omitempty"`
	// RetryToken is the ticket for another try at a step that was blocked.
	RetryToken  string          `json:"retryContinueToken,omitempty"`
	IsComplete  bool            `json:"isComplete"`
	Pending     *Pending        `json:"pending"` // null if nothing is
	Preferences Preferences     `json:"preferences"`
	NextIntent  Intent          `json:"nextIntent"`
	NextCall    *NextCall       `json:"nextCall"` // null if there is nothing to call
	Blockers    []state.Blocker `json:"blockers,omitempty"`
	Retryable   bool            `json:"retryable,omitempty"`
	Validation  *Validation     `json:"validation,omitempty"`
	Checkpoint  string          `json:"checkpointNodeId,omitempty"`
	Warnings    []string        `json:"warnings,omitempty"`
	// Recovery is what a run did so far, after its place was read again: at most 24,576 bytes.
	Recovery string `json:"recovery,omitempty"`
}

// RunRef names a run, so that an agent with several does not mix them up.
type RunRef struct {
	Label    string `json:"label"` // as it stands in the run's tickets
	RunID    string `json:"runId"`
	Workflow string `json:"workflowId"`
	Step     string `json:"step,omitempty"` // the title of the pending step
}

// Pending is the step that is due.
type Pending struct {
	StepID    string `json:"stepId"`
	Title     string `json:"title"`
	Prompt    string `json:"prompt"`
	AgentRole string `json:"agentRole,omitempty"`
}

// NextCall is the call to make next, as it is.
type NextCall struct {
	Tool   Name              `json:"tool"`
	Params map[string]string `json:"params"`
}

// Validation says what was wrong with an output, and what would be right.
type Validation struct {
	Issues      []string `json:"issues"`
	Suggestions []string `json:"suggestions"`
}

// Workflow is one workflow in a list.
type Workflow struct {
	ID          string   `json:"workflowId"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Version     string   `json:"version"`
	Kind        string   `json:"kind"`         // workflow or routine
	Hash        string   `json:"workflowHash"` // of the plan that a start would run
	IDStatus    string   `json:"idStatus"`     // namespaced or legacy
	SuggestedID string   `json:"suggestedId,omitempty"`
	Source      string   `json:"source,omitempty"` // its kind and file, if sources were asked for
	Tags        []string `json:"tags,omitempty"`
}

// Workflows is the answer to list_workflows: by namespace, kind and id.
type Workflows struct {
	Workflows []Workflow `json:"workflows"`
	// Warnings are the files that do not compile, which nothing can be started from.
	Warnings []Broken `json:"validationWarnings,omitempty"`
}

// Broken is a workflow that does not compile.
type Broken struct {
	ID     string   `json:"workflowId,omitempty"`
	Source string   `json:"source"` // its kind and file
	Errors []string `json:"errors"` // with line and column
}

// Inspected is the answer to inspect_workflow.
type Inspected struct {
	ID       string          `json:"workflowId"`
	Hash     string          `json:"workflowHash"`
	Mode     string          `json:"mode"`
	Compiled json.RawMessage `json:"compiled"` // the whole plan, or what describes it
	Warnings []string        `json:"warnings,omitempty"`
}

// Candidates is the answer to resume_session: at most five, the best first.
type Candidates struct {
	Candidates []Candidate `json:"candidates"`
	Total      int         `json:"totalEligible"`
}

// Candidate is a run that one might go on with.
type Candidate struct {
	SessionID  string    `json:"sessionId"`
	RunID      string    `json:"runId"`
	Workflow   string    `json:"workflowId"`
	Title      string    `json:"title,omitempty"`  // the goal, shortened
	Snippet    string    `json:"snippet"`          // of the newest notes, at most 2,048 bytes
	Why        []string  `json:"whyMatched"`       // matched_id, matched_notes, ...
	Confidence string    `json:"confidence"`       // strong, medium or weak
	Explained  string    `json:"matchExplanation"` // a sentence
	Pending    string    `json:"pendingStepId,omitempty"`
	IsComplete bool      `json:"isComplete"`
	Token      string    `json:"resumeToken,omitempty"` // reads the run's newest place
	NextCall   *NextCall `json:"nextCall"`
}
