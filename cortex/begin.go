package cortex

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

const (
	// permitSlack is how long after a tool's own timeout its receipt may come.
	permitSlack = 30 * time.Second
	// permitTime is how long a permit lasts for a tool without a timeout.
	permitTime = 10 * time.Minute
)

// NotAllowed says that what was to be begun is not allowed, or no longer.
type NotAllowed struct{ Decision *Decision }

func (e *NotAllowed) Error() string {
	text := "no rule allows it"
	if len(e.Decision.Reasons) > 0 {
		text = e.Decision.Reasons[0].Text
	}
	return fmt.Sprintf("%s: %s: %s", e.Decision.Kind, e.Decision.Key, text)
}

// Errors of permits that callers tell apart.
var (
	// ErrNoMode says that the engine was opened without a choice of how effects
	// happen. A dry permit in its place would leave anyone who acts on it unguarded:
	// it spends nothing, so no budget ever ends.
	ErrNoMode = errors.New("cortex: this engine gives no permits: set Options.Live to act on what is allowed, " +
		"Options.Dry for permits that run and spend nothing, or Options.Observe to watch")
	ErrUsed     = errors.New("this decision has been acted on; decide again")
	ErrFinished = errors.New("this intent has its receipt already")
)

// Begin turns a recorded allow into the right to act once. In one durable batch
// it checks that nothing the decision read has changed, consumes the grant if
// one was needed, and writes the intent. If something did change, it decides
// again on the same proposal, at most three times; the permit's action is then
// the new decision's. A decision that is not an allow is [NotAllowed]. Without
// Options.Live, Dry or Observe the error is [ErrNoMode], and nothing is written.
func (e *Engine) Begin(ctx context.Context, d *Decision) (*Permit, error) {
	if !e.opt.Live && !e.opt.Dry && !e.opt.Observe {
		return nil, ErrNoMode
	}
	if d == nil || d.ID == 0 {
		return nil, errors.New("cortex: Begin takes a decision that this engine recorded")
	}
	return e.dispatcher.Begin(ctx, d.ID)
}

// recorder is the engine as act sees it.
type recorder struct{ e *Engine }

var _ act.Recorder = recorder{}

// Begin implements [act.Recorder].
func (r recorder) Begin(ctx context.Context, decision uint64) (act.Intent, error) {
	e := r.e
	if err := e.usable(); err != nil {
		return act.Intent{}, err
	}
	// What counts is the record, not what the caller holds.
	rec, err := e.j.Read(decision)
	if err != nil {
		return act.Intent{}, fmt.Errorf("cortex: decision %d: %w", decision, err)
	}
	recorded, err := decisionFrom(rec)
	if err != nil {
		return act.Intent{}, err
	}
	q, _, _, err := questionFrom(rec.Body)
	if err != nil {
		return act.Intent{}, err
	}
	if q.retry != 0 {
		return act.Intent{}, ErrUsed // it was made for one more try of another intent, and for nothing else
	}
	q = q.again()
	in, err := e.begin(ctx, recorded, q)
	for try := 0; errors.Is(err, errStale) && try < maxRedo; try++ {
		in, err = e.redo(ctx, decision, q)
	}
	if errors.Is(err, errStale) {
		return in, e.giveUp(ctx, q)
	}
	return in, err
}

// giveUp records the denial of what would not hold still.
func (e *Engine) giveUp(ctx context.Context, q question) error {
	q.halt = &skills.Reason{Key: keyStale, Text: "what this rests on keeps changing; propose it again", Retryable: true}
	d, err := e.decide(ctx, q)
	if err != nil {
		return err
	}
	return &NotAllowed{d}
}

// begin writes the intent of a recorded decision. It waits for the write whatever
// becomes of ctx: an intent of which its taker does not know would be in doubt,
// though nobody acts on it.
func (e *Engine) begin(ctx context.Context, d *Decision, q question) (in act.Intent, err error) {
	err = e.update(context.WithoutCancel(ctx), func(tx *journal.Tx) (err error) {
		in, err = e.open(tx, d, q)
		return err
	})
	return in, err
}

