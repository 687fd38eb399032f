package session

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// Outcome is how a signal was answered.
type Outcome struct {
	Signal    uint64             // its record
	Text      string             // what was said to the user through the reply tool
	Notice    string             // what the engine itself says: why it did nothing, or what it waits for
	Approval  string             // token of the card it waits for
	Dropped   bool               // too deep in a chain of feedback: recorded, not worked on
	Repeat    bool               // a dedupe key seen before: this is the first answer
	Decisions []*record.Decision // in order, also the refused tries
	Receipts  []act.Receipt      // of what was run, in order

	used     *budget        // by its root signal, for the answer's commit; nil if no model was asked
	thoughts []record.Entry // what models were asked and answered, that is not on record yet
}

// Submit takes a signal through the whole pipeline: record, think, judge, act and feed
// back, until the model has answered, or until something must wait or stop. The engine
// writes the signal to disk before it does anything else. A signal with a dedupe key that
// was seen before gets the first answer. Submit is Engine.Accept and [Accepted.Answer] in
// one call.
func (s *Sessions) Submit(ctx context.Context, sig perceive.Signal) (*Outcome, error) {
	a, err := s.Accept(ctx, sig)
	if err != nil {
		return nil, err
	}
	return a.Answer(ctx)
}

// responder answers a signal, in its session's turn.
type responder func(ctx context.Context, sig perceive.Signal, out *Outcome) error

// work answers a recorded signal. What Close cuts short stays unanswered, and
// the next engine on the record takes it up.
func (s *Sessions) work(ctx context.Context, sig perceive.Signal, seq uint64, enter entry, respond responder) (*Outcome,
	error) {
	out := &Outcome{Signal: seq}
	if sig.Root == 0 {
		sig.Root = seq
	}
	if sig.Depth > s.Opt.Depth {
		s.Opt.Logger.Warn("maximum depth reached, signal dropped", "signal", seq, "depth", sig.Depth, "session", sig.Session)
		out.Dropped = true
		return out, s.recordAnswer(ctx, sig, out, nil)
	}
	ctx, end, err := s.attend(ctx, sig)
	if err != nil {
		return nil, err
	}
	defer end()
	err = s.inTurn(ctx, sig, out, enter, respond)
	return out, s.conclude(ctx, sig, out, err)
}

// inTurn waits for the session's turn and then answers, turning a panic into an
// error.
func (s *Sessions) inTurn(ctx context.Context, sig perceive.Signal, out *Outcome, enter entry,
	respond responder) error {
	leave, err := enter(ctx, sig.Session)
	if err != nil {
		return err
	}
	defer leave()
	return s.guarded(ctx, sig, out, respond)
}

// conclude records how work on a signal ended.
func (s *Sessions) conclude(ctx context.Context, sig perceive.Signal, out *Outcome, err error) error {
	if err == nil {
		return s.recordAnswer(ctx, sig, out, nil)
	}
	cause := context.Cause(ctx)
	if stopped := (*interruption)(nil); errors.As(cause, &stopped) {
		out.Notice = stopped.Error()
		return s.recordAnswer(ctx, sig, out, nil)
	}
	if errors.Is(cause, ledger.ErrClosed) {
		return ledger.ErrClosed
	}
	return errors.Join(err, s.recordCrash(ctx, sig, err), s.recordAnswer(ctx, sig, out, err))
}

// guarded responds, and turns a panic into an error.
func (s *Sessions) guarded(ctx context.Context, sig perceive.Signal, out *Outcome, respond responder) (err error) {
	defer func() {
		if r := recover(); r != nil {
			s.Opt.Logger.Error("panic while answering a signal", "signal", out.Signal, "panic", r,
				"stack", string(debug.Stack()))
			err = fmt.Errorf("signal %d: panic: %v", out.Signal, r)
		}
	}()
	return respond(ctx, sig, out)
}

// recordCrash leaves one loop-error signal about work that broke off, unless
// that work was itself about an error: errors on errors go no further.
func (s *Sessions) recordCrash(ctx context.Context, sig perceive.Signal, cause error) error {
	if sig.Sensor == perceive.LoopError || sig.Sensor == perceive.ToolError {
		return nil
	}
	s.Opt.Logger.Error("a signal could not be answered", "sensor", sig.Sensor, "session", sig.Session, "error", cause)
	fault := sig
	fault.Sensor, fault.Key, fault.Text, fault.Depth = perceive.LoopError, "", "", sig.Depth+1
	fault.Payload = sexpr.Plist("sensor", sexpr.Key(perceive.LoopError), "message", sexpr.Str(cause.Error()),
		"depth", sexpr.Int64(int64(sig.Depth)))
	_, err := s.recordSignal(context.WithoutCancel(ctx), fault)
	return err
}

