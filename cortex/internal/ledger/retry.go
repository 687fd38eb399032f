package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Errors of tries that callers may want to tell apart.
var (
	// ErrElsewhere says that the embedder's own program carries the action out, not the
	// engine.
	ErrElsewhere = errors.New("the program that began it carries it out, and not this engine: say happened or did-not")
	// ErrOldTry is the answer to a receipt of an earlier try that says that
	// nothing happened, or nothing at all, while a later one is under way.
	ErrOldTry = errors.New("this intent is being tried again; of the try before, only that it happened is news")
)

var _ act.Retrier = (*Ledger)(nil)

// ReopenIntent implements [act.Retrier].
func (l *Ledger) ReopenIntent(ctx context.Context, intent uint64, by string) (in act.Intent, err error) {
	if !l.Opt.Live {
		return in, errors.New("this engine is dry: it runs nothing")
	}
	for try := 0; ; try++ {
		if in, err = l.retry(ctx, intent, by); !errors.Is(err, ErrStale) || try == MaxRedo {
			return in, err
		}
	}
}

// retry judges the action of an intent in doubt again, and writes in one batch
// the decision and, if it is an allow, that there is one more try.
func (l *Ledger) retry(ctx context.Context, intent uint64, by string) (in act.Intent, err error) {
	x, err := l.InFlight(l.J, intent)
	if err != nil {
		return in, err
	}
	if !x.Ours {
		return in, ErrElsewhere
	}
	q, err := l.askedAgain(x)
	if err != nil {
		return in, err
	}
	if err := l.Clock.Set(ctx); err != nil {
		return in, err
	}
	d, body, err := l.judge(ctx, q, new(plist.Writer))
	if err != nil {
		return in, err
	}
	allowed := d.Kind == reason.Allow && d.Action.Digest() == x.Action.Digest()
	err = l.Update(context.WithoutCancel(ctx), func(tx *journal.Tx) error {
		now, err := l.InFlight(tx, intent)
		if err != nil {
			return err
		}
		if now.Tries != x.Tries {
			return ErrNoDoubt // somebody else was first
		}
		if err := l.record(tx, d, body, q, true); err != nil || !allowed {
			return err
		}
		in, err = l.openAgain(tx, now, d, by)
		return err
	})
	if err == nil && !allowed {
		err = &NotAllowed{d}
	}
	return in, err
}

// openAgain writes that an intent is tried once more.
func (l *Ledger) openAgain(tx *journal.Tx, x *flight, d *record.Decision, by string) (in act.Intent, err error) {
	if kill, err := tx.Get(record.TableSetting.Key(record.SettingKill)); err != nil || kill != nil {
		return in, errors.Join(err, ErrKilled)
	}
	tool, _ := l.Policies.Current().Gates.Tool(x.Action.Tool())
	if by == ByEngine && (tool == nil || !tool.Idempotent || x.Tries >= MaxTries) {
		return in, ErrStale // it was, when this began
	}
	in = act.Intent{
		ID: x.Rec.Seq, Key: x.Key, Decision: x.Decision, Action: x.Action, Tool: tool, Session: x.Rec.Session,
		Deadline: l.Clock.Steady().Add(timeout(x.Action)), Try: x.Tries + 1, Asker: x.question.asker(),
	}
	_, err = record.Append(tx, in.Session, record.Retry{Intent: in.ID, Decision: d.ID, Try: in.Try, By: by})
	tx.Set(record.TableUsed.Key(d.ID), record.Number(in.ID))
	tx.Set(record.TableDoing.Key(in.Session, in.Action.Digest(), in.ID),
		doing{l.Epoch, in.Deadline, in.Try}.bytes())
	return in, err
}

// flight is an intent in doubt, as it stands.
type flight struct {
	Rec      journal.Record
	Action   *skills.Action
	Decision uint64 // that it rests on
	Key      string
	grant    string
	Tries    int
	Ours     bool // the engine itself carries it out
	question Question
}

// InFlight reads an intent that is in doubt for r. If this engine is working on it, the
// error is [act.ErrBusy].
func (l *Ledger) InFlight(r Records, intent uint64) (*flight, error) {
	rec, entry, err := l.doubted(r, intent)
	if err != nil {
		return nil, err
	}
	if l.Dispatcher.Busy(intent) {
		return nil, act.ErrBusy
	}
	in := record.IntentFrom(rec.Body)
	x := &flight{Rec: rec, Decision: in.Decision, Key: in.Key, grant: in.Grant, Tries: entry.try}
	decided, err := r.Read(x.Decision)
	if err != nil {
		return nil, err
	}
	d, err := record.DecisionFrom(decided)
	if err != nil {
		return nil, err
	}
	if x.question, _, _, err = QuestionFrom(decided.Body); err != nil {
		return nil, err
	}
	x.Action = d.Action
	x.Ours = x.question.Cause.recorded().resume && !in.Observed
	if x.Ours && x.Action.Digest().String() != in.Digest {
		return nil, fmt.Errorf("intent %d: its action is not the one that decision %d allowed", intent, d.ID)
	}
	return x, nil
}

// askedAgain is the question whether an intent may be tried again: its final
// action, today, as if it had not been begun.
func (l *Ledger) askedAgain(x *flight) (Question, error) {
	q := x.question.again()
	try := Retry{Intent: x.Rec.Seq, Decision: x.Decision}
	q.Proposal, q.Action, q.Halt, q.Attempt = sexpr.Value{}, x.Action, nil, try
	if x.grant == "" {
		return q, nil
	}
	// It was approved, once, for this intent. The approval goes on to hold for
	// it, for as long as it would if it had not been used.
	a, err := approval.Load(l.J, x.grant)
	if err != nil {
		return q, err
	}
	if a.State != approval.Consumed || a.Policy != l.Policies.Current().Gates.Hash() || !l.InTime(a) {
		return q, nil
	}
	try.grants = []reason.Grant{a.Grant()}
	if step := q.Step().ID; a.Action.Digest() != x.Action.Digest() { // it was approved with its plan
		g, ok, err := a.GrantOf(step, func(ask sexpr.Digest) (bool, error) {
			used, err := l.J.Get(record.TableGiven.Key(a.Token, ask))
			return record.AsNumber(used) != x.Decision, err
		})
		if !ok || err != nil {
			return q, err
		}
		try.grants = []reason.Grant{g}
	}
	q.Attempt = try
	return q, nil
}

// doing is an entry of the index of open intents: in which run of the engine its
// last try began, until when its receipt is awaited, by [clock.Clock.Steady], and how
// often it was tried again.
type doing struct {
	epoch    uint64
	deadline time.Time
	try      int
}

func (d doing) bytes() []byte {
	return append(append(record.Number(d.epoch), record.Number(uint64(d.deadline.UnixNano()))...),
		record.Number(uint64(d.try))...)
}

func doingFrom(b []byte) (doing, error) {
	if len(b) != 24 {
		return doing{}, fmt.Errorf("index of open intents: malformed entry %x", b)
	}
	return doing{record.AsNumber(b[:8]), time.Unix(0, int64(record.AsNumber(b[8:16]))), int(record.AsNumber(b[16:]))}, nil
}

// MaxTries is how often the engine itself tries an intent again, before it leaves it to
// people.
const MaxTries = 3

// ByEngine stands for a retry that no person asked for. It begins with a space, and so
// cannot be a person's name.
const ByEngine = " engine"
