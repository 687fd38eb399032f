package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/opencortex-go/cortex/gateways/client"
)

// serving is the daemon of a script, in a process of its own.
type serving struct {
	cmd *exec.Cmd
	log *logged
}

// serve starts cortex serve with the given flags and waits for the ready line,
// which it puts into the file ready; the log goes to serve.log. "serve reload"
// sends SIGHUP and waits until the log says so, "serve stop" and "serve kill" end
// the daemon, the first of them gracefully.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	d := ts.Value(serving{}).(*serving)
	if neg || len(args) == 0 {
		ts.Fatalf("usage: serve FLAGS... | reload | stop | kill")
	}
	switch args[0] {
	case "reload":
		before := reloads(d.log.String())
		ts.Check(d.cmd.Process.Signal(syscall.SIGHUP))
		if !d.log.await(func(text string) bool { return reloads(text) > before }) {
			ts.Fatalf("it was not reloaded: %s", d.log)
		}
	case "stop":
		ts.Check(d.cmd.Process.Signal(syscall.SIGTERM))
		ts.Check(d.cmd.Wait())
		d.cmd = nil
	case "kill":
		ts.Check(d.cmd.Process.Kill())
		_ = d.cmd.Wait() // says that it was killed
		d.cmd = nil
	default:
		d.start(ts, args)
	}
	ts.Check(os.WriteFile(ts.MkAbs("serve.log"), []byte(d.log.String()), 0o600))
}

// reloads counts those of which a log tells the end. Those that begin because files have
// changed come when they come.
func reloads(log string) int { return strings.Count(log, "why=SIGHUP") }

func (d *serving) start(ts *testscript.TestScript, args []string) {
	program := filepath.Join(strings.Split(ts.Getenv("PATH"), string(os.PathListSeparator))[0], "cortex")
	cmd := exec.Command(program, append([]string{"serve"}, args...)...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "WORK", "SKILLS", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR",
		"GOGC", "GOMEMLIMIT"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	d.cmd, d.log = cmd, &logged{}
	cmd.Stderr = d.log
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		if d.cmd != nil {
			_ = d.cmd.Process.Kill()
			_ = d.cmd.Wait()
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		ts.Fatalf("the daemon does not start: %s", d.log)
	}
	ts.Check(os.WriteFile(ts.MkAbs("ready"), []byte(line), 0o600))
}

// tell says something in a session of the daemon on a socket, and prints what
// comes of it: tell SOCKET TEXT.
func tell(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tell SOCKET TEXT")
	}
	c, err := client.Dial(context.Background(), ts.MkAbs(args[0]))
	ts.Check(err)
	defer func() { _ = c.Close() }()
	out, err := c.Signal(context.Background(), client.Message{Text: args[1]})
	ts.Check(err)
	_, err = fmt.Fprintln(ts.Stdout(), strings.TrimSpace(out.Text+"\n"+out.Notice))
	ts.Check(err)
	if out.Approval != "" {
		ts.Check(os.WriteFile(ts.MkAbs("token"), []byte(out.Approval), 0o600))
	}
}
