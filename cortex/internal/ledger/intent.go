package ledger

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

const (
	// permitSlack is how long after a tool's own timeout its receipt may come.
	permitSlack = 30 * time.Second
	// permitTime is how long a permit lasts for a tool without a timeout.
	PermitTime = 10 * time.Minute
)

// NotAllowed says that an action that was to begin is not allowed, or no longer allowed.
type NotAllowed struct{ Decision *record.Decision }

func (e *NotAllowed) Error() string {
	text := "no rule allows it"
	if len(e.Decision.Reasons) > 0 {
		text = e.Decision.Reasons[0].Text
	}
	return fmt.Sprintf("%s: %s: %s", e.Decision.Kind, e.Decision.Key, text)
}

// Errors of permits that callers tell apart.
var (
	// ErrNoMode says that the engine was opened without Live, Dry or Observe. A dry permit
	// in its place would leave a caller who acts on it unguarded: it spends nothing, so no
	// budget would ever end.
	ErrNoMode = errors.New("cortex: this engine gives no permits: set Options.Live to act on what is allowed, " +
		"Options.Dry for permits that run and spend nothing, or Options.Observe to watch")
	ErrUsed = errors.New("this decision has been acted on; decide again")
	// ErrWithheld says that the keys of a decision's secret arguments are destroyed or not at
	// hand.
	ErrWithheld = errors.New("the secret arguments of this decision cannot be read any more; decide again")
	ErrFinished = errors.New("this intent has its receipt already")
)

var _ act.Recorder = (*Ledger)(nil)

// OpenIntent implements [act.Recorder].
func (l *Ledger) OpenIntent(ctx context.Context, decision uint64) (act.Intent, error) {
	if err := l.Usable(); err != nil {
		return act.Intent{}, err
	}
	// What counts is the record, not what the caller holds.
	rec, err := l.J.Read(decision)
	if err != nil {
		return act.Intent{}, fmt.Errorf("cortex: decision %d: %w", decision, err)
	}
	recorded, err := record.DecisionFrom(rec)
	if err != nil {
		return act.Intent{}, err
	}
	q, _, _, err := QuestionFrom(rec.Body)
	if err != nil {
		return act.Intent{}, err
	}
	if _, again := q.retry(); again {
		return act.Intent{}, ErrUsed // it was made for one more try of another intent, and for nothing else
	}
	q = q.again()
	in, err := l.write(ctx, recorded, q)
	for try := 0; errors.Is(err, ErrStale) && try < MaxRedo; try++ {
		in, err = l.redo(ctx, decision, q)
	}
	if errors.Is(err, ErrStale) {
		return in, l.GiveUp(ctx, q)
	}
	return in, err
}

// GiveUp records a deny, because what the decision reads keeps changing, and returns it as
// [NotAllowed].
func (l *Ledger) GiveUp(ctx context.Context, q Question) error {
	q.Halt = &skills.Reason{Key: KeyStale, Text: "what this rests on keeps changing; propose it again", Retryable: true}
	d, err := l.DecideOn(ctx, q)
	if err != nil {
		return err
	}
	return &NotAllowed{d}
}

// write writes the intent of a recorded decision. It waits for the write even if ctx ends:
// otherwise an intent that its caller never heard of would be in doubt, although nothing
// acts on it.
func (l *Ledger) write(ctx context.Context, d *record.Decision, q Question) (in act.Intent, err error) {
	err = l.Update(context.WithoutCancel(ctx), func(tx *journal.Tx) (err error) {
		in, err = l.open(tx, d, q)
		return err
	})
	return in, err
}

