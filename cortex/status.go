package cortex

import (
	"context"
	"errors"
	"time"

	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
)

// Status is how an engine stands, for operators and health checks.
type Status struct {
	Live     bool
	Observe  bool
	Killed   bool         // the kill switch is on
	ReadOnly error        // why nothing can be recorded, or nil
	Full     error        // why nothing new is begun until there is space on the disk, or nil
	Policy   sexpr.Digest // in force
	Skills   int          // in the rulebook
	Tools    int          // declared
	Running  int          // signals that are being answered, or wait for their turn
	Sessions int          // that they belong to
	Pending  int          // approvals that wait for people
	Memory   int          // bytes that sessions take in memory: see Caps.Memory
	Doubts   int          // intents of which nobody knows what came of them
	Failed   int          // compensations that failed, and wait for a person: see FailedCompensations
	Last     uint64       // the newest record
	Started  time.Time    // of this engine
	Scrub    Scrub        // the check of the record in the background
	Reload   error        // why the last reload failed, or nil
	// Models are the providers that were asked so far, and how they do.
	Models []model.ProviderHealth
}

// Status reads how the engine stands. Its cost grows with what is open, and not
// with the record.
func (e *Engine) Status(ctx context.Context) (Status, error) {
	if e.closed.Load() {
		return Status{}, ErrClosed
	}
	book := e.policy.Load().gates
	s := Status{
		Live: e.opt.Live, Observe: e.opt.Observe, Killed: e.killed.Load(), ReadOnly: e.j.Err(), Full: e.j.Room(),
		Policy: book.Hash(),
		Skills: len(book.Skills("")), Tools: len(book.Tools()), Last: e.j.Last(), Started: e.started,
		Models: e.thinker.Health.Report(),
	}
	if failed := e.reload.Load(); failed != nil {
		s.Reload = *failed
	}
	if found := e.scrubbed.Load(); found != nil {
		s.Scrub = *found
	} else {
		s.Scrub.Compared = e.compared()
	}
	s.Memory, _ = e.memory.bytes()
	e.mu.Lock()
	s.Sessions = len(e.workers)
	for _, w := range e.workers {
		s.Running += len(w)
	}
	e.mu.Unlock()
	for _, err := range e.Pending(ctx) {
		if err != nil {
			return s, err
		}
		s.Pending++
	}
	doubts, err := e.Doubts(ctx)
	s.Doubts = len(doubts)
	failed, failedErr := e.FailedCompensations(ctx)
	s.Failed = len(failed)
	return s, errors.Join(err, failedErr)
}
