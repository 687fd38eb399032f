package engine

import (
	"context"
	"errors"
	"time"

	"github.com/opencortex-go/cortex/cortex/integrity"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
)

// Status is the state of an engine, for operators and health checks.
type Status struct {
	Live     bool
	Observe  bool
	Killed   bool            // the kill switch is on
	ReadOnly error           // why the record cannot be written to, or nil
	Full     error           // why the engine begins nothing new until the disk has space, or nil
	Policy   sexpr.Digest    // in force
	Skills   int             // in the rulebook
	Tools    int             // declared
	Running  int             // signals that are being answered or wait for their turn
	Sessions int             // with such signals
	Pending  int             // approvals that wait for people
	Memory   int             // bytes that sessions take: see Caps.Memory
	Doubts   int             // intents in doubt
	Failed   int             // compensations that failed and wait for a person: see Compensations.Failed
	Last     uint64          // the newest record
	Started  time.Time       // when this engine opened
	Scrub    integrity.Scrub // progress of the background check of the record
	Reload   error           // why the last reload failed, or nil
	// Models are the providers that the engine has asked so far, and their health.
	Models []model.ProviderHealth
}

// Status returns the state of the engine. Its cost grows with what is open, not with the
// length of the record.
func (e *Engine) Status(ctx context.Context) (Status, error) {
	if e.ledger.Closed.Load() {
		return Status{}, ledger.ErrClosed
	}
	book := e.policies.Current().Gates
	s := Status{
		Live: e.opt.Live, Observe: e.opt.Observe, Killed: e.ledger.Killed.Load(), ReadOnly: e.j.Err(), Full: e.j.Room(),
		Policy: book.Hash(),
		Skills: len(book.Skills("")), Tools: len(book.Tools()), Last: e.j.Last(), Started: e.started,
		Models: e.sessions.Thinker.Health.Report(),
	}
	if failed := e.reload.Load(); failed != nil {
		s.Reload = *failed
	}
	if found := e.integrity.Scrubbed.Load(); found != nil {
		s.Scrub = *found
	} else {
		s.Scrub.Compared = e.integrity.Compared()
	}
	s.Memory, _ = e.memory.Bytes()
	e.sessions.Mu.Lock()
	s.Sessions = len(e.sessions.Workers)
	for _, w := range e.sessions.Workers {
		s.Running += len(w)
	}
	e.sessions.Mu.Unlock()
	for _, err := range e.ledger.Pending(ctx, e.j.View()) {
		if err != nil {
			return s, err
		}
		s.Pending++
	}
	doubts, err := e.ledger.Doubts(ctx, e.j.View())
	s.Doubts = len(doubts)
	failed, failedErr := e.ledger.FailedCompensations(ctx)
	s.Failed = len(failed)
	return s, errors.Join(err, failedErr)
}
