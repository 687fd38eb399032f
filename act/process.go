package act

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/sexpr"
)

// drainTime is how long to wait for output after a process and its group have
// ended. Only a process that left the group can hold it open for longer.
const drainTime = 500 * time.Millisecond

// process is one running command: a process group in its own session, without a
// terminal, with empty input and its output read to the end.
type process struct {
	cmd    *exec.Cmd
	out    [2]*capture // stdout, stderr
	closed chan struct{}
}

// start starts cmd and reads its output. It keeps at most most characters per
// stream.
func start(cmd *exec.Cmd, most int) (*process, error) {
	p := &process{cmd: cmd, closed: make(chan struct{})}
	var ends []*os.File // the command's
	for i := range p.out {
		r, w, err := os.Pipe()
		if err != nil {
			p.close()
			return nil, errors.Join(err, closeAll(ends))
		}
		p.out[i] = &capture{pipe: r, most: most}
		ends = append(ends, w)
	}
	cmd.Stdout, cmd.Stderr = ends[0], ends[1]
	isolate(cmd)
	err := cmd.Start()
	err = errors.Join(err, closeAll(ends))
	if err != nil {
		p.close()
		return nil, err
	}
	read := make(chan struct{})
	for _, c := range p.out {
		go func() { // ends when the pipe does, or at the deadline that wait sets
			c.read()
			read <- struct{}{}
		}()
	}
	go func() {
		<-read
		<-read
		close(p.closed)
	}()
	return p, nil
}

func (p *process) close() {
	for _, c := range p.out {
		if c != nil {
			_ = c.pipe.Close() // after a clean end a harmless second time
		}
	}
}

func closeAll(files []*os.File) (err error) {
	for _, f := range files {
		err = errors.Join(err, f.Close())
	}
	return err
}

// wait returns when the command has ended by itself, by its timeout or with ctx,
// and all processes that it started and that can be found are gone.
func (p *process) wait(ctx context.Context, timeout time.Duration) ran {
	timed, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	killed := make(chan struct{})
	stop := context.AfterFunc(timed, func() {
		kill(p.cmd.Process.Pid)
		close(killed)
	})
	r := ran{timeout: timeout}
	err := reap(p.cmd, func() {
		if !stop() {
			<-killed
			r.timedOut = ctx.Err() == nil
			r.canceled = !r.timedOut
		}
		killGroup(p.cmd.Process.Pid) // what the script left in the background
	})
	p.drain()
	p.close()
	r.stdout, r.cutOut = p.out[0].text()
	r.stderr, r.cutErr = p.out[1].text()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.failure = err
		return r
	}
	if r.code = p.cmd.ProcessState.ExitCode(); r.code < 0 {
		r.code = signalled(p.cmd.ProcessState)
	}
	return r
}

// drain waits until both streams have been read to the end. It kills a process
// that left the group and still holds one, if it can find it.
func (p *process) drain() {
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	select {
	case <-p.closed:
		return
	case <-timer.C:
	}
	killHolders([]*os.File{p.out[0].pipe, p.out[1].pipe})
	for _, c := range p.out {
		_ = c.pipe.SetReadDeadline(time.Now().Add(drainTime)) // a pipe takes one; if not, closing it ends the read
	}
	<-p.closed
}

// capture reads a stream to its end and keeps the beginning.
type capture struct {
	pipe *os.File
	most int // characters to keep
	buf  []byte
	cut  bool
}

func (c *capture) read() {
	// io.Copy ends at the end of the stream or at the read deadline. Either way
	// the data so far is the output.
	_, _ = io.Copy(c, c.pipe)
}

// Write keeps as many bytes as the characters wanted can take and drops the rest,
// so that the command never blocks on a full pipe.
func (c *capture) Write(b []byte) (int, error) {
	room := c.most*utf8.UTFMax - len(c.buf)
	c.buf = append(c.buf, b[:min(room, len(b))]...)
	c.cut = c.cut || room < len(b)
	return len(b), nil
}

// text returns the kept output, at most the characters wanted, and whether there
// was more.
func (c *capture) text() (string, bool) {
	s := printable(string(c.buf))
	n := 0
	for i := range s {
		if n == c.most {
			return s[:i], true
		}
		n++
	}
	return s, c.cut
}

// ran is how a command ended.
type ran struct {
	code               int
	stdout, stderr     string
	cutOut, cutErr     bool
	timedOut, canceled bool
	timeout            time.Duration
	failure            error // why waiting failed
}

// receipt describes a command's end in the words of rows 79 to 81, and keeps exit
// code and both streams for rules.
func (r ran) receipt() Receipt {
	result := sexpr.Plist("exit-code", sexpr.Int64(int64(r.code)), "stdout", sexpr.Str(r.stdout),
		"stderr", sexpr.Str(r.stderr))
	for _, f := range []struct {
		name string
		set  bool
	}{{"stdout-truncated", r.cutOut}, {"stderr-truncated", r.cutErr}, {"timed-out", r.timedOut},
		{"canceled", r.canceled}} {
		if f.set {
			result = result.With(f.name, sexpr.T())
		}
	}
	stdout, stderr := noticed(r.stdout, r.cutOut), noticed(r.stderr, r.cutErr)
	out := Receipt{State: Failed, Result: result}
	switch {
	case r.timedOut:
		out.Error = fmt.Sprintf("timed out after %s", seconds(r.timeout))
		out.Text = joined("ERROR: Command "+out.Error, "Output until then:", stdout, stderr)
	case r.canceled:
		out.Error = "canceled"
		out.Text = joined("ERROR: Command canceled", "Output until then:", stdout, stderr)
	case r.failure != nil:
		out.State, out.Error = Unknown, r.failure.Error()
	case r.code != 0:
		out.Error = fmt.Sprintf("exit status %d", r.code)
		out.Text = joined(fmt.Sprintf("ERROR [%d]: %s", r.code, stderr), "Output:", stdout)
	default:
		out.State = Done
		out.Text = joined(stdout, "Also on stderr:", stderr)
	}
	return out
}

// joined adds a title and the non-empty parts, if there are any.
func joined(text, title string, parts ...string) string {
	rest := strings.Join(parts, "")
	if rest == "" {
		return text
	}
	if text == "" {
		return rest
	}
	return strings.TrimSuffix(text, "\n") + "\n" + title + "\n" + rest
}

func noticed(s string, cut bool) string {
	if !cut {
		return s
	}
	return fmt.Sprintf("%s\n... (output truncated to %d chars)", s, utf8.RuneCountInString(s))
}

// seconds prints whole seconds as such.
func seconds(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%d seconds", d/time.Second)
	}
	return d.String()
}