// redo decides again and writes the intent of the new decision in one batch, so
// that nothing can come between. The decision first, for which this is done, is
// used up with it: it gives one permit, however often things change.
func (e *Engine) redo(ctx context.Context, first uint64, q question) (in act.Intent, err error) {
	if err := e.setClock(ctx); err != nil {
		return in, err
	}
	d, body, err := e.judge(ctx, q, new(plist.Writer))
	if err != nil {
		return in, err
	}
	allowed := d.Kind == reason.Allow || d.Would
	err = e.update(context.WithoutCancel(ctx), func(tx *journal.Tx) error {
		if used, err := tx.Get(key(tableUsed, first)); err != nil || used != nil {
			return errors.Join(err, ErrUsed)
		}
		if err := e.record(tx, d, body, q, true); err != nil || !allowed {
			return err
		}
		in, err = e.open(tx, d, q)
		tx.Set(key(tableUsed, first), number(in.ID))
		return err
	})
	if err == nil && !allowed {
		err = &NotAllowed{d}
	}
	return in, err
}

// open writes an intent inside the single writer, if d still holds.
func (e *Engine) open(tx *journal.Tx, d *Decision, q question) (act.Intent, error) {
	rec, err := tx.Read(d.ID)
	if err != nil {
		return act.Intent{}, err
	}
	if err := e.permits(tx, d, q); err != nil {
		return act.Intent{}, err
	}
	if age := tx.Now() - rec.At; age > int64(permitTime) || age < 0 {
		return act.Intent{}, errStale // the time it saw is long gone
	}
	if e.clock.moved() {
		return act.Intent{}, errStale // the record's time and the clock's are not the same
	}
	if rec.Body.GetTrue("stale") {
		return act.Intent{}, errStale // already when it was recorded: see decide
	}
	if fresh, err := freshBoard(tx, rec.Body); err != nil || !fresh {
		return act.Intent{}, errors.Join(err, errStale)
	}
	session := q.facts.Session.ID
	if end, err := endOf(tx, session); err != nil || end > d.ID {
		return act.Intent{}, errors.Join(err, errStale) // retention has ended the session since: its history is gone
	}
	action, tool := d.Action, (*skills.Tool)(nil)
	if d.Would {
		action = d.Proposed
	}
	if action == nil {
		return act.Intent{}, &NotAllowed{d}
	}
	if t, ok := e.policy.Load().gates.Tool(action.Tool()); ok {
		tool = t
	}
	in := act.Intent{
		Key: idempotencyKey(rec.Hash), Decision: d.ID, Action: action, Tool: tool, Session: session,
		Deadline: e.steady().Add(timeout(action)), Dry: !e.opt.Live && !d.Would, Observed: d.Would,
	}
	if !in.Dry && (tool == nil || tool.Effect != skills.EffectNone) {
		if err := e.roomForDoubt(tx, session); err != nil {
			return act.Intent{}, err
		}
	}
	if d.Grant != "" && !in.Dry && !in.Observed {
		if err := e.consume(tx, d, q); err != nil {
			return act.Intent{}, err
		}
	}
	body, spends, err := intentBody(in, q, d.Grant)
	if err != nil {
		return act.Intent{}, err
	}
	if rec, err = tx.Append(kindIntent, session, body); err != nil {
		return act.Intent{}, err
	}
	in.ID = rec.Seq
	if q.compensates != 0 && !in.Dry {
		if err := e.claim(tx, q.compensates, in.ID); err != nil {
			return act.Intent{}, err
		}
	}
	tx.Set(key(tableUsed, d.ID), number(in.ID))
	return in, e.index(tx, in, q, spends)
}

