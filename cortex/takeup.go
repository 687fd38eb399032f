package cortex

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills"
)

// maxTakeUps is how often engines try to answer a signal that earlier ones did
// not live to answer. A signal that kills anyone who works on it ends there.
const maxTakeUps = 3

// takeUp goes on with what an earlier run left: grants that people gave and that
// were not used, and signals that were accepted and not answered. It asks again
// where the rules have changed since.
func (e *Engine) takeUp(ctx context.Context) error {
	if err := e.supersede(ctx); err != nil {
		return err
	}
	granted := map[uint64]bool{}
	if e.opt.Live {
		open, err := e.openApprovals(ctx)
		if err != nil {
			return err
		}
		for _, a := range open {
			if a.State == Approved && e.inTime(a) {
				over, err := e.refusedSince(a)
				if err != nil {
					return err
				}
				if over {
					continue
				}
				for _, x := range append([]Joined{{Root: a.Root}}, a.Joined...) {
					granted[x.Root] = granted[x.Root] || a.Resume
				}
				e.resumeLater(a)
			}
		}
	}
	left, err := e.unanswered(ctx, granted)
	if err != nil {
		return err
	}
	bySession := map[string][]*Accepted{}
	for _, a := range left {
		bySession[a.sig.Session] = append(bySession[a.sig.Session], a)
	}
	for _, session := range slices.Sorted(maps.Keys(bySession)) {
		list := bySession[session]
		p := e.reserve(session) // in front of everybody who comes from now on
		e.tasks.run(func() { e.answerAll(list, p) })
	}
	e.clearAll()
	return nil
}

// answerAll answers what one session was left with, in order and in one turn.
func (e *Engine) answerAll(list []*Accepted, p *place) {
	leave, err := e.turn(e.ctx, p)
	if err != nil {
		return
	}
	defer leave()
	for _, a := range list {
		out, err := a.Answer(e.ctx)
		switch {
		case errors.Is(err, ErrClosed):
			return
		case err != nil:
			e.opt.Logger.Error("a signal of an earlier run could not be answered", "signal", a.Signal, "session", a.sig.Session,
				"error", err)
		default:
			e.opt.Logger.Info("answered a signal of an earlier run", "signal", a.Signal, "session", a.sig.Session,
				"notice", out.Notice)
		}
	}
}

// unanswered returns the signals that earlier runs accepted and did not answer,
// oldest first, and counts that they are taken up. Those whose root is among
// granted go on with their grant.
func (e *Engine) unanswered(ctx context.Context, granted map[uint64]bool) (left []*Accepted, err error) {
	err = e.j.Finish(ctx, func(tx *journal.Tx) error {
		left = nil
		return scan(tx, []byte{tableUnanswered}, func(k, tries []byte) error {
			seq := asNumber(k[1:])
			rec, err := tx.Read(seq)
			if err != nil {
				return err
			}
			sig, err := perceive.DecodeSignal(rec.Body)
			if err != nil {
				return fmt.Errorf("signal %d: %w", seq, err)
			}
			if granted[seq] || sig.ForModel() && len(e.opt.Providers) == 0 {
				return nil // somebody else's, or nobody is here to be asked
			}
			n := asNumber(tries) + 1
			tx.Set(key(tableUnanswered, seq), number(n))
			left = append(left, e.takenUp(sig, seq, n))
			return nil
		})
	})
	slices.SortFunc(left, func(a, b *Accepted) int { return cmp.Compare(a.Signal, b.Signal) })
	return left, err
}

// takenUp is a signal of an earlier run. Anyone who sends it again with its key
// waits for its answer.
func (e *Engine) takenUp(sig Signal, seq, tries uint64) *Accepted {
	sig.Root = seq
	a := &Accepted{Signal: seq, e: e, sig: sig, answering: newAnswering(), enter: inside, respond: e.carryOn}
	if tries > maxTakeUps {
		a.respond = func(_ context.Context, _ Signal, out *Outcome) error {
			out.Notice = fmt.Sprintf("given up: the engine has stopped %d times while it was answering this", maxTakeUps)
			return nil
		}
	}
	a.answering.recorded(seq, nil)
	if sig.Key != "" {
		e.mu.Lock()
		e.running[dedupeName(sig)] = a.answering
		e.mu.Unlock()
	}
	return a
}

