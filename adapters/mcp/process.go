package mcp

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/process"
)

// Backend is what stands behind a proxy: a [Command], a [Remote] or a [Merge].
type Backend interface {
	dial(ctx context.Context, p *Proxy) (link, error)
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
func (c Command) dial(_ context.Context, _ *Proxy) (link, error) {
	if len(c.Args) == 0 {
		return nil, errors.New("expected a command to start")
	}
	p, err := process.Start(c.Args, c.Env, c.Dir, c.Err)
	if err != nil {
		return nil, err
	}
	return program{p}, nil
}

// program is a server that runs.
type program struct{ *process.Process }

func (p program) send(_ context.Context, raw []byte) error { return p.Write(raw) }

func (p program) receive() ([]byte, error) { return p.Read() }

// grace is how long a server has to end by itself once its input is closed, and again once
// it was told to.
const grace = 2 * time.Second

func (p program) close() error { return p.Close(grace) }
