package ledger

import (
	"context"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// tried changes how a try at a step stands, in the write that changes it. The zero Step belongs to no run.
func tried(tx *journal.Tx, s record.Step, change func(*record.Tried)) error {
	if s == (record.Step{}) {
		return nil
	}
	t, err := record.TriedAt(tx, s)
	if err != nil {
		return err
	}
	change(&t)
	return record.SetPlist(tx, record.TableTry.Key(s.Root, s.ID, s.Try), t.Value())
}

// stepped notes the receipt of a step, and wakes its run.
func stepped(tx *journal.Tx, s record.Step, receipt uint64) error {
	if s == (record.Step{}) {
		return nil
	}
	if err := tried(tx, s, func(t *record.Tried) { t.Receipt = receipt }); err != nil {
		return err
	}
	return record.Wake(tx, s.Root)
}

// CardFor returns the open card of the action that an earlier card was about, or nil.
func (l *Ledger) CardFor(earlier *approval.Approval) (*approval.Approval, error) {
	token, err := l.J.Get(record.TableGrant.Key(earlier.Session, earlier.Requester, earlier.Action.Digest()))
	if err != nil || token == nil {
		return nil, err
	}
	return approval.Load(l.J, string(token))
}

// Harmless reports whether an open intent has changed nothing, wherever it was cut off: its tool
// changes nothing.
func (l *Ledger) Harmless(intent uint64) (bool, error) {
	rec, err := l.intentAt(l.J, intent)
	if err != nil {
		return false, err
	}
	digest, err := sexpr.ParseDigest(record.IntentFrom(rec.Body).Digest)
	if err != nil {
		return false, err
	}
	doing, err := l.J.Get(record.TableDoing.Key(rec.Session, digest, intent))
	return doing == nil, err
}

// SettleHarmless settles an open intent that has changed nothing, and returns its receipt: what its
// actuator says came of it, or the answer that a person has given. Otherwise that is nothing, and the
// action is decided anew; but if the actuator has said why it does not know, in unknown, that is the end of
// it. The error is [ErrFinished] if it has its receipt.
func (l *Ledger) SettleHarmless(ctx context.Context, intent uint64, unknown string) (rc act.Receipt, err error) {
	in, err := l.IntentAt(intent)
	if err != nil {
		return rc, err
	}
	by := Itself
	if in.Action.Tool() == skills.AskPersonTool {
		rc = act.Answered(in.Action, in.Approval)
	} else if rc = l.Dispatcher.Probe(ctx, in); rc.State != act.Done && rc.State != act.Failed {
		rc = act.Receipt{State: act.Nothing, Text: "the engine stopped before this had an answer"}
		if unknown != "" {
			rc.Text, rc.Error, by = "", unknown, ""
		}
	}
	return rc, l.J.Finish(ctx, func(tx *journal.Tx) error {
		rec, err := tx.Read(intent)
		if err != nil {
			return err
		}
		return l.WriteReceipt(tx, rec, rc, 0, by)
	})
}

// Itself is who has answered, in a receipt of the engine for an intent that has changed nothing.
const Itself = "engine"
