package cortex

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Errors of tries that callers tell apart.
var (
	// ErrElsewhere says that a program of somebody else's carries the action
	// out, and not the engine.
	ErrElsewhere = errors.New("the program that began it carries it out, and not this engine: say happened or did-not")
	// ErrOldTry is the answer to a receipt of an earlier try that says that
	// nothing happened, or nothing at all, while a later one is under way.
	ErrOldTry = errors.New("this intent is being tried again; of the try before, only that it happened is news")
)

var _ act.Retrier = (*mainLedger)(nil)

// ReopenIntent implements [act.Retrier].
func (l *mainLedger) ReopenIntent(ctx context.Context, intent uint64, by string) (in act.Intent, err error) {
	if !l.opt.Live {
		return in, errors.New("this engine is dry: it runs nothing")
	}
	for try := 0; ; try++ {
		if in, err = l.retry(ctx, intent, by); !errors.Is(err, errStale) || try == maxRedo {
			return in, err
		}
	}
}

// retry judges the action of an intent in doubt again, and writes in one batch
// the decision and, if it is an allow, that there is one more try.
func (l *mainLedger) retry(ctx context.Context, intent uint64, by string) (in act.Intent, err error) {
	x, err := l.inFlight(l.j, intent)
	if err != nil {
		return in, err
	}
	if !x.ours {
		return in, ErrElsewhere
	}
	q, err := l.askedAgain(x)
	if err != nil {
		return in, err
	}
	if err := l.clock.set(ctx); err != nil {
		return in, err
	}
	d, body, err := l.judge(ctx, q, new(plist.Writer))
	if err != nil {
		return in, err
	}
	allowed := d.Kind == reason.Allow && d.Action.Digest() == x.action.Digest()
	err = l.update(context.WithoutCancel(ctx), func(tx *journal.Tx) error {
		now, err := l.inFlight(tx, intent)
		if err != nil {
			return err
		}
		if now.tries != x.tries {
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
func (l *mainLedger) openAgain(tx *journal.Tx, x *flight, d *reason.Decision, by string) (in act.Intent, err error) {
	if kill, err := tx.Get(key(tableSetting, "kill")); err != nil || kill != nil {
		return in, errors.Join(err, ErrKilled)
	}
	tool, _ := l.policies.current().gates.Tool(x.action.Tool())
	if by == byEngine && (tool == nil || !tool.Idempotent || x.tries >= maxTries) {
		return in, errStale // it was, when this began
	}
	in = act.Intent{
		ID: x.rec.Seq, Key: x.key, Decision: x.decision, Action: x.action, Tool: tool, Session: x.rec.Session,
		Deadline: l.clock.steady().Add(timeout(x.action)), Try: x.tries + 1,
	}
	_, err = tx.Append(kindRetry, in.Session,
		sexpr.Plist("intent", sexpr.Int64(int64(in.ID)), "decision", sexpr.Int64(int64(d.ID)),
			"try", sexpr.Int64(int64(in.Try)), "by", sexpr.Str(by)))
	tx.Set(key(tableUsed, d.ID), number(in.ID))
	tx.Set(key(tableDoing, in.Session, in.Action.Digest(), in.ID), doing{l.epoch, in.Deadline, in.Try}.bytes())
	return in, err
}

// flight is an intent in doubt, as it stands.
type flight struct {
	rec      journal.Record
	action   *skills.Action
	decision uint64 // that it rests on
	key      string
	grant    string
	tries    int
	ours     bool // the engine itself carries it out
	question question
}

// inFlight reads an intent that is in doubt for r, and that nobody here works on.
func (l *mainLedger) inFlight(r interface {
	reader
	Read(seq uint64) (journal.Record, error)
}, intent uint64) (*flight, error) {
	rec, entry, err := l.doubted(r, intent)
	if err != nil {
		return nil, err
	}
	if l.dispatcher.Busy(intent) {
		return nil, act.ErrBusy
	}
	x := &flight{rec: rec, decision: uint64(rec.Body.GetInt("decision")), key: rec.Body.GetText("key"),
		grant: rec.Body.GetText("grant"), tries: entry.try}
	decided, err := r.Read(x.decision)
	if err != nil {
		return nil, err
	}
	d, err := decisionFrom(decided)
	if err != nil {
		return nil, err
	}
	if x.question, _, _, err = questionFrom(decided.Body); err != nil {
		return nil, err
	}
	x.action = d.Action
	x.ours = x.question.resume && !rec.Body.GetTrue("observed")
	if x.ours && x.action.Digest().String() != rec.Body.GetText("digest") {
		return nil, fmt.Errorf("intent %d: its action is not the one that decision %d allowed", intent, d.ID)
	}
	return x, nil
}

// askedAgain is the question whether an intent may be tried again: its final
// action, today, as if it had not been begun.
func (l *mainLedger) askedAgain(x *flight) (question, error) {
	q := x.question.again()
	q.proposal, q.action, q.joined, q.halt = sexpr.Value{}, x.action, nil, nil
	q.retry, q.first = x.rec.Seq, x.decision
	if x.grant == "" {
		return q, nil
	}
	// It was approved, once, for this intent. The approval goes on to hold for
	// it, for as long as it would if it had not been used.
	a, err := loadApproval(l.j, x.grant)
	if err != nil {
		return q, err
	}
	if a.State == Consumed && a.Policy == l.policies.current().gates.Hash() && l.inTime(a) {
		q.grants = []reason.Grant{a.grant()}
	}
	return q, nil
}

// doing is an entry of the index of open intents: in which run of the engine its
// last try began, until when its receipt is awaited, by [clock.steady], and how
// often it was tried again.
type doing struct {
	epoch    uint64
	deadline time.Time
	try      int
}

func (d doing) bytes() []byte {
	return append(append(number(d.epoch), number(uint64(d.deadline.UnixNano()))...), number(uint64(d.try))...)
}

func doingFrom(b []byte) (doing, error) {
	if len(b) != 24 {
		return doing{}, fmt.Errorf("index of open intents: malformed entry %x", b)
	}
	return doing{asNumber(b[:8]), time.Unix(0, int64(asNumber(b[8:16]))), int(asNumber(b[16:]))}, nil
}

// maxTries is how often the engine itself tries an intent again. Then it is left
// to people.
const maxTries = 3

// byEngine is who tries again where no person was asked. It is no name: a
// person's has no space at its beginning.
const byEngine = " engine"