// step is the last thing that happened for a root signal: a decision, and what
// came of it.
type step struct {
	decision *Decision
	depth    int
	intent   uint64   // 0: not begun
	receipt  *Receipt // nil: none yet
}

// carryOn answers a signal from where an earlier run stopped. What was carried
// out is not carried out again, and what may have been is left to people.
func (e *Engine) carryOn(ctx context.Context, sig Signal, out *Outcome) error {
	last, done, err := e.steps(sig)
	if err == nil && last != nil && last.intent != 0 && last.receipt == nil {
		if err = e.clear(ctx, last.intent); err == nil {
			last, done, err = e.steps(sig)
		}
	}
	if err != nil {
		return err
	}
	if last == nil {
		return e.respond(ctx, sig, out)
	}
	cause := sig
	cause.Depth = last.depth
	switch {
	case last.receipt != nil:
		return e.afterReceipt(ctx, cause, last, out)
	case last.intent != 0:
		nothing, err := e.changedNothing(sig.Session, last)
		if err == nil && nothing {
			err = e.doAgain(ctx, cause, last, out)
		}
		if errors.Is(err, ErrFinished) { // a person has settled it meanwhile
			return e.carryOn(ctx, sig, out)
		}
		if err != nil || nothing {
			return err
		}
		out.Notice = fmt.Sprintf("stopped while %q was being carried out: nobody knows whether it happened, and an "+
			"operator has to say (intent %d)",
			last.decision.Action.Tool(), last.intent)
		return nil
	case last.decision.Kind == reason.Allow:
		return e.carryOutNow(ctx, cause, last.decision, out)
	case last.decision.Kind == reason.Ask:
		return e.afterAsk(ctx, cause, last.decision, out)
	case done != nil: // refused, and about to be tried again
		cause.Depth = done.depth
		return e.afterReceipt(ctx, cause, done, out)
	}
	return e.respond(ctx, sig, out)
}

// steps finds the last step taken for a root signal, and the last that has its
// receipt.
func (e *Engine) steps(sig Signal) (last, done *step, err error) {
	mine := map[uint64]*step{}
	marks, err := e.marks(sig.Session, sig.Root)
	for _, m := range marks {
		if err != nil {
			return nil, nil, err
		}
		if s := mine[m[1]]; s != nil {
			rec, readErr := e.j.Read(m[0])
			rc := receiptFrom(rec.Body)
			s.receipt, err = &rc, readErr
			last, done = s, s
		} else if m[1] == 0 {
			var s *step
			if s, err = e.decided(m[0], sig.Root); s != nil {
				mine[m[0]], last = s, s
			}
		}
	}
	return last, done, err
}

// marks are the decisions of a session behind a record, and the receipts with the
// decision that they are for.
func (e *Engine) marks(session string, behind uint64) (marks [][2]uint64, err error) {
	prefix := key(tableSession, session)
	err = e.j.Scan(key(tableSession, session, behind+1), after(prefix), func(k, v []byte) bool {
		if len(k) == len(prefix)+8 && len(v) == 9 && v[0] != markUser {
			marks = append(marks, [2]uint64{asNumber(k[len(prefix):]), binary.BigEndian.Uint64(v[1:])})
		}
		return true
	})
	return marks, err
}

// refusedSince reports whether the engine has tried what people approved, and the
// rules refused it: its conversation has gone on from there, and to try it once more
// because the engine was started anew would be a surprise.
func (e *Engine) refusedSince(a *Approval) (bool, error) {
	marks, err := e.marks(a.Session, a.Decision)
	for _, m := range marks {
		if err != nil {
			return false, err
		}
		var s *step
		if m[1] != 0 {
			continue
		}
		if s, err = e.decided(m[0], a.Root); s != nil && s.decision.Kind == reason.Deny &&
			s.decision.Proposed.Digest() == a.Action.Digest() {
			return true, err
		}
	}
	return false, err
}

