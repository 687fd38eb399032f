package mcp

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/merging"
	"github.com/opencortex-go/cortex/adapters/mcp/internal/process"
	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// Backend is what stands behind a proxy: a [Command], a [Remote] or a [Merge].
type Backend interface {
	dial(ctx context.Context, p *Proxy) (merging.Link, error)
}

// Command is a server that is a program: it reads messages on its standard input and writes
// them to its standard output. Each connection has a process of its own.
type Command struct {
	Args []string // the program and its arguments
	Env  []string // the environment as "NAME=value"; nil means this process's own
	Dir  string   // the folder it starts in; "" means this process's own
	Err  io.Writer
}

// dial starts the program.
func (c Command) dial(_ context.Context, proxy *Proxy) (merging.Link, error) {
	if len(c.Args) == 0 {
		return nil, errors.New("expected a command to start")
	}
	p, err := process.Start(c.Args, c.Env, c.Dir, c.Err)
	if err != nil {
		return nil, err
	}
	return &program{Process: p, p: proxy}, nil
}

// program is a server that runs.
type program struct {
	*process.Process
	p     *Proxy
	stand []*wire.Message // what the client gets in place of a message that was refused
}

func (p *program) Send(_ context.Context, m *wire.Message) error { return p.Write(m) }

func (p *program) Receive() (*wire.Message, error) {
	for len(p.stand) == 0 {
		line, err := p.Read()
		if err != nil {
			return nil, err
		}
		m, err := wire.Parse(line)
		if err == nil {
			return m, nil
		}
		var back *wire.Message
		if p.stand, back = p.p.refused(line, err); back != nil {
			if err := p.Write(back); err != nil {
				return nil, err
			}
		}
	}
	m := p.stand[0]
	p.stand = p.stand[1:]
	return m, nil
}

// refused returns what stands in for a message of a server that is not read, see [wire.Refuse].
func (p *Proxy) refused(raw []byte, why error) (client []*wire.Message, server *wire.Message) {
	p.Logger.Warn("the server sent something that is not one JSON-RPC message; it was refused", "error", why)
	return wire.Refuse(raw, why)
}

// grace is how long a server has to end by itself once its input is closed, and again once
// it was told to.
const grace = 2 * time.Second

func (p *program) Close() error { return p.Process.Close(grace) }
