package answering

import (
	"context"
	"errors"

	"github.com/opencortex-go/cortex/capabilities"
	capabilitydesk "github.com/opencortex-go/cortex/capabilities/desk"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/examples/workflows"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/internal/socket"
	"github.com/opencortex-go/cortex/notes/book"
	notedesk "github.com/opencortex-go/cortex/notes/desk"
	"github.com/opencortex-go/cortex/plans"
	runner "github.com/opencortex-go/cortex/runs"
	"github.com/opencortex-go/cortex/runs/bundle"
	rundesk "github.com/opencortex-go/cortex/runs/desk"
	"github.com/opencortex-go/cortex/runs/library"
)

// Desk is where people look at cards and answer them: at a record that this process
// holds, or at the daemon that holds it.
type Desk struct {
	client.Calls
	served bool // by a daemon, which goes on when this process has ended
	Close  func() error
}

// Look opens the record for looking.
func Look(ctx context.Context, p *console.Console, f opening.RecordFlag) (*Desk, error) {
	caps := capabilities.New()
	e, c, err := opening.OpenRecord(ctx, f, opening.EngineWith(ctx, p, caps))
	switch {
	case err != nil:
		return nil, err
	case c != nil:
		return &Desk{c.Calls, true, c.Close}, nil
	}
	return here(e, caps, nil)
}

// here is the desk of a record that this process holds. Without an approver it is
// for looking.
func here(e *cortex.Engine, caps *capabilities.Capabilities, who *cortex.Approver) (*Desk, error) {
	all, err := runner.New(runner.Options{Logs: e.Hosts().Logs(), Library: shippedFlows()})
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	memory := book.New()
	memory.Open(e.Hosts().Logs())
	s := repl.New(repl.Options{Engine: e, Version: opening.Version(), MaxValue: maxHere, MaxOut: maxHere,
		Notes:        &notedesk.Desk{Book: memory},
		Desk:         &rundesk.Desk{Runs: all, Producer: bundle.Producer{App: opening.Version()}},
		Capabilities: &capabilitydesk.Desk{Capabilities: caps, Engine: e}}).
		Session(repl.Caller{Approver: who})
	return &Desk{Calls: client.InProcess(s), Close: e.Close}, nil
}

// maxHere bounds an answer that crosses no socket, in bytes: a bundle is one.
const maxHere = 1 << 30

// shippedFlows are the workflows that ship. Others come as files.
func shippedFlows() *library.Library {
	return library.Load([]library.Root{{FS: workflows.Files(), Kind: plans.KindBundled}}, plans.Options{})
}

// Open opens the record for an operator's answer. A daemon takes it on its
// approval socket.
func Open(ctx context.Context, p *console.Console, f opening.RecordFlag, s SecretFlag) (*Desk, error) {
	caps := capabilities.New()
	e, c, err := opening.OpenRecord(ctx, f, opening.EngineWith(ctx, p, caps))
	if err != nil {
		return nil, err
	}
	if c == nil {
		who, err := s.operator(p, f.Dir, e)
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		return here(e, caps, &who)
	}
	approvals, record := socket.Approvals(c.Path()), c.Handshake().Record
	if err := c.Close(); err != nil {
		return nil, err
	}
	secret, err := s.ReadFor(p, record)
	if err != nil {
		return nil, err
	}
	if c, err = opening.Dial(ctx, approvals); err != nil {
		return nil, err
	}
	if err := c.Auth(ctx, secret); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return &Desk{c.Calls, true, c.Close}, nil
}

// At carries out an order at the record, with the operator's secret if s is not nil. Orders that only
// read need none.
func At[A any](ctx context.Context, p *console.Console, f opening.RecordFlag, s *SecretFlag,
	do func(*Desk) (A, error)) (answer A, err error) {
	var d *Desk
	if s == nil {
		d, err = Look(ctx, p, f)
	} else {
		d, err = Open(ctx, p, f, *s)
	}
	if err != nil {
		return answer, opening.Damaged(p, err)
	}
	answer, err = do(d)
	return answer, errors.Join(err, d.Close())
}