// redo decides again and writes the intent of the new decision in one batch, so
// that nothing can come between. The decision first, for which this is done, is
// used up with it: it gives one permit, however often things change.
func (l *Ledger) redo(ctx context.Context, first uint64, q Question) (in act.Intent, err error) {
	if err := l.Clock.Set(ctx); err != nil {
		return in, err
	}
	d, body, err := l.judge(ctx, q, new(plist.Writer))
	if err != nil {
		return in, err
	}
	allowed := d.Kind == reason.Allow || d.Would
	err = l.Update(context.WithoutCancel(ctx), func(tx *journal.Tx) error {
		if used, err := tx.Get(record.TableUsed.Key(first)); err != nil || used != nil {
			return errors.Join(err, ErrUsed)
		}
		if err := l.record(tx, d, body, q, true); err != nil || !allowed {
			return err
		}
		in, err = l.open(tx, d, q)
		tx.Set(record.TableUsed.Key(first), record.Number(in.ID))
		return err
	})
	if err == nil && !allowed {
		err = &NotAllowed{d}
	}
	return in, err
}

// open writes an intent inside the single writer, if d still holds.
func (l *Ledger) open(tx *journal.Tx, d *record.Decision, q Question) (act.Intent, error) {
	rec, err := tx.Read(d.ID)
	if err != nil {
		return act.Intent{}, err
	}
	if err := l.permits(tx, d, q); err != nil {
		return act.Intent{}, err
	}
	if age := tx.Now() - rec.At; age > int64(PermitTime) || age < 0 {
		return act.Intent{}, ErrStale // the time it saw is long gone
	}
	if l.Clock.Moved() {
		return act.Intent{}, ErrStale // the record's time and the clock's are not the same
	}
	if rec.Body.GetTrue("stale") {
		return act.Intent{}, ErrStale // already when it was recorded: see decide
	}
	if fresh, err := freshBoard(tx, rec.Body); err != nil || !fresh {
		return act.Intent{}, errors.Join(err, ErrStale)
	}
	session := q.Facts.Session.ID
	if end, err := record.EndOf(tx, session); err != nil || end > d.ID {
		return act.Intent{}, errors.Join(err, ErrStale) // retention has ended the session since: its history is gone
	}
	action, tool := d.Action, (*skills.Tool)(nil)
	if d.Would {
		action = d.Proposed
	}
	if action == nil {
		return act.Intent{}, &NotAllowed{d}
	}
	if action.Withheld() {
		return act.Intent{}, ErrWithheld
	}
	if t, ok := l.Policies.Current().Gates.Tool(action.Tool()); ok {
		tool = t
	}
	in := act.Intent{
		Key: IdempotencyKey(rec.Hash), Decision: d.ID, Action: action, Tool: tool, Session: session,
		Deadline: l.Clock.Steady().Add(timeout(action)), Dry: !l.Opt.Live && !d.Would, Observed: d.Would,
		Asker: q.asker(),
	}
	if !in.Dry && (tool == nil || tool.Effect != skills.EffectNone) {
		if err := l.roomForDoubt(tx, session); err != nil {
			return act.Intent{}, err
		}
	}
	if d.Grant != "" && !in.Dry && !in.Observed {
		if err := l.consume(tx, d, q); err != nil {
			return act.Intent{}, err
		}
		in.Approval = d.Grant
	}
	body, err := intentOf(in, q, d.Grant)
	if err != nil {
		return act.Intent{}, err
	}
	if rec, err = record.Append(tx, session, body); err != nil {
		return act.Intent{}, err
	}
	in.ID = rec.Seq
	if of := q.Compensates(); of != 0 && !in.Dry {
		if err := l.claim(tx, of, in.ID); err != nil {
			return act.Intent{}, err
		}
	}
	tx.Set(record.TableUsed.Key(d.ID), record.Number(in.ID))
	if err := tried(tx, body.Step, func(t *record.Tried) { t.Intent = in.ID }); err != nil {
		return act.Intent{}, err
	}
	return in, l.index(tx, in, q, len(body.Spends) > 0)
}

