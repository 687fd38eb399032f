package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills"
)

// MaxTakeUps is how often engines try to answer a signal whose answer an earlier run did
// not finish. It stops a signal that ends every process that works on it.
const MaxTakeUps = 3

// TakeUp recovers what an earlier run left: grants that were not used, and signals that
// were accepted and not answered. It asks people again if the rules have changed since.
func (s *Sessions) TakeUp(ctx context.Context) error {
	if err := s.Supersede(ctx); err != nil {
		return err
	}
	granted := map[uint64]bool{}
	if s.Opt.Live {
		open, err := s.ledger.OpenApprovals(ctx, s.j)
		if err != nil {
			return err
		}
		for _, a := range open {
			if a.State == approval.Approved && s.ledger.InTime(a) {
				over, err := s.refusedSince(a)
				if err != nil {
					return err
				}
				if over {
					continue
				}
				for _, x := range append([]approval.Joined{{Root: a.Root}}, a.Joined...) {
					granted[x.Root] = granted[x.Root] || a.Resume && !x.Run
				}
				s.resumeLater(a)
			}
		}
	}
	left, err := s.Unanswered(ctx, granted)
	if err != nil {
		return err
	}
	bySession := map[string][]*Accepted{}
	for _, a := range left {
		bySession[a.sig.Session] = append(bySession[a.sig.Session], a)
	}
	for _, session := range slices.Sorted(maps.Keys(bySession)) {
		list := bySession[session]
		p := s.Reserve(session) // in front of everybody who comes from now on
		s.Tasks.Run(func() { s.AnswerAll(list, p) })
	}
	s.ClearAll()
	return nil
}

// AnswerAll answers what one session was left with, in order and in one turn.
func (s *Sessions) AnswerAll(list []*Accepted, p *Waiter) {
	leave, err := s.Turn(s.ctx, p)
	if err != nil {
		return
	}
	defer leave()
	for _, a := range list {
		out, err := a.Answer(s.ctx)
		switch {
		case errors.Is(err, ledger.ErrClosed):
			return
		case err != nil:
			s.Opt.Logger.Error("a signal of an earlier run could not be answered", "signal", a.Signal, "session", a.sig.Session,
				"error", err)
		default:
			s.Opt.Logger.Info("answered a signal of an earlier run", "signal", a.Signal, "session", a.sig.Session,
				"notice", out.Notice)
		}
	}
}

// Unanswered returns the signals that earlier runs accepted and did not answer,
// oldest first, and counts that they are taken up. Those whose root is among
// granted go on with their grant.
func (s *Sessions) Unanswered(ctx context.Context, granted map[uint64]bool) (left []*Accepted, err error) {
	err = s.j.Finish(ctx, func(tx *journal.Tx) error {
		left = nil
		return record.TableUnanswered.Scan(tx, func(seq uint64, tries []byte) error {
			if record.DueFrom(tries).Wakes > 0 {
				return nil // a run, which has a driver
			}
			rec, err := tx.Read(seq)
			if err != nil {
				return err
			}
			sig, err := perceive.DecodeSignal(rec.Body)
			if err != nil {
				return fmt.Errorf("signal %d: %w", seq, err)
			}
			if granted[seq] || sig.ForModel() && !s.Opt.Models {
				return nil // its grant is resumed, or this engine has no model to ask
			}
			n := record.AsNumber(tries) + 1
			tx.Set(record.TableUnanswered.Key(seq), record.Number(n))
			left = append(left, s.TakenUp(sig, seq, n))
			return nil
		})
	})
	slices.SortFunc(left, func(a, b *Accepted) int { return cmp.Compare(a.Signal, b.Signal) })
	return left, err
}

