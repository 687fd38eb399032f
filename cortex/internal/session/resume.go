package session

import (
	"context"
	"errors"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// resumeLater continues in the background, after people have answered, with what the
// engine itself runs: it acts on a grant and tells the model of a denial. A card of a run's step
// has woken the run, and the run takes the step.
func (s *Sessions) resumeLater(a *approval.Approval) {
	if s.ledger.Usable() != nil || !a.Resume || s.Opt.Observe {
		return
	}
	if a.Run {
		s.besides(a)
		return
	}
	s.Tasks.Run(func() {
		err := s.resume(s.ctx, a)
		if errors.Is(err, journal.ErrFull) {
			s.postpone(a)
		}
		if err != nil && !errors.Is(err, ledger.ErrClosed) {
			s.Opt.Logger.Error("could not go on after an approval", "token", a.Token, "session", a.Session, "error", err)
		}
	})
}

// besides decides again what conversations had proposed for which the card of a run's step was
// open: its grant is the run's.
func (s *Sessions) besides(a *approval.Approval) {
	for _, x := range a.Joined {
		if !x.Run {
			s.resumeLater(&approval.Approval{Token: a.Token, Action: a.Action, Session: a.Session, Resume: true,
				State: approval.Approved, Decision: x.Decision, Root: x.Root, Depth: x.Depth})
		}
	}
}

// resume takes the session's turn, decides again with the grant, acts, and lets
// the conversation go on from there.
func (s *Sessions) resume(ctx context.Context, a *approval.Approval) error {
	q, err := s.ledger.Asked(a.Decision)
	if err != nil {
		return err
	}
	sig := q.Facts.Signal
	sig.Depth, sig.Root = a.Depth, a.Root
	out := &Outcome{Signal: a.Root}
	ctx, end, err := s.attend(ctx, sig)
	if err != nil {
		return err
	}
	defer end()
	var told result
	err = s.inTurn(ctx, sig, out, s.Enter, func(ctx context.Context, sig perceive.Signal, out *Outcome) (err error) {
		if a.State == approval.Denied {
			told, err = s.refused(ctx, sig, a, out)
		} else {
			told, err = s.approved(ctx, sig, a, q, out)
		}
		return err
	})
	if err := s.conclude(ctx, sig, out, err); err != nil {
		return err
	}
	for _, x := range a.Joined {
		if x.Run { // it takes no other's effect for its own, and is awake
			continue
		}
		if err := s.tellJoined(ctx, x, a.Action.Tool(), told); err != nil {
			return err
		}
	}
	return nil
}

// tellJoined continues a conversation that had proposed the same action while a card for
// it was open: the model gets the result.
func (s *Sessions) tellJoined(ctx context.Context, x approval.Joined, tool string, told result) error {
	q, err := s.ledger.Asked(x.Decision)
	if err != nil {
		return err
	}
	sig := q.Facts.Signal
	sig.Depth, sig.Root = x.Depth, x.Root
	out := &Outcome{Signal: x.Root}
	err = s.inTurn(ctx, sig, out, s.Enter, func(ctx context.Context, sig perceive.Signal, out *Outcome) error {
		if told.text == "" {
			return nil
		}
		sig.Depth++
		sig.Key, sig.Text, sig.Sensor = "", "", perceive.ToolOutput
		sig.Payload = sexpr.Plist("sensor", sexpr.Key(sig.Sensor), "tool", sexpr.Str(tool), "result", sexpr.Str(told.text))
		return s.goOn(ctx, sig, told.text, out)
	})
	return s.conclude(ctx, sig, out, err)
}

// approved acts on a grant, or on the allow that replaced a card, and tells the model the
// result. If another caller has used the allow in the meantime, such as the recovery of
// its signal, that caller reports it.
func (s *Sessions) approved(ctx context.Context, sig perceive.Signal, a *approval.Approval, q ledger.Question,
	out *Outcome) (result, error) {
	last, err := s.decided(a.Decision, a.Root)
	if err != nil {
		return result{}, err
	}
	var d *record.Decision
	if last != nil && last.decision.Kind == reason.Allow {
		d = last.decision
	} else if d, err = s.ledger.DecideOn(ctx, q); err != nil {
		return result{}, err
	}
	out.Decisions = append(out.Decisions, d)
	told, fed, err := s.carryOut(ctx, sig, d, out)
	if errors.Is(err, ledger.ErrUsed) {
		return result{}, nil
	}
	if err != nil || fed == nil {
		return told, err
	}
	return told, s.goOn(ctx, *fed, told.text, out)
}

// refused tells the model that a person said no. A silent tool has no result, so for it
// refused tells the model nothing.
func (s *Sessions) refused(ctx context.Context, sig perceive.Signal, a *approval.Approval, out *Outcome) (result,
	error) {
	told := result{"not run: " + refusedBecause + a.Why}
	fed, ok := s.Policies.Current().Tools.Feedback(sig, a.Action.Tool(),
		act.Receipt{State: act.Nothing, Error: refusedBecause + a.Why})
	if !ok {
		return told, nil
	}
	return told, s.goOn(ctx, fed, told.text, out)
}

// refusedBecause introduces the reason that a person, or new rules, gave.
const refusedBecause = "it was refused: "