// permits checks everything that must hold in the instant of the write.
func (l *Ledger) permits(tx *journal.Tx, d *record.Decision, q Question) error {
	kill, err := tx.Get(record.TableSetting.Key(record.SettingKill))
	if err != nil {
		return err
	}
	if kill != nil {
		return ErrKilled
	}
	if used, err := tx.Get(record.TableUsed.Key(d.ID)); err != nil || used != nil {
		return errors.Join(err, ErrUsed)
	}
	if stale, err := l.stale(tx, d); err != nil || stale {
		return errors.Join(err, ErrStale)
	}
	if d.Would != l.Opt.Observe {
		return ErrStale // made in the other mode, by an earlier run
	}
	if d.Would {
		if barred(d) {
			return &NotAllowed{d}
		}
		return nil
	}
	if d.Kind == reason.Ask {
		// An ask whose card has been approved since is decided again.
		return ErrStale
	}
	if d.Kind != reason.Allow {
		return &NotAllowed{d}
	}
	doubts, err := l.inDoubt(tx, q.Facts.Session.ID, 0)
	if err != nil {
		return err
	}
	for _, x := range doubts {
		if x == d.Action.Digest() {
			return ErrStale
		}
	}
	return nil
}

// barred reports whether a decision was refused, or a person would be asked, for
// what not even observing lets through.
func barred(d *record.Decision) bool {
	for _, r := range d.Reasons {
		switch r.Key {
		case KeyKill, KeyReadOnly, reason.KeyProtection, reason.KeyUnresolved, reason.KeyQuestion:
			return true
		}
	}
	return false
}

// consume uses up the grant that a decision rests on.
func (l *Ledger) consume(tx *journal.Tx, d *record.Decision, q Question) error {
	a, err := approval.Load(tx, d.Grant)
	if err != nil {
		return err
	}
	if a.State == approval.Consumed && q.Step() != (record.Step{}) {
		return l.give(tx, d, q)
	}
	if a.State != approval.Approved || !l.InTime(a) || a.Action.Digest() != d.Action.Digest() ||
		a.Owner() != q.Step().Root || a.Policy != d.Policy || a.Session != q.Facts.Session.ID || a.Requester != q.Requester {
		return ErrStale
	}
	tx.Delete(record.TableCards.Key(a.Session, a.Requester, a.Action.Digest()))
	return approval.Move(tx, a, approval.Consumed)
}

// index notes the open intent and what it spends. A compensation may be in doubt
// whatever its tool is declared to do: what it was for waits for it.
func (l *Ledger) index(tx *journal.Tx, in act.Intent, q Question, spends bool) error {
	if in.Dry {
		return nil
	}
	tx.Set(record.TableIntent.Key(in.ID), record.Number(in.Decision))
	if in.Tool == nil || in.Tool.Effect != skills.EffectNone || q.Compensates() != 0 {
		tx.Set(record.TableDoing.Key(in.Session, in.Action.Digest(), in.ID), doing{l.Epoch, in.Deadline, 0}.bytes())
	}
	if spends {
		record.SpentBy(tx, q.Facts.Session.Principal, in.Session, in.ID)
	}
	// A call that has begun is history that other decisions may have read.
	return record.Touched(tx, in.Session, in.ID, 0)
}

// inDoubt returns the digests of the actions in doubt in a session: begun in an earlier
// run, past their deadline, or with a receipt that says unknown. An intent that is being
// tried again is still in doubt. The intent except does not count.
func (l *Ledger) inDoubt(r record.Reader, session string, except uint64) ([]sexpr.Digest, error) {
	var out []sexpr.Digest
	err := record.TableDoing.ScanUnder(r, session, func(action sexpr.Digest, intent uint64, v []byte) error {
		entry, err := doingFrom(v)
		if err != nil {
			return err
		}
		if (entry.try > 0 || l.doubtful(entry)) && intent != except {
			out = append(out, action)
		}
		return nil
	})
	return out, err
}