// permits checks everything that must hold in the instant of the write.
func (e *Engine) permits(tx *journal.Tx, d *Decision, q question) error {
	kill, err := tx.Get(key(tableSetting, "kill"))
	if err != nil {
		return err
	}
	if kill != nil {
		return ErrKilled
	}
	if used, err := tx.Get(key(tableUsed, d.ID)); err != nil || used != nil {
		return errors.Join(err, ErrUsed)
	}
	if stale, err := e.stale(tx, d); err != nil || stale {
		return errors.Join(err, errStale)
	}
	if d.Would != e.opt.Observe {
		return errStale // made in the other mode, by an earlier run
	}
	if d.Would {
		if barred(d) {
			return &NotAllowed{d}
		}
		return nil
	}
	if d.Kind == reason.Ask {
		// An ask whose card has been approved since is decided again.
		return errStale
	}
	if d.Kind != reason.Allow {
		return &NotAllowed{d}
	}
	doubts, err := e.inDoubt(tx, q.facts.Session.ID, 0)
	if err != nil {
		return err
	}
	for _, x := range doubts {
		if x == d.Action.Digest() {
			return errStale
		}
	}
	return nil
}

// barred reports whether a decision was refused, or a person would be asked, for
// what not even observing lets through.
func barred(d *Decision) bool {
	for _, r := range d.Reasons {
		switch r.Key {
		case keyKill, keyReadOnly, reason.KeyProtection, reason.KeyUnresolved:
			return true
		}
	}
	return false
}

// consume uses up the grant that a decision rests on.
func (e *Engine) consume(tx *journal.Tx, d *Decision, q question) error {
	a, err := loadApproval(tx, d.Grant)
	if err != nil {
		return err
	}
	if a.State != Approved || !e.inTime(a) || a.Action.Digest() != d.Action.Digest() ||
		a.Policy != d.Policy || a.Session != q.facts.Session.ID || a.Requester != q.requester {
		return errStale
	}
	tx.Delete(key(tableCards, a.Session, a.Requester, a.Action.Digest()))
	return move(tx, a, Consumed)
}

// index notes the open intent and what it spends. A compensation may be in doubt
// whatever its tool is declared to do: what it was for waits for it.
func (e *Engine) index(tx *journal.Tx, in act.Intent, q question, spends bool) error {
	if in.Dry {
		return nil
	}
	tx.Set(key(tableIntent, in.ID), number(in.Decision))
	if in.Tool == nil || in.Tool.Effect != skills.EffectNone || q.compensates != 0 {
		tx.Set(key(tableDoing, in.Session, in.Action.Digest(), in.ID), doing{e.epoch, in.Deadline, 0}.bytes())
	}
	if spends {
		spentBy(tx, q.facts.Session.Principal, in.Session, in.ID)
	}
	// A call that has begun is history that other decisions may have read.
	return touched(tx, in.Session, in.ID, 0)
}

// inDoubt returns the digests in a session of which nobody knows whether they
// happened: begun in an earlier run, past their deadline, or with a receipt
// that says unknown. One that is being tried again still is. The intent except
// does not count.
func (e *Engine) inDoubt(r reader, session string, except uint64) ([]sexpr.Digest, error) {
	var out []sexpr.Digest
	prefix := key(tableDoing, session)
	err := scan(r, prefix, func(k, v []byte) error {
		if len(k) != len(prefix)+len(sexpr.Digest{})+8 {
			return fmt.Errorf("index of open intents: malformed key %x", k)
		}
		entry, err := doingFrom(v)
		if err != nil {
			return err
		}
		if (entry.try > 0 || e.doubtful(entry)) && asNumber(k[len(k)-8:]) != except {
			out = append(out, sexpr.Digest(k[len(prefix):len(k)-8]))
		}
		return nil
	})
	return out, err
}

// Finish implements [act.Recorder]: it writes the receipt, once. A receipt that
// says unknown leaves the intent in doubt; a later one settles it.
func (r recorder) Finish(ctx context.Context, in act.Intent, rc Receipt) error {
	e := r.e
	return e.finish(ctx, func(tx *journal.Tx) error {
		rec, err := tx.Read(in.ID)
		if err != nil {
			return err
		}
		if rec.Kind != kindIntent {
			return fmt.Errorf("cortex: record %d is not an intent", in.ID)
		}
		return e.settle(tx, rec, rc, in.Try, "")
	})
}

