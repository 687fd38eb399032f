package skills

import (
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// Facts is what gates may look up besides the action. Anyone who asks for a
// decision fills it, and a recorded decision keeps it. Treat it as immutable.
type Facts struct {
	Now     int64 // Unix seconds, recorded; nothing else tells the time
	Signal  perceive.Signal
	Session Session
	// The blackboard: plists that rules read as facts.ctx, facts.env, ...
	Ctx, Env, Work, Policy sexpr.Value
	// Spends is what the principal has spent in all sessions, and what others
	// have spent in this one, oldest first.
	Spends []Spend
	// Versions are the versions of the keys "session/<id>" and
	// "principal/<name>", as they were when the facts were gathered.
	Versions map[string]uint64
	// Recall, if set, is asked for history in place of Session.Turns and Spends,
	// and only when a rule looks at it. It answers as of the instant that
	// Versions belong to.
	Recall History
}

// History looks up what a session and a principal did.
type History interface {
	Turns() ([]Turn, error)
	Spends() ([]Spend, error)
	// Calls answers as [CallsOf] does of Turns, and Spent as [Sum.Of] of Spends, to
	// the last bit; neither has to go through all of them.
	Calls(tool string, since int64, most int) ([]*Call, error)
	Spent(of Sum) (float64, error)
}

// Session is the conversation an action belongs to.
type Session struct {
	ID        string
	Principal string // the requester
	Roles     []string
	System    string // the system prompt of anyone who runs the model, if known
	Turns     []Turn // oldest first
}

// Turn is one step of a session: a message of the user, or a call.
type Turn struct {
	User string // what the user wrote; "" if Call is set
	Call *Call
}

// Call is an earlier action of the session.
type Call struct {
	Tool     string
	Args     sexpr.Value
	Decision string      // "allow", "ask" or "deny"
	Result   sexpr.Value // what the tool returned; nil if nothing yet
	Error    string      // why it failed, or ""
	Happened bool        // whether it may have changed the world
	At       int64       // Unix seconds
}

// Spend is an amount taken from a budget by one intent.
type Spend struct {
	Budget  string  // "money"
	Amount  float64 // finite and not negative
	Session string
	// Principal is who spent it; "" is the principal of the facts it stands in.
	Principal string
	Tool      string
	At        int64 // Unix seconds
}

// SessionKey and PrincipalKey name what a decision read, so that an effect can
// be refused when it changed in between.
func SessionKey(id string) string { return "session/" + id }

// PrincipalKey is documented with [SessionKey].
func PrincipalKey(name string) string { return "principal/" + name }
