package proxying

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"

	"github.com/opencortex-go/cortex/adapters/mcp/serve"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/runs/tools"
)

// desk forwards the calls of one agent to the daemon, over the plain socket: what needs the
// pairing secret is refused there. All of it is one session of the daemon. When the daemon was
// started again it is reached again, since a run outlives it.
type desk struct {
	socket, session string

	mu   sync.Mutex
	conn *client.Conn // nil, or closed, until the next call
}

// serveRuns serves the tools for workflows.
func (c *Command) serveRuns(ctx context.Context, con *console.Console) error {
	d := &desk{socket: opening.RecordFlag{Socket: c.Socket}.Address(), session: "mcp-" + rand.Text()[:12]}
	if _, err := d.reach(ctx); err != nil {
		return err
	}
	std := keepOpen{con.In, con.Out}
	err := serve.Workflows(ctx, d, opening.Version(), std, std)
	return errors.Join(err, d.close())
}

// reach returns a connection that is open.
func (d *desk) reach(ctx context.Context) (*client.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn != nil && d.conn.Err() == nil {
		return d.conn, nil
	}
	conn, err := opening.Dial(ctx, d.socket)
	if err != nil {
		return nil, err
	}
	conn.Session = d.session
	if d.conn != nil {
		_ = d.conn.Close() // it broke
	}
	d.conn = conn
	return conn, nil
}

func (d *desk) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn == nil || d.conn.Err() != nil {
		return nil
	}
	return d.conn.Close()
}

// Call implements [serve.Runs].
func (d *desk) Call(ctx context.Context, tool tools.Name, params []byte) tools.Answer {
	conn, err := d.reach(ctx)
	if err == nil {
		var a tools.Answer
		if a, err = conn.Workflow(ctx, tool, params); err == nil {
			return a
		}
	}
	return tools.AnswerOf(nil, away(ctx, err))
}

// away is what an agent hears of a call that the daemon did not answer. It may have been carried
// out, and then the same call gets the answer.
func away(ctx context.Context, err error) *tools.Error {
	var said *repl.Error
	e := tools.Failed(tools.InternalError, "the daemon that keeps the runs does not answer",
		"make the same call again; if it fails again, tell the user that `cortex serve` has to run")
	e.Retry = tools.Retry{Kind: "retryable_after_ms", AfterMs: 2000}
	switch {
	case ctx.Err() != nil:
		e.Code, e.Message = tools.Timeout, "the call was given up before the daemon answered"
	case errors.As(err, &said):
		e.Message, e.Retry = "the daemon refused the call: "+said.Error(), tools.Retry{Kind: "not_retryable"}
	}
	return e.Because(err)
}
