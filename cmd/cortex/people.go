package main

import (
	"errors"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/internal/socket"
)

// desk is where people look at cards and answer them: at a record that this process
// holds, or at the daemon that holds it.
type desk struct {
	client.Calls
	served bool // by a daemon, which goes on when this process has ended
	Close  func() error
}

// look opens the record for looking.
func (f recordFlag) look(p *program) (*desk, error) {
	e, c, err := openRecord(p.ctx, f, engineIn(p))
	switch {
	case err != nil:
		return nil, err
	case c != nil:
		return &desk{c.Calls, true, c.Close}, nil
	}
	return here(e, nil), nil
}

// here is the desk of a record that this process holds. Without an approver it is
// for looking.
func here(e *cortex.Engine, who *cortex.Approver) *desk {
	s := repl.New(repl.Options{Engine: e, Version: version()}).Session(repl.Caller{Approver: who})
	return &desk{Calls: client.InProcess(s), Close: e.Close}
}

// answers opens the record for an operator's answer. A daemon takes it on its
// approval socket.
func (f recordFlag) answers(p *program, s secretFlag) (*desk, error) {
	e, c, err := openRecord(p.ctx, f, engineIn(p))
	if err != nil {
		return nil, err
	}
	if c == nil {
		who, err := s.operator(p, f.Dir, e)
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		return here(e, &who), nil
	}
	approvals, record := socket.Approvals(c.Path()), c.Handshake().Record
	if err := c.Close(); err != nil {
		return nil, err
	}
	secret, err := s.readFor(p, record)
	if err != nil {
		return nil, err
	}
	if c, err = dial(p.ctx, approvals); err != nil {
		return nil, err
	}
	if err := c.Auth(p.ctx, secret); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return &desk{c.Calls, true, c.Close}, nil
}
