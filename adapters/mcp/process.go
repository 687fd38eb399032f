package mcp

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
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
	cmd := exec.Command(c.Args[0], c.Args[1:]...) //nolint:gosec // the user's own command
	cmd.Env, cmd.Dir, cmd.Stderr = c.Env, c.Dir, c.Err
	group(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout = theirs
	err = cmd.Start()
	_ = theirs.Close() // the program has its own
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return &process{Lines: wire.NewLines(out, in), cmd: cmd, in: in, out: out}, nil
}

// process is a server that runs.
type process struct {
	*wire.Lines
	cmd *exec.Cmd
	in  io.Closer
	out *os.File
}

func (p *process) send(_ context.Context, raw []byte) error { return p.Write(raw) }

func (p *process) receive() ([]byte, error) {
	line, err := p.Read()
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, os.ErrClosed) {
		err = io.EOF
	}
	return line, err
}

// grace is how long a server has to end by itself once its input is closed, and again once
// it was told to.
const grace = 2 * time.Second

// close closes the server's input, as the protocol has it, then tells its process to end,
// and then kills it with all that it started. What it said until then can still be received.
func (p *process) close() error {
	err := ignoreClosed(p.in.Close())
	gone := make(chan struct{})
	go func() {
		_ = p.cmd.Wait() // how it ends is its own matter
		close(gone)
	}()
	over := false
	for _, end := range []func(*exec.Cmd) error{terminate, kill} {
		select {
		case <-gone:
			over = true
		case <-time.After(grace):
			err = errors.Join(err, end(p.cmd))
		}
		if over {
			break
		}
	}
	if !over {
		<-gone
	}
	_ = kill(p.cmd) // what it left behind
	return errors.Join(err, p.out.SetReadDeadline(time.Now().Add(grace)))
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) || errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}
