package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/skills"
)

// Retry lets an intent in doubt be tried once more, because a person says so,
// and waits for what comes of it. It is the same intent, under the same
// idempotency key and the same approval; today's rules judge its action again,
// as if it had not been begun, and a [NotAllowed] leaves it in doubt. Of two
// people who ask for it at once, the second gets [ErrNoDoubt]. A tool that does
// not honour the key may do again what it had done: that is what the person who
// answers knows.
func (s *Sessions) Retry(ctx context.Context, intent uint64, who approval.Approver) (act.Receipt, error) {
	if err := s.ledger.Usable(); err != nil {
		return act.Receipt{}, err
	}
	if who.Name == "" || !s.ledger.Belongs(who, skills.DefaultClass) {
		return act.Receipt{},
			fmt.Errorf("intent %d: %w: an operator says what is to become of it", intent, approval.ErrNotApprover)
	}
	return s.TryAgain(ctx, intent, who.Name)
}

// TryAgain takes a permit for one more try and dispatches it.
func (s *Sessions) TryAgain(ctx context.Context, intent uint64, by string) (act.Receipt, error) {
	p, err := s.Dispatcher.Retry(ctx, intent, by)
	if err != nil {
		return act.Receipt{}, fmt.Errorf("intent %d: %w", intent, err)
	}
	return s.Dispatcher.Dispatch(ctx, p)
}

// clear tries to settle an intent in doubt without a person: its actuator says what
// happened, or, if its tool is declared idempotent, the engine tries it again. What it
// cannot settle stays in doubt.
func (s *Sessions) clear(ctx context.Context, intent uint64) error {
	if !s.Opt.Live || s.ledger.Halted() != nil {
		return nil
	}
	leave, err := s.alone(ctx, intent)
	if err != nil {
		return err
	}
	defer leave()
	x, err := s.ledger.InFlight(s.j, intent)
	if errors.Is(err, ledger.ErrNoDoubt) || errors.Is(err, act.ErrBusy) || err == nil && !x.Ours {
		return nil
	}
	if err != nil {
		return err
	}
	tool, _ := s.Policies.Current().Gates.Tool(x.Action.Tool())
	rc := s.Dispatcher.Probe(ctx,
		act.Intent{ID: intent, Key: x.Key, Decision: x.Decision, Action: x.Action, Tool: tool, Session: x.Rec.Session})
	if rc.State != act.Unknown {
		err := s.ledger.SettleDoubt(ctx, intent, x.Tries, rc, "probe")
		if errors.Is(err, ledger.ErrNoDoubt) { // a person was first
			return nil
		}
		return err
	}
	if tool == nil || !tool.Idempotent || x.Tries >= ledger.MaxTries {
		return nil
	}
	_, err = s.TryAgain(ctx, intent, ledger.ByEngine)
	if refused := (*ledger.NotAllowed)(nil); errors.As(err, &refused) || errors.Is(err, ledger.ErrKilled) ||
		errors.Is(err, ledger.ErrNoDoubt) || errors.Is(err, ledger.ErrStale) {
		s.Opt.Logger.Warn("an intent in doubt was not tried again", "intent", intent, "tool", x.Action.Tool(), "because", err)
		return nil
	}
	return err
}

// ClearAll clears, in the background, every intent in doubt that it can. One
// round runs at a time.
func (s *Sessions) ClearAll() {
	if !s.Opt.Live || s.clearing.Swap(true) {
		return
	}
	s.Tasks.Run(func() {
		defer s.clearing.Store(false)
		doubts, err := s.ledger.Doubts(s.ctx, s.j)
		for _, d := range doubts { // one that cannot be cleared keeps no other waiting
			if s.ctx.Err() == nil {
				err = errors.Join(err, s.clear(s.ctx, d.Intent))
			}
		}
		if err != nil && s.ctx.Err() == nil {
			s.Opt.Logger.Error("intents in doubt could not be cleared", "error", err)
		}
	})
}

// alone waits until this caller is the only one that clears the intent. leave must be
// called once.
func (s *Sessions) alone(ctx context.Context, intent uint64) (leave func(), err error) {
	return s.Turn(ctx, s.Reserve(fmt.Sprintf("\x00intent %d", intent))) // no session has a zero byte in its name
}
