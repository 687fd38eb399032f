package runs

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/search"
	"github.com/opencortex-go/cortex/runs/shelf"
	"github.com/opencortex-go/cortex/runs/tools"
)

// Options say where runs are kept, and what they may do. Logs and Library are needed.
type Options struct {
	Logs    *logs.Logs // of the engine's Hosts
	Library Library
	// Ceiling is how far an agent of a principal may let a run go on by itself; nil is
	// full_auto_stop_on_user_deps for everybody. A person may go beyond it.
	Ceiling func(principal string) event.Autonomy
	// Observe says what the host sees of a folder that a run is started in, such as its branch;
	// nil: nothing. A workspace path is an agent's word, so the host decides whether to look.
	Observe func(ctx context.Context, workspace string) []*event.ObservationRecorded
	// Tiers is what counts most where a run is searched for; "": the words of users.
	Tiers search.Tiers
	// Attempts is how many tries in a row may be blocked at one step, before a person has to
	// release it; 0: 10, and 3 where the run goes on by itself.
	Attempts int
	// Try says how a try at a step that the engine takes stands; the engine's Hosts have it. nil: a
	// run does not tell what it waits for.
	Try func(log, step, try string) (engine.Taken, error)
	// Driver is the one that the engine has, if it takes steps of tools and people.
	Driver *Driver
	// Cached is how many runs are held in memory at most, folded; 0: 64.
	Cached int
}

// Library is what can be started.
type Library interface {
	// Find returns a workflow by its id, or a [tools.Error].
	Find(id string) (*Workflow, error)
	List(c *tools.ListWorkflows) tools.Workflows
	Inspect(c *tools.InspectWorkflow) (tools.Inspected, error)
}

// Workflow is a workflow that can be started.
type Workflow struct {
	Plan *plans.Plan
	Kind plans.Kind
	Ref  string // where it was found, relative to its root
	Text string // as it is written; "" for a plan that came without
}

// Runs are the runs of one record. It is safe for concurrent use.
type Runs struct {
	opt   Options
	logs  *logs.Logs
	shelf *shelf.Shelf
}

// New returns the runs of a record.
func New(opt Options) (*Runs, error) {
	if opt.Logs == nil || opt.Library == nil {
		return nil, errors.New("runs need the logs of a record, and a library")
	}
	if err := opt.Tiers.Check(); err != nil {
		return nil, err
	}
	r := over(opt)
	if d := opt.Driver; d != nil {
		r.shelf = d.of(opt.Logs).shelf
	}
	return r, nil
}

// over returns runs of which nothing is held yet.
func over(opt Options) *Runs {
	if opt.Cached == 0 {
		opt.Cached = 64
	}
	return &Runs{opt: opt, logs: opt.Logs, shelf: shelf.New(opt.Logs, opt.Cached)}
}

// Caller is who makes a call, as the way it came by vouches for.
type Caller struct {
	Principal string // whom the run belongs to; "" is the nameless principal of a local agent
	Session   string // the conversation whose calls the tool steps are; "" for one of the run's own
	// Person says that a person makes the call, and no model: what they put into work is theirs.
	Person bool
}

// Call answers a call of one of the six tools: a [tools.Workflows], [tools.Inspected],
// *[tools.Reply] or *[tools.Candidates]. The error is a *[tools.Error].
func (r *Runs) Call(ctx context.Context, by Caller, c tools.Call) (any, error) {
	out, err := r.call(ctx, by, c)
	if errors.Is(err, shelf.ErrUnhealthy) {
		err = tools.Failed(tools.SessionNotHealthy,
			"the log of the run does not read as it was written, so nothing goes on from it",
			"tell the user: an operator can look at it with cortex run show").Because(err)
	}
	if err != nil {
		return nil, tools.AsError(err)
	}
	return out, nil
}

func (r *Runs) call(ctx context.Context, by Caller, c tools.Call) (any, error) {
	switch c := c.(type) {
	case *tools.ListWorkflows:
		return r.opt.Library.List(c), nil
	case *tools.InspectWorkflow:
		return r.opt.Library.Inspect(c)
	case *tools.StartWorkflow:
		return r.start(ctx, by, c)
	case *tools.ContinueWorkflow:
		if c.Advances() {
			return r.advance(ctx, by, c)
		}
		return r.rehydrate(ctx, by, c)
	case *tools.CheckpointWorkflow:
		return r.checkpoint(ctx, by, c)
	case *tools.ResumeSession:
		return r.resume(ctx, by, c)
	}
	return nil, fmt.Errorf("a call of type %T", c)
}

// Logs are the logs that the runs are kept in.
func (r *Runs) Logs() *logs.Logs { return r.logs }

// ceiling is how far an agent of this principal may let a run go.
func (r *Runs) ceiling(by Caller) event.Autonomy {
	if by.Person {
		return event.NeverStop
	}
	if r.opt.Ceiling == nil {
		return event.StopOnAsk
	}
	return r.opt.Ceiling(by.Principal)
}