// TakenUp is a signal of an earlier run. Anyone who sends it again with its key
// waits for its answer.
func (s *Sessions) TakenUp(sig perceive.Signal, seq, tries uint64) *Accepted {
	sig.Root = seq
	a := &Accepted{Signal: seq, s: s, sig: sig, answering: newAnswering(), enter: inside, Respond: s.carryOn}
	if tries > MaxTakeUps {
		a.Respond = func(_ context.Context, _ perceive.Signal, out *Outcome) error {
			out.Notice = fmt.Sprintf("given up: the engine has stopped %d times while it was answering this", MaxTakeUps)
			return nil
		}
	}
	a.answering.recorded(seq, nil)
	if sig.Key != "" {
		s.Mu.Lock()
		s.running[record.DedupeName(sig)] = a.answering
		s.Mu.Unlock()
	}
	return a
}

// step is the last thing that happened for a root signal: a decision, with its intent and
// receipt.
type step struct {
	decision *record.Decision
	depth    int
	intent   uint64       // 0: not begun
	receipt  *act.Receipt // nil: none yet
}

// carryOn answers a signal from where an earlier run stopped. It does not repeat what was
// carried out, and leaves to people what is in doubt.
func (s *Sessions) carryOn(ctx context.Context, sig perceive.Signal, out *Outcome) error {
	last, done, err := s.steps(sig)
	if err == nil && last != nil && last.intent != 0 && last.receipt == nil {
		if err = s.clear(ctx, last.intent); err == nil {
			last, done, err = s.steps(sig)
		}
	}
	if err != nil {
		return err
	}
	if last == nil {
		return s.respond(ctx, sig, out)
	}
	cause := sig
	cause.Depth = last.depth
	switch {
	case last.receipt != nil:
		return s.afterReceipt(ctx, cause, last, out)
	case last.intent != 0:
		nothing, err := s.changedNothing(sig.Session, last)
		if err == nil && nothing {
			err = s.doAgain(ctx, cause, last, out)
		}
		if errors.Is(err, ledger.ErrFinished) { // a person has settled it meanwhile
			return s.carryOn(ctx, sig, out)
		}
		if err != nil || nothing {
			return err
		}
		out.Notice = fmt.Sprintf("stopped while %q was being carried out: nobody knows whether it happened, and an "+
			"operator has to say (intent %d)",
			last.decision.Action.Tool(), last.intent)
		return nil
	case last.decision.Kind == reason.Allow:
		return s.carryOutNow(ctx, cause, last.decision, out)
	case last.decision.Kind == reason.Ask:
		return s.afterAsk(ctx, cause, last.decision, out)
	case done != nil: // refused, and about to be tried again
		cause.Depth = done.depth
		return s.afterReceipt(ctx, cause, done, out)
	}
	return s.respond(ctx, sig, out)
}

// steps finds the last step taken for a root signal, and the last that has its
// receipt.
func (s *Sessions) steps(sig perceive.Signal) (last, done *step, err error) {
	mine := map[uint64]*step{}
	marks, err := s.ledger.Marks(sig.Session, sig.Root)
	for _, m := range marks {
		if err != nil {
			return nil, nil, err
		}
		if x := mine[m[1]]; x != nil {
			rec, readErr := s.j.Read(m[0])
			rc := record.ReceiptFrom(rec.Body)
			x.receipt, err = &rc.Receipt, readErr
			last, done = x, x
		} else if m[1] == 0 {
			var x *step
			if x, err = s.decided(m[0], sig.Root); x != nil {
				mine[m[0]], last = x, x
			}
		}
	}
	return last, done, err
}

// refusedSince reports whether the engine has tried what people approved, and the
// rules refused it: its conversation has gone on from there, and to try it once more
// because the engine was started anew would be a surprise.
func (s *Sessions) refusedSince(a *approval.Approval) (bool, error) {
	marks, err := s.ledger.Marks(a.Session, a.Decision)
	for _, m := range marks {
		if err != nil {
			return false, err
		}
		var x *step
		if m[1] != 0 {
			continue
		}
		if x, err = s.decided(m[0], a.Root); x != nil && x.decision.Kind == reason.Deny &&
			x.decision.Proposed.Digest() == a.Action.Digest() {
			return true, err
		}
	}
	return false, err
}

