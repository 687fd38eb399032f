package approval

import (
	"errors"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// State is the state of an approval.
//
//	pending  -> approved | denied | expired | superseded | withdrawn
//	approved -> consumed (once) | expired | superseded | withdrawn
type State string

// The states of an approval.
const (
	Pending    State = "pending"
	Approved   State = "approved"
	Denied     State = "denied"
	Expired    State = "expired"
	Superseded State = "superseded"
	Withdrawn  State = "withdrawn"
	Consumed   State = "consumed"
)

// Next lists, for each state, the states that may follow. Other states are final.
var Next = map[State][]State{
	Pending:  {Approved, Denied, Expired, Superseded, Withdrawn},
	Approved: {Consumed, Expired, Superseded, Withdrawn},
}

// Approval is a question to people about one action, with their answers. While it is
// approved and not consumed it is a grant.
type Approval struct {
	Token     string // what people type; 80 random bits
	State     State
	Action    *skills.Action // exactly what is asked about
	Bound     sexpr.Digest   // over action, policy, ask keys, requester, session, expiry and nonce
	Policy    sexpr.Digest
	Session   string
	Requester string // the agent's principal
	Slots     []Slot
	Decision  uint64 // the record that asked
	Root      uint64 // the root signal; 0 if an embedder asked
	Depth     int    // of the signal that led to it, in its chain of feedback
	Resume    bool   // the engine itself continues when it is approved
	Cards     int    // how many cards in a row this action had in this session, with this one
	Created   int64  // Unix seconds
	Expires   int64  // Unix seconds
	Boot      string // the start of the machine in which it was made; "" if not known
	Up        int64  // how long that machine had been up then, in nanoseconds
	Era       int    // how often the wall clock had been set back by then
	Nonce     string
	By        string // who denied or withdrew it
	Why       string // the reason they gave
	// Joined are further decisions of the same session that wait for this card: the same
	// action, proposed again. There is one effect, and each of them gets its result.
	Joined []Joined
	// Plan is the whole plan that the card is about, step by step; nil for a card about one action. What
	// people say yes to are the slots.
	Plan []skills.Of
	// Run says that the decision is on a step of the run whose root signal is Root. The grant
	// is for steps of that run alone, and the run is woken when the card is answered or ends.
	Run bool
	// Hidden names the arguments that earlier records of it have hidden, so that later ones
	// do too.
	Hidden []string
}

// Joined is a decision that waits for a card that was already open.
type Joined struct {
	Decision uint64
	Root     uint64
	Depth    int
	Run      bool // it is on a step of the run of Root
}

// Slot is one ask on a card: Quorum different people of one class must say yes.
type Slot struct {
	Class  string
	Quorum int
	Key    sexpr.Digest // ask key
	Reason skills.Reason
	By     []string // who has approved so far
	Bars   string   // who may not approve: the person who set the task, if the rule says so
	Also   []string // classes that escalation added
	// Sources are those of the ask, see [skills.Ask].
	Sources []uint64
	// Of is the step of a plan that the ask is about; nil if it is about the action of the card.
	Of *skills.Of
}

// Filled reports whether enough people have approved this slot.
func (s Slot) Filled() bool { return len(s.By) >= s.Quorum }

// Approver is a person who answers, as the host of the connection knows them.
type Approver struct {
	Name    string   // unique among approvers
	Classes []string // that the host vouches for; Options.Approvals.Classes adds to them
	Via     string   // the channel: "api", "cli", "telegram", ...
}

// Errors of approvals that callers may want to tell apart.
var (
	ErrUnknownToken = errors.New("unknown token")
	ErrNotApprover  = errors.New("not an approver of this")
)

// StateError says that the approval's state does not allow the call.
type StateError struct {
	Token string
	State State
}

func (e *StateError) Error() string {
	return fmt.Sprintf("approval %s is %s and takes no more answers", e.Token, e.State)
}

// Bind computes the second digest. It covers all that people saw, who asked, and under
// which rules: a change to any of it changes the digest.
func (a *Approval) Bind() (sexpr.Digest, error) {
	keys := make([]string, len(a.Slots))
	for i, s := range a.Slots {
		// Class and quorum are part of the ask key too; but what answers are counted
		// against is what is stored here, and a digest cannot be read back.
		keys[i] = fmt.Sprintf("%s %q %d %q", s.Key, s.Class, s.Quorum, s.Bars)
		if s.Of != nil {
			keys[i] += " " + bound(s.Of)
		}
	}
	for i := range a.Plan {
		keys = append(keys, fmt.Sprintf("%d %s", i, bound(&a.Plan[i])))
	}
	slices.Sort(keys)
	vs := make([]sexpr.Value, len(keys))
	for i, k := range keys {
		vs[i] = sexpr.Str(k)
	}
	bound := sexpr.Plist(
		"action", sexpr.Str(a.Action.Digest().String()), "asks", sexpr.ListOf(vs...),
		"born", sexpr.ListOf(sexpr.Int64(a.Created), sexpr.Str(a.Boot), sexpr.Int64(a.Up), sexpr.Int64(int64(a.Era))),
		"expires", sexpr.Int64(a.Expires),
		"nonce", sexpr.Str(a.Nonce), "policy", sexpr.Str(a.Policy.String()), "requester", sexpr.Str(a.Requester),
		"session", sexpr.Str(a.Session))
	if a.Run {
		bound = bound.With("run", sexpr.Int64(int64(a.Root)))
	}
	text, err := sexpr.Canonical(bound)
	return sexpr.DigestText("cortex/approval/1", text), err
}

// Waiters returns the decisions that the engine continues with when people have answered
// the card.
func (a *Approval) Waiters() []Joined {
	if !a.Resume {
		return a.Joined // runs
	}
	return append([]Joined{{Decision: a.Decision, Root: a.Root, Depth: a.Depth, Run: a.Run}}, a.Joined...)
}

// Owner is the root signal of the run that the grant is for; 0 for the session's own.
func (a *Approval) Owner() uint64 {
	if a.Run {
		return a.Root
	}
	return 0
}

// Waits reports whether the signal root waits for this card.
func (a *Approval) Waits(root uint64) bool {
	return slices.ContainsFunc(a.Waiters(), func(x Joined) bool { return x.Root == root })
}

// Take adds decisions that wait for this card too, one for each root signal, and reports
// whether it added any. A card of an embedder's takes only those of runs.
func (a *Approval) Take(more []Joined) (changed bool) {
	for _, x := range more {
		if (a.Resume || x.Run) && !a.Waits(x.Root) {
			a.Joined, changed = append(a.Joined, x), true
		}
	}
	return changed
}

// verify checks that the approval still has the digest that it was stored with.
func (a *Approval) verify() error {
	got, err := a.Bind()
	if err != nil {
		return err
	}
	if got != a.Bound {
		return fmt.Errorf("approval %s: its bytes are not the ones that were bound", a.Token)
	}
	return nil
}

// filled reports whether every slot is filled.
func (a *Approval) filled() bool {
	return !slices.ContainsFunc(a.Slots, func(s Slot) bool { return !s.Filled() })
}

// Grant returns what Decide may match against, for an approval that is approved. For a plan it is the
// grant of its start: see [Approval.GrantOf].
func (a *Approval) Grant() reason.Grant {
	g := reason.Grant{Token: a.Token, Digest: a.Action.Digest()}
	for _, s := range a.Slots {
		if s.Filled() {
			g.Keys = append(g.Keys, s.Key)
		}
	}
	return g
}

// Kind implements [record.Entry].
func (*Approval) Kind() string { return record.KindApproval }

// Value returns the approval as the record stores it.
func (a *Approval) Value() sexpr.Value {
	slots := make([]sexpr.Value, len(a.Slots))
	for i, s := range a.Slots {
		slot := []any{"class", sexpr.Str(s.Class), "quorum", sexpr.Int64(int64(s.Quorum)),
			"ask", sexpr.Str(s.Key.String()),
			"key", sexpr.Str(s.Reason.Key), "text", sexpr.Str(s.Reason.Text), "detail", sexpr.Str(s.Reason.Detail),
			"pos", sexpr.Str(s.Reason.Pos),
			"by", record.Texts(s.By), "bars", sexpr.Str(s.Bars), "also", record.Texts(s.Also)}
		if s.Reason.Advice != "" { // older records have none
			slot = append(slot, "advice", sexpr.Str(s.Reason.Advice))
		}
		if len(s.Sources) > 0 {
			slot = append(slot, "sources", record.Numbers(s.Sources))
		}
		if s.Of != nil {
			slot = append(slot, "of", ofValue(s.Of))
		}
		slots[i] = sexpr.Plist(slot...)
	}
	joined := make([]sexpr.Value, len(a.Joined))
	for i, x := range a.Joined {
		joined[i] = sexpr.Plist("decision", sexpr.Int64(int64(x.Decision)), "root", sexpr.Int64(int64(x.Root)),
			"depth", sexpr.Int64(int64(x.Depth)))
		if x.Run {
			joined[i] = joined[i].With("run", sexpr.T())
		}
	}
	v := sexpr.Plist(
		"token", sexpr.Str(a.Token), "state", sexpr.Str(string(a.State)),
		"tool", sexpr.Str(a.Action.Tool()), "args", a.Action.Args(), "explanation", sexpr.Str(a.Action.Explanation()),
		"digest", sexpr.Str(a.Action.Digest().String()), "bound", sexpr.Str(a.Bound.String()),
		"policy", sexpr.Str(a.Policy.String()),
		"session", sexpr.Str(a.Session), "requester", sexpr.Str(a.Requester), "slots", sexpr.ListOf(slots...),
		"decision", sexpr.Int64(int64(a.Decision)), "root", sexpr.Int64(int64(a.Root)), "depth", sexpr.Int64(int64(a.Depth)),
		"resume", sexpr.Bool(a.Resume), "cards", sexpr.Int64(int64(a.Cards)),
		"boot", sexpr.Str(a.Boot), "up", sexpr.Int64(a.Up), "era", sexpr.Int64(int64(a.Era)),
		"created", sexpr.Int64(a.Created), "expires", sexpr.Int64(a.Expires), "nonce", sexpr.Str(a.Nonce),
		"by", sexpr.Str(a.By), "why", sexpr.Str(a.Why), "joined", sexpr.ListOf(joined...))
	if a.Run {
		v = v.With("run", sexpr.T())
	}
	if len(a.Plan) > 0 {
		plan := make([]sexpr.Value, len(a.Plan))
		for i := range a.Plan {
			plan[i] = ofValue(&a.Plan[i])
		}
		v = v.With("plan", sexpr.ListOf(plan...))
	}
	if len(a.Hidden) > 0 {
		v = v.With(record.Withheld, record.Texts(a.Hidden))
	}
	return v
}

// From reads what [Approval.Value] wrote. It returns an error if the action or the
// approval no longer has the digest that it was stored with.
func From(v sexpr.Value) (*Approval, error) {
	args, _ := v.Get("args")
	digest, err := sexpr.ParseDigest(v.GetText("digest"))
	if err != nil {
		return nil, fmt.Errorf("approval %s: %w", v.GetText("token"), err)
	}
	_, withheld := v.Get(record.Withheld)
	action, err := skills.Recorded(v.GetText("tool"), args, v.GetText("explanation"), digest, withheld)
	if err != nil {
		return nil, fmt.Errorf("approval %s: %w", v.GetText("token"), err)
	}
	a := &Approval{
		Token: v.GetText("token"), State: State(v.GetText("state")), Action: action,
		Session: v.GetText("session"), Requester: v.GetText("requester"),
		Decision: uint64(v.GetInt("decision")), Root: uint64(v.GetInt("root")), Depth: int(v.GetInt("depth")),
		Resume: v.GetTrue("resume"), Run: v.GetTrue("run"), Cards: int(v.GetInt("cards")),
		Boot: v.GetText("boot"), Up: v.GetInt("up"), Era: int(v.GetInt("era")),
		Created: v.GetInt("created"), Expires: v.GetInt("expires"), Nonce: v.GetText("nonce"), By: v.GetText("by"),
		Why: v.GetText("why"), Hidden: record.TextsFrom(v, record.Withheld),
	}
	var errs [3]error
	a.Bound, errs[0] = sexpr.ParseDigest(v.GetText("bound"))
	a.Policy, errs[1] = sexpr.ParseDigest(v.GetText("policy"))
	slots, _ := v.Get("slots")
	for _, s := range slots.Items() {
		slot := Slot{Class: s.GetText("class"), Quorum: int(s.GetInt("quorum")), By: record.TextsFrom(s, "by"),
			Sources: record.NumbersFrom(s, "sources"),
			Bars:    s.GetText("bars"), Also: record.TextsFrom(s, "also"),
			Reason: skills.Reason{Key: s.GetText("key"), Text: s.GetText("text"), Detail: s.GetText("detail"),
				Pos: s.GetText("pos"), Advice: s.GetText("advice")}}
		if slot.Key, err = sexpr.ParseDigest(s.GetText("ask")); err != nil {
			errs[2] = err
		}
		if of, ok := s.Get("of"); ok {
			var step skills.Of
			if step, err = ofFrom(of); err != nil {
				errs[2] = err
			}
			slot.Of = &step
		}
		a.Slots = append(a.Slots, slot)
	}
	plan, _ := v.Get("plan")
	for _, s := range plan.Items() {
		step, err := ofFrom(s)
		if err != nil {
			errs[2] = err
		}
		a.Plan = append(a.Plan, step)
	}
	joined, _ := v.Get("joined")
	for _, x := range joined.Items() {
		a.Joined = append(a.Joined,
			Joined{Decision: uint64(x.GetInt("decision")), Root: uint64(x.GetInt("root")), Depth: int(x.GetInt("depth")),
				Run: x.GetTrue("run")})
	}
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("approval %s: %w", a.Token, err)
	}
	return a, a.verify()
}