// respond decides whose business a signal is: a handler's, the approvals', or a
// model's. What a person writes to answer an approval reaches no model.
func (s *Sessions) respond(ctx context.Context, sig perceive.Signal, out *Outcome) error {
	if a, ok := perceive.ParseAnswer(sig.Text); ok {
		if fromUser(sig) { // what a gateway has dealt with itself is only on record
			out.Notice = s.answerByText(ctx, sig, a)
		}
		return nil
	}
	for _, h := range s.Opt.Handlers {
		taken, text, err := h(ctx, sig)
		if err != nil {
			return fmt.Errorf("handler of signal %d: %w", out.Signal, err)
		}
		if taken {
			out.Notice = text
			return nil
		}
	}
	if !sig.ForModel() {
		return nil // heartbeats and the like are recorded, and no model is asked
	}
	if err := s.ledger.Seed(ctx); err != nil {
		return err
	}
	return s.converse(ctx, sig, out)
}

// answerByText carries out an approval command and returns the reply. The connection
// identifies the sender. A socket identifies only a user of the machine, and an agent's
// programs run as that user too: so it does not accept answers in words.
func (s *Sessions) answerByText(ctx context.Context, sig perceive.Signal, a perceive.Answer) string {
	if sig.Source == perceive.SourceSocket {
		return "approvals are not answered in words here, but with (approve TOKEN), (answer TOKEN WORDS) " +
			"or (deny TOKEN WHY) on the approval socket"
	}
	who := approval.Approver{Name: sig.Principal, Via: sig.Source}
	if a.Token == "" {
		return "which approval? write " + perceive.Answers
	}
	var err error
	switch {
	case a.Approve:
		err = s.Approve(ctx, a.Token, who, nil)
	case a.Answers:
		_, err = s.Answer(ctx, a.Token, who, a.Reason)
	default:
		err = s.Deny(ctx, a.Token, who, a.Reason)
	}
	if err != nil {
		return err.Error()
	}
	return a.Done()
}

// recordAnswer keeps how a signal was answered, for people, and the first answer
// for repeats, and what its root signal has used.
func (s *Sessions) recordAnswer(ctx context.Context, sig perceive.Signal, out *Outcome, failed error) error {
	answer := record.Answer{Signal: out.Signal, Text: out.Text, Notice: out.Notice, Approval: out.Approval}
	if failed != nil {
		answer.Error = strings.ToValidUTF8(failed.Error(), "?")
	}
	return s.j.Finish(context.WithoutCancel(ctx), func(tx *journal.Tx) error {
		if err := record.AppendAll(tx, sig.Session, out.thoughts); err != nil {
			return err
		}
		written, err := record.Append(tx, sig.Session, answer)
		if err != nil {
			return err
		}
		if out.used != nil {
			if err := out.used.save(tx, sig.Root); err != nil {
				return err
			}
		}
		if done, err := settled(tx, out.Approval); err != nil {
			return err
		} else if done {
			tx.Delete(record.TableUnanswered.Key(out.Signal))
		}
		first, err := tx.Get(record.TableAnswer.Key(out.Signal))
		if err != nil || first != nil {
			return err
		}
		return record.SetPlist(tx, record.TableAnswer.Key(out.Signal), record.Stored(written, answer.Value()))
	})
}

// settled reports whether nothing more is to be done for a signal that waits for
// this card: people may have answered it before the signal's answer was recorded,
// and then the engine goes on.
func settled(tx *journal.Tx, token string) (bool, error) {
	if token == "" {
		return true, nil
	}
	a, err := approval.Load(tx, token)
	if err != nil {
		return false, err
	}
	return !a.Resume || a.State != approval.Approved && a.State != approval.Denied && a.State != approval.Consumed, nil
}

// fromUser reports whether a person wrote the signal's text.
func fromUser(sig perceive.Signal) bool {
	return sig.Sensor == perceive.UserInput || sig.Sensor == perceive.ChatMessage
}
