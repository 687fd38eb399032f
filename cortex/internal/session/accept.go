package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// Accepted is a signal that is on disk. The engine answers it even if the connection that
// it came from ends.
type Accepted struct {
	Signal uint64 // its record; for a repeat, that of the first one
	Repeat bool   // a dedupe key seen before: the first answer counts

	s         *Sessions
	sig       perceive.Signal
	answering *answering
	enter     entry
	Respond   responder
	leave     func() // it is answered: see Caps
}

// answering is how a signal is being answered, for everybody who waits for it.
type answering struct {
	durable chan struct{} // closed when seq or lost is set
	seq     uint64
	lost    error // why the signal could not be recorded
	begun   atomic.Bool
	done    chan struct{} // closed when out and err are set
	out     *Outcome
	err     error
}

func newAnswering() *answering {
	return &answering{durable: make(chan struct{}), done: make(chan struct{})}
}

// recorded says what became of the signal itself.
func (a *answering) recorded(seq uint64, err error) {
	a.seq, a.lost = seq, err
	close(a.durable)
}

// ErrUnanswered says that a signal with this dedupe key is on record and that no
// engine has answered it.
var ErrUnanswered = errors.New("this signal was recorded and not answered; the journal shows how far the work went")

// Accept makes a signal durable and returns. The engine answers every accepted signal:
// when the caller calls [Accepted.Answer], or, if this process ends before that, when an
// engine next opens the record. A signal with a dedupe key that was seen before is not
// recorded again.
//
// The caller vouches for Source, Principal, Roles and Depth. Pass what arrives over a
// connection through [perceive.Normalise] first.
func (s *Sessions) Accept(ctx context.Context, sig perceive.Signal) (*Accepted, error) {
	return s.accept(ctx, sig, Cursor{})
}

// AcceptAt is Engine.Accept for a signal from a stream. The signal and the cursor become
// durable together. A repeated signal moves the cursor too.
func (s *Sessions) AcceptAt(ctx context.Context, sig perceive.Signal, c Cursor) (*Accepted, error) {
	if err := c.valid(); err != nil {
		return nil, err
	}
	return s.accept(ctx, sig, c)
}

func (s *Sessions) accept(ctx context.Context, sig perceive.Signal, c Cursor) (*Accepted, error) {
	if err := s.ledger.Usable(); err != nil {
		return nil, err
	}
	sig = s.recordable(s.unspoken(sig))
	if sig.Sensor == perceive.Run {
		return nil, fmt.Errorf("a signal of sensor %q is the engine's own: %w", sig.Sensor, perceive.ErrRefused)
	}
	if err := record.Named("session, principal, source or key", sig.Session, sig.Principal, sig.Source,
		sig.Key); err != nil {
		return nil, err
	}
	if sig.Key == "" {
		leave, err := s.admit(sig)
		if err != nil {
			return nil, err
		}
		a := newAnswering()
		seq, _, err := s.acceptOnce(ctx, sig, c)
		a.recorded(seq, err)
		if err != nil {
			leave()
		}
		return &Accepted{Signal: seq, s: s, sig: sig, answering: a, enter: s.Enter, Respond: s.respond, leave: leave}, err
	}
	return s.acceptKeyed(ctx, sig, c)
}

// WithSignalDefaults fills in what a caller left out of a signal.
func WithSignalDefaults(s perceive.Signal) perceive.Signal {
	s.Type = cmp.Or(s.Type, perceive.Event)
	s.Sensor = cmp.Or(s.Sensor, perceive.UserInput)
	s.Source = cmp.Or(s.Source, "api")
	s.Session = cmp.Or(s.Session, "internal")
	if s.Payload.IsNil() && s.Text != "" {
		s.Payload = sexpr.Plist("sensor", sexpr.Str(s.Sensor), "text", sexpr.Str(s.Text))
	}
	return s
}

// recordable is [WithSignalDefaults] with a dedupe key that may be a part of an index.
func (s *Sessions) recordable(sig perceive.Signal) perceive.Signal {
	if sig = WithSignalDefaults(sig); s.Opt.Key != nil {
		sig.Key = s.Opt.Key(sig.Key)
	}
	return sig
}

