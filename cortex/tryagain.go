package cortex

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/skills"
)

// Retry lets an intent in doubt be tried once more, because a person says so,
// and waits for what comes of it. It is the same intent, under the same
// idempotency key and the same approval; today's rules judge its action again,
// as if it had not been begun, and a [NotAllowed] leaves it in doubt. Of two
// people who ask for it at once, the second gets [ErrNoDoubt]. A tool that does
// not honour the key may do again what it had done: that is what the person who
// answers knows.
func (s *mainSessions) Retry(ctx context.Context, intent uint64, who Approver) (act.Receipt, error) {
	if err := s.ledger.usable(); err != nil {
		return act.Receipt{}, err
	}
	if who.Name == "" || !s.ledger.belongs(who, skills.DefaultClass) {
		return act.Receipt{}, fmt.Errorf("intent %d: %w: an operator says what is to become of it", intent, ErrNotApprover)
	}
	return s.tryAgain(ctx, intent, who.Name)
}

// tryAgain takes a permit for one more try and dispatches it.
func (s *mainSessions) tryAgain(ctx context.Context, intent uint64, by string) (act.Receipt, error) {
	p, err := s.dispatcher.Retry(ctx, intent, by)
	if err != nil {
		return act.Receipt{}, fmt.Errorf("intent %d: %w", intent, err)
	}
	return s.dispatcher.Dispatch(ctx, p)
}

// clear finds out, without asking a person, what came of an intent in doubt: its
// actuator says, or it is tried again if its tool is declared idempotent. What
// cannot be found out stays in doubt.
func (s *mainSessions) clear(ctx context.Context, intent uint64) error {
	if !s.opt.Live || s.ledger.halted() != nil {
		return nil
	}
	leave, err := s.alone(ctx, intent)
	if err != nil {
		return err
	}
	defer leave()
	x, err := s.ledger.inFlight(s.j, intent)
	if errors.Is(err, ErrNoDoubt) || errors.Is(err, act.ErrBusy) || err == nil && !x.ours {
		return nil
	}
	if err != nil {
		return err
	}
	tool, _ := s.policies.current().gates.Tool(x.action.Tool())
	rc := s.dispatcher.Probe(ctx,
		act.Intent{ID: intent, Key: x.key, Decision: x.decision, Action: x.action, Tool: tool, Session: x.rec.Session})
	if rc.State != act.Unknown {
		err := s.ledger.settleDoubt(ctx, intent, x.tries, rc, "probe")
		if errors.Is(err, ErrNoDoubt) { // a person was first
			return nil
		}
		return err
	}
	if tool == nil || !tool.Idempotent || x.tries >= maxTries {
		return nil
	}
	_, err = s.tryAgain(ctx, intent, byEngine)
	if refused := (*NotAllowed)(nil); errors.As(err, &refused) || errors.Is(err, ErrKilled) ||
		errors.Is(err, ErrNoDoubt) || errors.Is(err, errStale) {
		s.opt.Logger.Warn("an intent in doubt was not tried again", "intent", intent, "tool", x.action.Tool(), "because", err)
		return nil
	}
	return err
}

// clearAll clears, in the background, every intent in doubt that it can. One
// round runs at a time.
func (s *mainSessions) clearAll() {
	if !s.opt.Live || s.clearing.Swap(true) {
		return
	}
	s.tasks.run(func() {
		defer s.clearing.Store(false)
		doubts, err := s.ledger.Doubts(s.ctx)
		for _, d := range doubts { // one that cannot be cleared keeps no other waiting
			if s.ctx.Err() == nil {
				err = errors.Join(err, s.clear(s.ctx, d.Intent))
			}
		}
		if err != nil && s.ctx.Err() == nil {
			s.opt.Logger.Error("intents in doubt could not be cleared", "error", err)
		}
	})
}

// alone waits until nobody else clears this intent. leave must be called once.
func (s *mainSessions) alone(ctx context.Context, intent uint64) (leave func(), err error) {
	return s.turn(ctx, s.reserve(fmt.Sprintf("\x00intent %d", intent))) // no session has a zero byte in its name
}