// settle writes a receipt for one try of the intent in rec. by is the person who
// answered for an intent in doubt, or "".
func (e *Engine) settle(tx *journal.Tx, rec journal.Record, rc Receipt, try int, by string) error {
	if err := rc.Valid(); err != nil {
		return err
	}
	dry := rec.Body.GetTrue("dry")
	open, err := tx.Get(key(tableIntent, rec.Seq))
	if err != nil {
		return err
	}
	if open == nil && !dry {
		return ErrFinished
	}
	digest, err := sexpr.ParseDigest(rec.Body.GetText("digest"))
	if err != nil {
		return err
	}
	where := key(tableDoing, rec.Session, digest, rec.Seq)
	raw, err := tx.Get(where)
	if err != nil {
		return err
	}
	if raw != nil { // an effect that may be in doubt
		entry, err := doingFrom(raw)
		if err != nil {
			return err
		}
		if try < entry.try && (rc.State == act.Nothing || rc.State == act.Unknown) {
			return ErrOldTry
		}
	}
	decision := uint64(rec.Body.GetInt("decision"))
	done, err := tx.Append(kindReceipt, rec.Session, unspent(receiptBody(rec.Seq, decision, rc, by), rec, rc))
	if err != nil || dry {
		return err
	}
	if rc.State == act.Unknown {
		if raw != nil {
			tx.Set(where, doing{e.epoch, time.Unix(0, 0), try}.bytes())
		}
		return nil
	}
	tx.Delete(key(tableIntent, rec.Seq))
	tx.Delete(where)
	compensated(tx, rec, rc)
	if err := happenedIn(tx, rec.Session, done.Seq, markReceipt, decision, bytesOfReceipt(&rc)); err != nil {
		return err
	}
	if spends, _ := rec.Body.Get("spends"); rc.State == act.Nothing && spends.Len() > 0 {
		spentBy(tx, rec.Body.GetText("principal"), rec.Session, done.Seq)
	}
	return nil
}

// unspent adds to a receipt whose budget an intent no longer takes from.
func unspent(body sexpr.Value, intent journal.Record, rc Receipt) sexpr.Value {
	if spends, _ := intent.Body.Get("spends"); rc.State != act.Nothing || spends.Len() == 0 {
		return body
	}
	return body.With("principal", sexpr.Str(intent.Body.GetText("principal")))
}

// intentBody is the record of an intent; spends tells whether it spends.
func intentBody(in act.Intent, q question, grant string) (body sexpr.Value, spends bool, err error) {
	var list []sexpr.Value
	if in.Tool != nil && !in.Dry {
		for _, s := range in.Tool.Spends {
			amount, err := s.Of(in.Action)
			if err != nil {
				return body, false, err
			}
			list = append(list, sexpr.Plist("budget", sexpr.Str(s.Budget), "amount", sexpr.Float64(amount)))
		}
	}
	body = sexpr.Plist(
		"decision", sexpr.Int64(int64(in.Decision)), "tool", sexpr.Str(in.Action.Tool()), "args", in.Action.Args(),
		"digest", sexpr.Str(in.Action.Digest().String()), "key", sexpr.Str(in.Key),
		"deadline", sexpr.Int64(in.Deadline.UnixNano()),
		"dry", sexpr.Bool(in.Dry), "observed", sexpr.Bool(in.Observed), "spends", sexpr.ListOf(list...),
		"grant", sexpr.Str(grant),
		"principal", sexpr.Str(q.facts.Session.Principal), "root", sexpr.Int64(int64(q.root)))
	if q.compensates != 0 {
		body = body.With("compensates", sexpr.Int64(int64(q.compensates)))
	}
	return body, len(list) > 0, nil
}

// idempotencyKey is made from the hash of the decision's record, so no two
// intents share one and a retry of the same intent has the same.
func idempotencyKey(record sexpr.Digest) string {
	d := sexpr.DigestText("cortex/intent/1", record.String())
	return hex.EncodeToString(d[:16])
}

// timeout is how long a permit for this action lasts.
func timeout(a *Action) time.Duration {
	s, ok := a.Native()["timeout"].(int64)
	if !ok || s <= 0 || s > math.MaxInt32 {
		return permitTime
	}
	return time.Duration(s)*time.Second + permitSlack
}