// acceptKeyed accepts a signal once for its dedupe key. A repeat waits for the first
// answer.
func (s *Sessions) acceptKeyed(ctx context.Context, sig perceive.Signal, c Cursor) (*Accepted, error) {
	name := record.DedupeName(sig)
	a, first := s.flight(name)
	if !first {
		select {
		case <-a.durable:
			if errors.Is(a.lost, ErrOtherMessage) { // the text of that call was another; this one's may not be
				<-a.done
				return s.acceptKeyed(ctx, sig, c)
			}
			if a.lost == nil {
				if err := repeats(s.j, a.seq, sig); err != nil {
					return nil, err
				}
			}
			if c != (Cursor{}) && a.lost == nil {
				if err := s.Advance(ctx, c); err != nil {
					return nil, err
				}
			}
			return &Accepted{Signal: a.seq, Repeat: true, s: s, sig: sig, answering: a}, a.lost
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	leave, err := s.admit(sig)
	if errors.As(err, new(*admission.BusyError)) {
		if first, lost := s.j.Get([]byte(name)); lost == nil && first != nil {
			leave, err = func() {}, nil // it is answered already: that needs no room
		}
	}
	var seq uint64
	var old bool
	if err == nil {
		seq, old, err = s.acceptOnce(ctx, sig, c)
	}
	a.recorded(seq, err)
	if err == nil && !old {
		return &Accepted{Signal: seq, s: s, sig: sig, answering: a, enter: s.Enter, Respond: s.respond, leave: leave}, nil
	}
	if leave != nil {
		leave()
	}
	s.landed(name)
	if err == nil {
		a.out, a.err = s.FirstAnswer(seq)
	} else {
		a.err = err
	}
	close(a.done)
	return &Accepted{Signal: seq, Repeat: true, s: s, sig: sig, answering: a}, err
}

// flight returns the answer that a dedupe key is getting, and whether it is the
// caller's to give.
func (s *Sessions) flight(name string) (a *answering, mine bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if a = s.running[name]; a != nil {
		return a, false
	}
	a = newAnswering()
	s.running[name] = a
	return a, true
}

func (s *Sessions) landed(name string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	delete(s.running, name)
}

// acceptOnce records a signal and that it waits for an answer; if its key is on
// record already, old is true and seq the record it stands for.
func (s *Sessions) acceptOnce(ctx context.Context, sig perceive.Signal, c Cursor) (seq uint64, old bool, err error) {
	err = s.ledger.Update(ctx, func(tx *journal.Tx) error {
		if err := c.set(tx); err != nil {
			return err
		}
		if sig.Key != "" {
			raw, err := tx.Get([]byte(record.DedupeName(sig)))
			if err != nil {
				return err
			}
			if raw != nil {
				seq, old = record.AsNumber(raw), true
				return repeats(tx, seq, sig)
			}
		}
		if seq, err = appendSignal(tx, sig); err != nil {
			return err
		}
		if sig.Key != "" {
			tx.Set([]byte(record.DedupeName(sig)), record.Number(seq))
		}
		tx.Set(record.TableUnanswered.Key(seq), record.Number(0))
		return nil
	})
	return seq, old, err
}

// Answer does the work that the signal asks for, once, and returns its outcome. A second
// caller waits for the first. If ctx ends, the work ends.
func (a *Accepted) Answer(ctx context.Context) (*Outcome, error) {
	if a.Repeat || a.answering.begun.Swap(true) {
		return a.wait(ctx)
	}
	f := a.answering
	if a.leave != nil {
		defer a.leave()
	}
	f.out, f.err = a.s.work(ctx, a.sig, a.Signal, a.enter, a.Respond)
	if a.sig.Key != "" {
		a.s.landed(record.DedupeName(a.sig))
	}
	close(f.done)
	return f.out, f.err
}

// wait returns what another call makes of the signal. It ends with the engine,
// whatever that other call does.
func (a *Accepted) wait(ctx context.Context) (*Outcome, error) {
	select {
	case <-a.answering.done:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-a.s.ctx.Done():
		select {
		case <-a.answering.done: // before that
		default:
			return nil, ledger.ErrClosed
		}
	}
	if a.answering.out == nil || a.answering.err != nil {
		return nil, a.answering.err
	}
	out := *a.answering.out
	out.Repeat = a.Repeat
	return &out, nil
}

// FirstAnswer returns the recorded answer to a signal.
func (s *Sessions) FirstAnswer(seq uint64) (*Outcome, error) {
	v, ok, err := record.GetPlist(s.j, record.TableAnswer.Key(seq))
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("signal %d: %w", seq, ErrUnanswered)
	}
	a := record.AnswerFrom(v)
	if a.Error != "" {
		return nil, fmt.Errorf("signal %d failed: %s", seq, a.Error)
	}
	return &Outcome{Signal: seq, Text: a.Text, Notice: a.Notice, Approval: a.Approval, Repeat: true}, nil
}

func (s *Sessions) recordSignal(ctx context.Context, sig perceive.Signal) (seq uint64, err error) {
	err = s.ledger.Update(ctx, func(tx *journal.Tx) error {
		seq, err = appendSignal(tx, sig)
		return err
	})
	return seq, err
}

// appendSignal records a signal, and a person's words in the session. Commands
// that answer approvals are no part of any conversation.
func appendSignal(tx *journal.Tx, sig perceive.Signal) (uint64, error) {
	rec, err := record.Append(tx, sig.Session, record.Signal{Signal: sig})
	if err != nil {
		return 0, err
	}
	letter := byte(record.MarkUser)
	switch _, answer := perceive.ParseAnswer(sig.Text); {
	case sig.Text == "", fromUser(sig) && answer:
		return rec.Seq, nil
	case sig.Sensor == perceive.TextRead:
		letter = record.MarkSource
	case !fromUser(sig):
		return rec.Seq, nil
	}
	return rec.Seq, record.HappenedIn(tx, sig.Session, rec.Seq, letter, 0, admission.BytesOfWords(sig.Text))
}

// admit counts one more signal. leave must be called once.
func (s *Sessions) admit(sig perceive.Signal) (leave func(), err error) {
	bytes := admission.BytesOfSignal(sig)
	if _, answer := perceive.ParseAnswer(sig.Text); answer && fromUser(sig) {
		return s.Memory.Hold(bytes, true)
	}
	if err := s.ledger.KeepsUp(); err != nil {
		return nil, err
	}
	if sig.ForModel() && s.Opt.Models {
		if err := s.History.Room(sig.Session, admission.BytesOfWords(sig.Text), s.Opt.Caps.SessionMemory); err != nil {
			return nil, err
		}
	}
	release, err := s.Memory.Hold(bytes, false)
	if err != nil {
		return nil, err
	}
	out, err := s.waiting.Admit(s.Opt.Caps, sig, bytes)
	if err != nil {
		release()
		return nil, err
	}
	return sync.OnceFunc(func() { out(); release() }), nil
}
