package runs

import (
	"context"
	"fmt"
	"sync"

	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/ticket"
	"github.com/opencortex-go/cortex/runs/tools"
)

// Run is one run, for programs that keep its ticket themselves, so that no model has to copy it.
// It is safe for concurrent use; calls go one after the other.
type Run struct {
	r       *Runs
	by      Caller
	session event.SessionID

	mu   sync.Mutex
	last *tools.Reply
}

// Begin starts a run, and returns it at its first step.
func (r *Runs) Begin(ctx context.Context, by Caller, c *tools.StartWorkflow) (*Run, error) {
	rep, err := r.start(ctx, by, c)
	if err != nil {
		return nil, tools.AsError(err)
	}
	s, err := r.seat(ctx, rep.ContinueToken)
	if err != nil {
		return nil, tools.AsError(err)
	}
	return &Run{r: r, by: by, session: s.session, last: rep}, nil
}

// At returns a run at its preferred tip.
func (r *Runs) At(ctx context.Context, by Caller, session event.SessionID) (*Run, error) {
	h := &Run{r: r, by: by, session: session}
	if err := r.owned(session, by); err != nil {
		return nil, tools.AsError(err)
	}
	_, err := h.Read(ctx)
	return h, err
}

// Session is the run's log.
func (h *Run) Session() event.SessionID { return h.session }

// Reply is the newest answer.
func (h *Run) Reply() *tools.Reply {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}

// Read reads the run at its preferred tip. It writes nothing.
func (h *Run) Read(ctx context.Context) (*tools.Reply, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.r.shelf.Read(ctx, h.session, func(log *fold.State) (err error) {
		h.last, err = h.r.show(log, log.Tip())
		return err
	})
	if err != nil {
		return nil, tools.AsError(err)
	}
	return h.last, nil
}

// Continue hands in an output, and what changes in work, for the step of the newest answer.
func (h *Run) Continue(ctx context.Context, out *tools.Output, work map[string]any) (*tools.Reply, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hand(ctx, &tools.ContinueWorkflow{ContinueToken: h.last.ContinueToken + h.last.RetryToken, Intent: "advance",
		Output: out, Context: work})
}

// Hand is [Run.Continue] with a ticket that the caller kept. One of another run is refused, and the
// error names both.
func (h *Run) Hand(ctx context.Context, c *tools.ContinueWorkflow) (*tools.Reply, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hand(ctx, c)
}

func (h *Run) hand(ctx context.Context, c *tools.ContinueWorkflow) (*tools.Reply, error) {
	s, err := h.r.seat(ctx, c.ContinueToken)
	if err == nil && s.session != h.session {
		err = h.r.otherRun(ctx, s.session, h.session)
	}
	if err != nil {
		return nil, tools.AsError(err)
	}
	out, err := h.r.Call(ctx, h.by, c)
	if err != nil {
		return nil, err
	}
	h.last = out.(*tools.Reply)
	return h.last, nil
}

// otherRun is the error for a good ticket of one run that is used on another.
func (r *Runs) otherRun(ctx context.Context, is, want event.SessionID) error {
	var labels [2]string
	for i, session := range []event.SessionID{is, want} {
		if err := r.shelf.Read(ctx, session, func(log *fold.State) error {
			labels[i] = refOf(log).Label
			return nil
		}); err != nil {
			return err
		}
	}
	return tools.Failed(ticket.ScopeMismatch, fmt.Sprintf("the ticket is of the run %s, and this is the run %s", labels[0],
		labels[1]), "use the newest ticket that begins with ct1-"+labels[1])
}
