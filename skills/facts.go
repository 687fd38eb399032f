package skills

import (
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// Facts is the data that gates may look up besides the action. The caller of a
// decision fills it in, and the recorded decision keeps it. Treat it as immutable.
type Facts struct {
	Now     int64 // Unix seconds, recorded; gates have no other clock
	Signal  perceive.Signal
	Session Session
	// The blackboard: plists that rules read as facts.ctx, facts.env, ...
	Ctx, Env, Work, Policy sexpr.Value
	// Step is the step of a run that the action is; the zero Step for none. The engine fills in
	// Step and Work for a run, and drops what a caller brings.
	Step Step
	// Spends is what the principal has spent in all sessions, and what others
	// have spent in this one, oldest first.
	Spends []Spend
	// Versions are the versions of the keys "session/<id>" and
	// "principal/<name>", as they were when the facts were gathered.
	Versions map[string]uint64
	// Covers are what people covered in a session that is on no record, such as that of an
	// example. No record and no request holds them: a caller brings none along.
	Covers []Cover
	// Recall, if set, replaces Session.Turns, Spends and Covers. It is called only when a
	// rule reads history, and answers as of the instant of Versions.
	Recall History
}

// Step says which step of which plan an action is. Rules read it as facts.step.
type Step struct {
	Plan    string // the digest of the plan
	Version int    // of the plan, as its author counts
	ID      string // of the step in the plan
	Undo    bool   // it makes up for an earlier step
}

// History looks up the calls of a session and the spending of a principal.
type History interface {
	Turns() ([]Turn, error)
	Spends() ([]Spend, error)
	// Calls returns the same as [CallsOf] for Turns, and Spent the same as [Sum.Of]
	// for Spends, to the last bit, without reading all of them.
	Calls(tool string, since int64, most int) ([]*Call, error)
	Spent(of Sum) (float64, error)
	// Covers returns the covers that people gave the session for a tool, the oldest first.
	Covers(tool string) ([]Cover, error)
	// Reading returns what a reader makes of the session. It may be used until the
	// decision is made.
	Reading(by Reader) (Reading, error)
	// Whole reports whether the session holds every result that the model saw.
	Whole() (bool, error)
}

// Session is the conversation an action belongs to.
type Session struct {
	ID        string
	Principal string // the requester
	Roles     []string
	System    string // the system prompt of the model's host, if known
	Turns     []Turn // oldest first
	// Partial says that the turns do not hold every result that the model saw.
	Partial bool
}

// Turn is one step of a session: a message of the user, a call, or something else
// that was said or read.
type Turn struct {
	User string // the user's text; "" if another field is set
	// Attached are the texts that the user's host put into the message: pasted,
	// attached, or filled in for the name of a file. They are not the user's words.
	Attached []Source
	Call     *Call
	Reply    string  // what the agent said to the user
	Source   *Source // what the model read besides
}

// Call is an earlier action of the session.
type Call struct {
	Tool     string
	Args     sexpr.Value
	Decision string      // "allow", "ask" or "deny"
	Result   sexpr.Value // the tool's result; nil if there is none yet
	Error    string      // why it failed, or ""
	Happened bool        // whether it may have changed the world
	Cut      bool        // the result was longer than what is here
	Untold   bool        // what it returned is not known here, and the model may have seen it
	At       int64       // Unix seconds
}

// Spend is an amount taken from a budget by one intent.
type Spend struct {
	Budget  string  // "money"
	Amount  float64 // finite and not negative
	Session string
	// Principal is the spender; "" means the principal of the enclosing facts.
	Principal string
	Tool      string
	At        int64 // Unix seconds
}

// SessionKey and PrincipalKey name the versioned facts that a decision read, so
// that the engine notices changes before the effect.
func SessionKey(id string) string { return "session/" + id }

// PrincipalKey is documented with [SessionKey].
func PrincipalKey(name string) string { return "principal/" + name }
