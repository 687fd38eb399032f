package api

import "encoding/json"

// The requests and answers of the API. openapi.json is made from them by `make generate`:
// comments of types and fields are its descriptions, and what has no omitempty is required.

// Session names a conversation of the caller's.
type Session struct {
	ID string `json:"id"` // the caller's own name of it, 1 to 200 bytes
	// Host is the kind of program: "claude", "mcp", "langgraph"; "" means "api".
	Host string `json:"host,omitempty"`
	// Partial says that the caller does not report every result that the model reads.
	Partial bool `json:"partial,omitempty"`
}

// Action is a call of a tool.
type Action struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"` // an object; absent means {}
}

// Question asks for a decision on an action.
type Question struct {
	Session     Session `json:"session"`
	Action      Action  `json:"action"`
	Explanation string  `json:"explanation,omitempty"` // the model's, outside the action's digest
	// Project are the folders that the caller's host names as its project. They hold if the host's process
	// stands in one of them, or in no folder that could be a project.
	Project []string `json:"project,omitempty"`
}

// Reason is why an action is not allowed as it stands, as a model may read it.
type Reason struct {
	Key       string `json:"key"`
	Text      string `json:"text"`
	Retryable bool   `json:"retryable"` // another proposal may be allowed
}

// Decision is the answer to a Question, on record.
type Decision struct {
	Decision string   `json:"decision" enum:"allow,ask,deny"`
	Key      string   `json:"key"` // the rule that decided
	Reasons  []Reason `json:"reasons"`
	Action   *Action  `json:"action,omitempty"`   // after all rewrites
	Digest   string   `json:"digest,omitempty"`   // of that action
	Policy   string   `json:"policy"`             // digest of the rules in force
	Record   uint64   `json:"record"`             // its number in the journal
	Approval string   `json:"approval,omitempty"` // token of the card that asks people
}

// BeginRequest asks for the permit of a decision.
type BeginRequest struct {
	Session Session `json:"session"`
	Record  uint64  `json:"record"`         // of the decision
	Call    string  `json:"call,omitempty"` // the caller's id of the call, for Finish; unique among open ones
	Hold    int     `json:"hold,omitempty"` // seconds to wait for people, at most 3600
}

// JudgeRequest is a Question and a BeginRequest in one.
type JudgeRequest struct {
	Question
	Call     string `json:"call,omitempty"`
	Hold     int    `json:"hold,omitempty"`
	Withdraw bool   `json:"withdraw,omitempty"` // take the card back if the caller hangs up while it waits
}

// Ruling is the decision, and the permit if it is an allow. The tool may run if Decision
// is "allow", with Action's arguments, once. Then Finish must follow.
type Ruling struct {
	Decision
	Rewritten bool   `json:"rewritten,omitempty"`       // Action differs from what was asked
	Intent    uint64 `json:"intent,omitempty"`          // the number of the intent in the journal
	Key2      string `json:"idempotency_key,omitempty"` // the same for every try of this call
}

// Outcome is how a call ended.
type Outcome struct {
	Session Session         `json:"session"`
	Intent  uint64          `json:"intent,omitempty"`
	Call    string          `json:"call,omitempty"`                           // instead of Intent; both name one call
	State   string          `json:"state" enum:"done,failed,nothing,unknown"` // nothing: it had no effect
	Result  json.RawMessage `json:"result,omitempty"`                         // what the tool returned
	Text    string          `json:"text,omitempty"`                           // the same as text, where there is no JSON
	Error   string          `json:"error,omitempty"`
	Cut     bool            `json:"cut,omitempty"` // the model read more than this holds
}

// Words are what a person said to the caller's model, or a text that it read.
type Words struct {
	Session Session `json:"session"`
	Text    string  `json:"text"`
	Name    string  `json:"name,omitempty"` // of a text that was read: a file, a tool's description
	Key     string  `json:"key,omitempty"`  // the same text under the same key is one message; another text is refused
}

// EndRequest ends a session, or the model's turn in it.
type EndRequest struct {
	Session Session `json:"session"`
}

// WithdrawRequest takes back a card of the caller's own session.
type WithdrawRequest struct {
	Session Session `json:"session"`
	Token   string  `json:"token"` // of the card
}

// Heard is the answer to Words.
type Heard struct {
	Record uint64 `json:"record"`
	User   bool   `json:"user"` // they count as the user's words
}

// Reply is how the daemon's own model answered.
type Reply struct {
	Signal   uint64 `json:"signal"`
	Text     string `json:"text"`
	Notice   string `json:"notice,omitempty"`
	Approval string `json:"approval,omitempty"`
}

// Card is a question to people.
type Card struct {
	Token   string   `json:"token"`
	State   string   `json:"state" enum:"pending,approved,denied,expired,superseded,withdrawn,consumed"`
	Action  *Action  `json:"action,omitempty"`
	Kind    string   `json:"kind,omitempty"`    // of a question for a person; it is not answered here
	Choices []string `json:"choices,omitempty"` // that it offers
	Digest  string   `json:"digest"`
	Session string   `json:"session"`
	Reasons []Reason `json:"reasons,omitempty"` // why it asks
	Steps   []Step   `json:"steps,omitempty"`   // of a plan, all of them
	Created string   `json:"created"`           // RFC 3339
	Expires string   `json:"expires"`
	By      string   `json:"by,omitempty"`
	Why     string   `json:"why,omitempty"`
}

// Step is a step of the plan that a card is about.
type Step struct {
	Name    string   `json:"name"`
	Asks    bool     `json:"asks"`              // a yes to the card is about this step too
	Action  *Action  `json:"action,omitempty"`  // exactly what it does; absent where that is known only when it is due
	Digest  string   `json:"digest,omitempty"`  // of that action
	Reasons []Reason `json:"reasons,omitempty"` // why it asks
	Note    string   `json:"note,omitempty"`    // for people: why it is open, or what is asked besides if it fails
}

// Capability is a tested plan that is called as a tool. The daemon runs it.
type Capability struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"` // of the arguments: JSON Schema
}

// Capabilities are those that may be started now.
type Capabilities struct {
	Version      string       `json:"version"` // changes with the list
	Capabilities []Capability `json:"capabilities"`
}

// Called is what a call of a capability came to. Where Decision is not "allow", nothing has run.
type Called struct {
	Decision
	State  string          `json:"state,omitempty" enum:"done,failed,nothing,unknown"`
	Text   string          `json:"text,omitempty"`   // the Result, for the model
	Result json.RawMessage `json:"result,omitempty"` // run, status and outputs
	Error  string          `json:"error,omitempty"`
}

// Status is how the engine stands.
type Status struct {
	Version string `json:"version"`
	Mode    string `json:"mode" enum:"live,dry,observe"`
	Killed  bool   `json:"killed,omitempty"` // the kill switch is on
	Pending int    `json:"pending"`          // cards that wait for people
	Doubts  int    `json:"in_doubt"`         // calls of which it is unknown whether they happened
	Record  uint64 `json:"record"`           // the newest
	Policy  string `json:"policy"`           // digest of the rules in force
}

// Event is one line of the stream of events: a record in short, without arguments,
// results or texts.
type Event struct {
	Record  uint64 `json:"record"`
	Kind    string `json:"kind"` // signal, decision, approval, intent, receipt, ...
	Session string `json:"session,omitempty"`
	At      string `json:"at"` // RFC 3339
	Summary string `json:"summary,omitempty"`
}

// Failure is the body of every answer that is not 200.
type Failure struct {
	Error string `json:"error"` // what, where, and what would be right
}
