package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// ErrNotOwner says that work belongs to somebody else.
var ErrNotOwner = errors.New("this is somebody else's work, and only they or an operator may interrupt it")

// interruption is why work on a signal was cut short by a person.
type interruption struct{ by string }

func (i *interruption) Error() string { return "interrupted by " + i.by }

func (i *interruption) Is(target error) bool { return target == ErrInterrupted }

// ErrInterrupted is what every [Interrupted] is.
var ErrInterrupted = errors.New("interrupted")

// Interrupted returns the cause to cancel a context with when a person stops their own
// request. The recorded answer says so, and no engine resumes the request. Unlike
// Operations.Interrupt it does not stop other requests in the session.
func Interrupted(by string) error { return &interruption{by} }

// worker is one signal that is being answered, or waits for its session's turn.
type worker struct {
	principal string
	cancel    context.CancelCauseFunc
}

// attend notes that a signal is being worked on. The context it returns ends with
// ctx, with the engine, and when somebody interrupts; end must be called once.
func (s *Sessions) attend(ctx context.Context, sig perceive.Signal) (_ context.Context, end func(), err error) {
	if !s.Works.add() {
		return nil, nil, ledger.ErrClosed
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.ctx, func() { cancel(ledger.ErrClosed) })
	w := &worker{sig.Principal, cancel}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.Workers[sig.Session] == nil {
		s.Workers[sig.Session] = map[*worker]bool{}
	}
	s.Workers[sig.Session][w] = true
	return ctx, func() {
		stop()
		cancel(nil)
		s.Mu.Lock()
		delete(s.Workers[sig.Session], w)
		if len(s.Workers[sig.Session]) == 0 {
			delete(s.Workers, sig.Session)
		}
		s.Mu.Unlock()
		s.Works.done()
	}, nil
}

// Interrupt stops the signal that is being answered in a session and those that wait
// behind it. It returns how many it stopped; a signal that was answered at this very
// moment may count. Only the principal of the signals and an operator may interrupt; for
// anyone else nothing happens and the error is [ErrNotOwner] (row 31, weakness W29). The
// engine cancels an effect that has begun as far as its actuator can, and its receipt says
// what is known. Later signals are answered as usual.
func (s *Sessions) Interrupt(ctx context.Context, session string, by perceive.Peer) (stopped int, err error) {
	if err := s.ledger.Usable(); err != nil {
		return 0, err
	}
	stopped, foreign := s.stop(session, by)
	if stopped == 0 && foreign > 0 {
		return 0, fmt.Errorf("session %q: %w", session, ErrNotOwner)
	}
	if stopped == 0 {
		return 0, nil
	}
	_, err = s.recordSignal(context.WithoutCancel(ctx), perceive.Signal{
		Type: perceive.Event, Sensor: perceive.Interrupt, Source: by.Source, Principal: by.Principal, Roles: by.Roles,
		Session: session,
		Payload: sexpr.Plist("sensor", sexpr.Key(perceive.Interrupt), "stopped", sexpr.Int64(int64(stopped))),
	})
	return stopped, err
}

// stop cancels the workers of a session that belong to by, and counts those that
// do not.
func (s *Sessions) stop(session string, by perceive.Peer) (stopped, foreign int) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for w := range s.Workers[session] {
		if !by.Operator && w.principal != by.Principal {
			foreign++
			continue
		}
		stopped++
		w.cancel(&interruption{by.Principal})
	}
	return stopped, foreign
}