// CloseIntent implements [act.Recorder]: it writes the receipt, once. A receipt that
// says unknown leaves the intent in doubt; a later one settles it.
func (l *Ledger) CloseIntent(ctx context.Context, in act.Intent, rc act.Receipt) error {
	l.J.Look(sexpr.Plist("result", rc.Result, "text", sexpr.Str(rc.Text)))
	return l.finish(ctx, func(tx *journal.Tx) error {
		rec, err := tx.Read(in.ID)
		if err != nil {
			return err
		}
		if rec.Kind != record.KindIntent {
			return fmt.Errorf("cortex: record %d is not an intent", in.ID)
		}
		return l.WriteReceipt(tx, rec, rc, in.Try, "")
	})
}

// WriteReceipt writes a receipt for one try of the intent in rec. by is the person who
// answered for an intent in doubt, or "".
func (l *Ledger) WriteReceipt(tx *journal.Tx, rec journal.Record, rc act.Receipt, try int, by string) error {
	if err := rc.Valid(); err != nil {
		return err
	}
	in := record.IntentFrom(rec.Body)
	open, err := tx.Get(record.TableIntent.Key(rec.Seq))
	if err != nil {
		return err
	}
	if open == nil && !in.Dry {
		return ErrFinished
	}
	digest, err := sexpr.ParseDigest(in.Digest)
	if err != nil {
		return err
	}
	where := record.TableDoing.Key(rec.Session, digest, rec.Seq)
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
	receipt := record.Receipt{Receipt: rc, Intent: rec.Seq, Decision: in.Decision, By: by}
	if rc.State == act.Nothing && len(in.Spends) > 0 {
		receipt.Unspent, receipt.Principal = true, in.Principal
	}
	done, err := record.Append(tx, rec.Session, receipt)
	if err != nil || in.Dry {
		return err
	}
	if err := stepped(tx, in.Step, done.Seq); err != nil {
		return err
	}
	if rc.State == act.Unknown {
		if raw != nil {
			tx.Set(where, doing{l.Epoch, time.Unix(0, 0), try}.bytes())
		}
		return nil
	}
	tx.Delete(record.TableIntent.Key(rec.Seq))
	tx.Delete(where)
	compensated(tx, rec.Seq, in.Compensates, rc)
	if err := record.HappenedIn(tx, rec.Session, done.Seq, record.MarkReceipt, in.Decision,
		admission.BytesOfReceipt(&rc)); err != nil {
		return err
	}
	if receipt.Unspent {
		record.SpentBy(tx, in.Principal, rec.Session, done.Seq)
	}
	return nil
}

// intentOf is the record of an intent.
func intentOf(in act.Intent, q Question, grant string) (record.Intent, error) {
	cause := q.Cause.recorded()
	out := record.Intent{
		Decision: in.Decision, Tool: in.Action.Tool(), Args: in.Action.Args(), Digest: in.Action.Digest().String(),
		Key: in.Key, Deadline: in.Deadline.UnixNano(), Dry: in.Dry, Observed: in.Observed, Grant: grant,
		Principal: q.Facts.Session.Principal, Root: cause.root, Compensates: cause.compensates,
		Step: cause.step,
	}
	if in.Tool == nil || in.Dry {
		return out, nil
	}
	for _, s := range in.Tool.Spends {
		amount, err := s.Of(in.Action)
		if err != nil {
			return out, err
		}
		out.Spends = append(out.Spends, record.Spend{Budget: s.Budget, Amount: amount})
	}
	return out, nil
}

// IdempotencyKey is made from the hash of the decision's record, so no two
// intents share one and a retry of the same intent has the same.
func IdempotencyKey(record sexpr.Digest) string {
	d := sexpr.DigestText("cortex/intent/1", record.String())
	return hex.EncodeToString(d[:16])
}

// timeout is how long a permit for this action lasts.
func timeout(a *skills.Action) time.Duration {
	s, ok := a.Native()["timeout"].(int64)
	if !ok || s <= 0 || s > math.MaxInt32 {
		return PermitTime
	}
	return time.Duration(s)*time.Second + permitSlack
}
