package runs

import (
	"context"
	"encoding/json"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/cortextest"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/shelf"
	"github.com/opencortex-go/cortex/runs/ticket"
	"github.com/opencortex-go/cortex/runs/tools"
)

// bench is runs on a machine whose power can be cut.
type bench struct {
	*Runs
	t       testing.TB
	m       *cortextest.Machine
	e       *cortex.Engine
	opt     Options
	library stock
}

// stock is a library of compiled texts.
type stock map[string]*Workflow

func (s stock) Find(id string) (*Workflow, error) {
	if w := s[id]; w != nil {
		return w, nil
	}
	return nil, tools.Failed(tools.NotFound, "there is no workflow "+id, "")
}
func (stock) List(*tools.ListWorkflows) tools.Workflows { return tools.Workflows{} }
func (stock) Inspect(*tools.InspectWorkflow) (tools.Inspected, error) {
	return tools.Inspected{}, nil
}

func (s stock) put(t testing.TB, text string) *plans.Plan {
	p, err := plans.Compile(plans.Source{Name: "w", Text: []byte(text)}, plans.Options{})
	require.NoError(t, err)
	s[p.WorkflowID] = &Workflow{Plan: p, Kind: plans.KindProject, Ref: "w"}
	return p
}

func newBench(t testing.TB, opt Options, flows ...string) *bench {
	b := &bench{t: t, m: machine(t), library: stock{}}
	b.e = b.m.Start()
	opt.Library = b.library
	for _, text := range flows {
		b.library.put(t, text)
	}
	b.opt = opt
	b.open()
	return b
}

func (b *bench) open() {
	var err error
	if b.e != nil {
		b.opt.Logs = b.e.Hosts().Logs()
	}
	b.Runs, err = New(b.opt)
	require.NoError(b.t, err)
}

// reboot cuts the power and starts again.
func (b *bench) reboot() {
	b.m.CutPower()
	b.e = b.m.Start()
	b.open()
}

var agent = Caller{Principal: "agent", Session: "chat"}

// call makes a call as an agent does, in JSON.
func (b *bench) call(by Caller, tool tools.Name, params string) (any, *tools.Error) {
	c, err := tools.Read(tool, []byte(params))
	if err != nil {
		return nil, tools.AsError(err)
	}
	out, err := b.Call(context.Background(), by, c)
	if err != nil {
		return nil, tools.AsError(err)
	}
	return out, nil
}

// reply is a call that succeeds with a reply.
func (b *bench) reply(tool tools.Name, params string) *tools.Reply {
	b.t.Helper()
	out, err := b.call(agent, tool, params)
	if err != nil {
		require.NoError(b.t, err, err.Because(nil).Error())
	}
	return out.(*tools.Reply)
}

func (b *bench) start(flow, more string) *tools.Reply {
	b.t.Helper()
	return b.reply(tools.Start, `{"workflowId":"`+flow+`","goal":"get it done"`+more+`}`)
}

// hand hands in output for a ticket.
func (b *bench) hand(token, output string) *tools.Reply {
	b.t.Helper()
	return b.reply(tools.Continue, `{"continueToken":"`+token+`","output":`+output+`}`)
}

func (b *bench) notes(token, notes string) *tools.Reply {
	b.t.Helper()
	return b.hand(token, textOf(map[string]string{"notesMarkdown": notes}))
}

func (b *bench) read(token string) *tools.Reply {
	b.t.Helper()
	return b.reply(tools.Continue, `{"continueToken":"`+token+`","intent":"rehydrate"}`)
}

// log folds the log of a run by its label.
func (b *bench) log(rep *tools.Reply) *fold.State {
	b.t.Helper()
	heads, err := b.logs.List(b.t.Context())
	require.NoError(b.t, err)
	for _, h := range heads {
		s, err := shelf.Load(b.t.Context(), b.logs, event.SessionID(h.Log))
		require.NoError(b.t, err)
		if string(s.Run) == rep.Run.RunID {
			return s
		}
	}
	require.Fail(b.t, "no such run")
	return nil
}

func textOf(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// flow is a workflow with these steps.
func flow(id, steps string) string {
	return `{"id":"` + id + `","name":"n","description":"d","version":"1.0.0","steps":[` + steps + `]}`
}

const twoSteps = `{"id":"one","title":"First","prompt":"Do one."},{"id":"two","title":"Second","prompt":"Do two."}`

// attemptOf is the attempt that a ticket closes.
func attemptOf(t testing.TB, session event.SessionID, text string) event.AttemptID {
	got, err := ticket.Parse(text)
	require.NoError(t, err)
	return got.ID(session)
}

func machine(t testing.TB) *cortextest.Machine {
	m := cortextest.NewMachine(t, 1, cortex.Options{Live: true, Heartbeat: 24 * time.Hour,
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte("(defaults :unknown-tool :ask)")}}})
	t.Cleanup(m.Close)
	return m
}