// decided reads the decision in a record, if it was made for this root signal.
func (e *Engine) decided(seq, root uint64) (*step, error) {
	rec, err := e.j.Read(seq)
	if err != nil || uint64(rec.Body.GetInt("root")) != root {
		return nil, err
	}
	d, err := decisionFrom(rec)
	if err != nil {
		return nil, err
	}
	used, err := e.j.Get(key(tableUsed, seq))
	return &step{decision: d, depth: int(rec.Body.GetInt("depth")), intent: asNumber(used)}, err
}

// afterReceipt goes on with what a tool returned. After a reply there is nothing
// left to do.
func (e *Engine) afterReceipt(ctx context.Context, cause Signal, s *step, out *Outcome) error {
	tool := s.decision.Action.Tool()
	out.Receipts = append(out.Receipts, *s.receipt)
	if tool == skills.ReplyTool && s.receipt.State == act.Done {
		out.Text, _ = s.decision.Action.Native()["text"].(string)
	}
	fed, ok := e.policies.current().tools.Feedback(cause, tool, *s.receipt)
	if !ok {
		return nil
	}
	if _, err := e.recordSignal(ctx, fed); err != nil {
		return err
	}
	return e.goOn(ctx, fed, s.receipt.Show(tool), out)
}

// carryOutNow acts on an allow that was recorded and not begun, if it still
// holds, and goes on.
func (e *Engine) carryOutNow(ctx context.Context, cause Signal, d *Decision, out *Outcome) error {
	out.Decisions = append(out.Decisions, d)
	told, fed, err := e.carryOut(ctx, cause, d, out)
	if err != nil || fed == nil {
		return err
	}
	return e.goOn(ctx, *fed, told.text, out)
}

// changedNothing reports that an open intent has changed nothing, wherever it was
// cut off, so that nobody need say what came of it: its tool changes nothing, it
// was dry, or it is the reply that an outcome was to bring, which died with the run.
func (e *Engine) changedNothing(session string, s *step) (bool, error) {
	if e.dispatcher.Busy(s.intent) {
		return false, nil
	}
	if s.decision.Action.Tool() == skills.ReplyTool && e.opt.Say == nil {
		return true, nil
	}
	doing, err := e.j.Get(key(tableDoing, session, s.decision.Action.Digest(), s.intent))
	return doing == nil, err
}

// doAgain settles an intent that has changed nothing, and does what was allowed
// anew, if it still is.
func (e *Engine) doAgain(ctx context.Context, cause Signal, s *step, out *Outcome) error {
	err := e.j.Finish(ctx, func(tx *journal.Tx) error {
		rec, err := tx.Read(s.intent)
		if err != nil {
			return err
		}
		return e.settle(tx, rec, Receipt{State: act.Nothing, Text: "the engine stopped before this had an answer"}, 0,
			"engine")
	})
	if err != nil {
		return err
	}
	q, err := e.asked(s.decision.ID)
	if err != nil {
		return err
	}
	d, err := e.decide(ctx, q)
	if err != nil {
		return err
	}
	return e.carryOutNow(ctx, cause, d, out)
}

// afterAsk says what the signal waits for, or goes on with the answer.
func (e *Engine) afterAsk(ctx context.Context, cause Signal, d *Decision, out *Outcome) error {
	cards, err := e.approvals(ctx, func(a *Approval) bool {
		return a.waits(cause.Root) && a.Action.Digest() == d.Action.Digest()
	})
	if err != nil || len(cards) == 0 {
		return err
	}
	a := cards[len(cards)-1]
	tries, err := e.j.Get(key(tableUnanswered, cause.Root))
	switch {
	case err != nil:
		return err
	case a.State == Denied && asNumber(tries) == 0: // in this run, which tells of it by itself
		out.Approval = a.Token
		out.Notice = fmt.Sprintf("approval %s is %s", a.Token, a.State)
	case a.State == Denied:
		_, err := e.refused(ctx, cause, a, out)
		return err
	case a.State == Pending && !e.expired(a):
		out.Approval = a.Token
		out.Notice = fmt.Sprintf("held for approval %s: %s", a.Token, d.Reasons[0].Text)
	default:
		out.Notice = fmt.Sprintf("approval %s is %s", a.Token, a.State)
	}
	return nil
}
