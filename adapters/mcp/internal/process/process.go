// Package process is a server that is a program: lines go to its standard input and come from its
// standard output, and it ends with all that it started.
package process

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// Process is a server that runs. Its lines are those of the protocol.
type Process struct {
	*wire.Lines
	cmd *exec.Cmd
	in  io.Closer
	out *os.File
}

// Start starts a program. What it says on standard error goes to errs. The caller closes it.
func Start(args, env []string, dir string, errs io.Writer) (*Process, error) {
	cmd := exec.Command(args[0], args[1:]...) //nolint:gosec // the user's own command
	cmd.Env, cmd.Dir, cmd.Stderr = env, dir, errs
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
	return &Process{Lines: wire.NewLines(out, in), cmd: cmd, in: in, out: out}, nil
}

// Read returns the next line; [io.EOF] once the program has ended, or its time is over.
func (p *Process) Read() ([]byte, error) {
	line, err := p.Lines.Read()
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, os.ErrClosed) {
		err = io.EOF
	}
	return line, err
}

// Close closes the server's input, as the protocol has it, then tells its process to end,
// and then kills it with all that it started. It waits for each as long as grace. What it
// said until then can still be read.
func (p *Process) Close(grace time.Duration) error {
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