// Load reads an approval in the state that r shows. The error is [ErrUnknownToken] if
// there is none.
func Load(r record.Reader, token string) (*Approval, error) {
	v, ok, err := record.GetPlist(r, record.TableApproval.Key(token))
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%w %q", ErrUnknownToken, token)
	}
	return From(v)
}

// Move is the only way in which an approval changes its state: a recorded compare-and-set
// inside the journal's single writer. The error is a [StateError] if to may not follow.
func Move(tx *journal.Tx, a *Approval, to State) error {
	if !slices.Contains(Next[a.State], to) {
		return &StateError{a.Token, a.State}
	}
	a.State = to
	reopen := wake // however a card ends, the runs that wait for it look again
	if to == Approved || to == Denied {
		reopen = Reopen
	}
	if err := reopen(tx, a); err != nil {
		return err
	}
	return Save(tx, a)
}

// Reopen notes that the engine works again on the signals that wait for a card.
func Reopen(tx *journal.Tx, a *Approval) error {
	for _, x := range a.Waiters() {
		if !x.Run {
			tx.Set(record.TableUnanswered.Key(x.Root), record.Number(0))
		}
	}
	return wake(tx, a)
}

// wake wakes the runs that wait for a card.
func wake(tx *journal.Tx, a *Approval) error {
	for _, x := range a.Waiters() {
		if x.Run {
			if err := record.Wake(tx, x.Root); err != nil {
				return err
			}
		}
	}
	return nil
}

// Save records the approval and updates the indexes.
func Save(tx *journal.Tx, a *Approval) error {
	if a.Action.Withheld() { // what would be written is not what was asked
		return fmt.Errorf("approval %s: its secret arguments cannot be read here; answer it where their keys are: through "+
			"the daemon, or with the file of keys beside the record", a.Token)
	}
	rec, err := record.Append(tx, a.Session, a)
	if err != nil {
		return err
	}
	if err := record.SetPlist(tx, record.TableApproval.Key(a.Token), record.Stored(rec, a.Value())); err != nil {
		return err
	}
	open := record.TableGrant.Key(a.Session, a.Requester, a.Action.Digest())
	token, err := tx.Get(open)
	if err != nil {
		return err
	}
	if a.State == Pending || a.State == Approved {
		tx.Set(open, []byte(a.Token))
		if token == nil {
			return countOpen(tx, a.Session, a.Requester, 1)
		}
		return nil
	}
	if string(token) != a.Token {
		return nil
	}
	tx.Delete(open)
	return countOpen(tx, a.Session, a.Requester, -1)
}