// decided reads the decision in a record, if it was made for this root signal.
func (s *Sessions) decided(seq, root uint64) (*step, error) {
	rec, err := s.j.Read(seq)
	if err != nil || uint64(rec.Body.GetInt("root")) != root {
		return nil, err
	}
	d, err := record.DecisionFrom(rec)
	if err != nil {
		return nil, err
	}
	used, err := s.j.Get(record.TableUsed.Key(seq))
	return &step{decision: d, depth: int(rec.Body.GetInt("depth")), intent: record.AsNumber(used)}, err
}

// afterReceipt goes on with what a tool returned. After a reply there is nothing
// left to do.
func (s *Sessions) afterReceipt(ctx context.Context, cause perceive.Signal, x *step, out *Outcome) error {
	tool := x.decision.Action.Tool()
	out.Receipts = append(out.Receipts, *x.receipt)
	if tool == skills.ReplyTool && x.receipt.State == act.Done {
		out.Text, _ = x.decision.Action.Native()["text"].(string)
	}
	fed, ok := s.Policies.Current().Tools.Feedback(cause, tool, *x.receipt)
	if !ok {
		return nil
	}
	return s.goOn(ctx, fed, x.receipt.Show(tool), out)
}

// carryOutNow acts on an allow that was recorded and not begun, if it still
// holds, and goes on.
func (s *Sessions) carryOutNow(ctx context.Context, cause perceive.Signal, d *record.Decision, out *Outcome) error {
	out.Decisions = append(out.Decisions, d)
	told, fed, err := s.carryOut(ctx, cause, d, out)
	if err != nil || fed == nil {
		return err
	}
	return s.goOn(ctx, *fed, told.text, out)
}

// changedNothing reports that an open intent has changed nothing, wherever it was cut off,
// so that no person needs to settle it: its tool changes nothing, it was dry, or it is the
// reply that an outcome was to bring, which ended with the run.
func (s *Sessions) changedNothing(session string, x *step) (bool, error) {
	if s.Dispatcher.Busy(x.intent) {
		return false, nil
	}
	if x.decision.Action.Tool() == skills.ReplyTool && !s.Opt.Says {
		return true, nil
	}
	doing, err := s.j.Get(record.TableDoing.Key(session, x.decision.Action.Digest(), x.intent))
	return doing == nil, err
}

// doAgain settles an intent that has changed nothing. It goes on with its outcome, or does what was
// allowed anew, if it still is.
func (s *Sessions) doAgain(ctx context.Context, cause perceive.Signal, x *step, out *Outcome) error {
	rc, err := s.ledger.SettleHarmless(ctx, x.intent, "")
	if err != nil {
		return err
	}
	if rc.State != act.Nothing {
		x.receipt = &rc
		return s.afterReceipt(ctx, cause, x, out)
	}
	q, err := s.ledger.Asked(x.decision.ID)
	if err != nil {
		return err
	}
	d, err := s.ledger.DecideOn(ctx, q)
	if err != nil {
		return err
	}
	return s.carryOutNow(ctx, cause, d, out)
}

// afterAsk says what the signal waits for, or goes on with the answer.
func (s *Sessions) afterAsk(ctx context.Context, cause perceive.Signal, d *record.Decision, out *Outcome) error {
	cards, err := s.ledger.Select(ctx, s.j, func(a *approval.Approval) bool {
		return a.Waits(cause.Root) && a.Action.Digest() == d.Action.Digest()
	})
	if err != nil || len(cards) == 0 {
		return err
	}
	a := cards[len(cards)-1]
	tries, err := s.j.Get(record.TableUnanswered.Key(cause.Root))
	switch {
	case err != nil:
		return err
	case a.State == approval.Denied && record.AsNumber(tries) == 0: // in this run, which reports it by itself
		out.Approval = a.Token
		out.Notice = fmt.Sprintf("approval %s is %s", a.Token, a.State)
	case a.State == approval.Denied:
		_, err := s.refused(ctx, cause, a, out)
		return err
	case a.State == approval.Pending && !s.ledger.Expired(a):
		out.Approval = a.Token
		out.Notice = fmt.Sprintf("held for approval %s: %s", a.Token, d.Reasons[0].Text)
	default:
		out.Notice = fmt.Sprintf("approval %s is %s", a.Token, a.State)
	}
	return nil
}
