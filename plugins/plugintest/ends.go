package plugintest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing/fstest"
	"time"

	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/opencortex-go/cortex/plugins"
	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

func checkTerm(ctx context.Context, o Options) error {
	return with(ctx, o, func(p *Process) error {
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return err
		}
		if err := p.Wait(ctx); err != nil {
			return err
		}
		if !p.cmd.ProcessState.Success() {
			return p.explain(fmt.Errorf("after SIGTERM it ended with %s, expected exit status 0", p.cmd.ProcessState))
		}
		return nil
	})
}

func checkShutdown(ctx context.Context, o Options) error {
	return with(ctx, o, func(p *Process) error {
		// The answer may be lost with the process.
		_ = p.conn.Invoke(ctx, "/plugin.GRPCController/Shutdown", new(emptypb.Empty), new(emptypb.Empty))
		if err := p.Wait(ctx); err != nil {
			return fmt.Errorf("after plugin.GRPCController/Shutdown: %w", err)
		}
		return nil
	})
}

// checkOrphan starts the skill from another process, ends that process, and waits
// until the skill's end of a connection closes.
func checkOrphan(ctx context.Context, o Options) error {
	program, err := findProgram(o.Program)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "skill-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	pid := filepath.Join(dir, "pid")
	// The skill is a child of the shell, which is not a host and does not end it.
	p, err := o.start(ctx, "/bin/sh", append([]string{"-c", `"$@" & echo $! >"$0"; wait`, pid, program}, o.Args...),
		hosted)
	if err != nil {
		return err
	}
	defer endAt(pid)
	defer func() { _ = p.Close() }()
	if _, err := p.Describe(ctx); err != nil {
		return err
	}
	conn, err := net.Dial("unix", p.socket)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := p.cmd.Process.Kill(); err != nil {
		return err
	}
	const most = 5 * time.Second
	if err := conn.SetReadDeadline(time.Now().Add(most)); err != nil {
		return err
	}
	for b := make([]byte, 1024); ; {
		if _, err = conn.Read(b); err != nil {
			break
		}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("it was still there %s after its host had died: watch getppid", most)
	}
	return nil
}

// endAt ends the process whose pid is in a file: a skill that survives its host
// would run for ever.
func endAt(file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		return
	}
	if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && n > 1 {
		if p, err := os.FindProcess(n); err == nil {
			_ = p.Kill() // it has ended, if all is well
		}
	}
}

// checkHost loads the skill in a real host, with all the rights it asks for, and
// runs its examples there.
func checkHost(ctx context.Context, o Options) error {
	dir, err := os.MkdirTemp("", "skill-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	opt := plugins.Options{Lock: filepath.Join(dir, plugins.LockFile), Work: dir, Host: "plugintest", Sample: -1}
	d, err := o.lock(ctx, opt)
	if err != nil {
		return err
	}
	book, err := rules.Loader{}.Load(rules.Root{FS: fstest.MapFS{"none.lisp": {}}})
	if err != nil {
		return err
	}
	h := plugins.New(opt)
	policy, _, err := h.Policy(ctx, book) // it decides its examples in there
	if err != nil {
		return errors.Join(err, h.Close())
	}
	for _, x := range d.GetExamples() {
		v, err := sexpr.Read("example", x.GetAction())
		if err != nil {
			return errors.Join(err, h.Close())
		}
		args, _ := v.Get("args")
		a, err := skills.NewAction(v.GetText("tool"), args, "")
		if err != nil {
			return errors.Join(err, h.Close())
		}
		got := reason.Decide(ctx, reason.Request{Policy: policy, Action: a, Facts: &skills.Facts{}})
		if got.Key == "gate/"+d.GetName()+"/failed" {
			return errors.Join(fmt.Errorf("example %q: in a host it fails: %v", x.GetName(), got.Reasons), h.Close())
		}
	}
	return h.Close()
}

// lock writes a lock file with the skill in it.
func (o Options) lock(ctx context.Context, opt plugins.Options) (*skillpb.Description, error) {
	program, err := findProgram(o.Program)
	if err != nil {
		return nil, err
	}
	e := plugins.Entry{Path: program, Args: o.Args, Transport: o.Transport, Env: map[string]string{}}
	for _, f := range o.Files {
		if f, err = filepath.Abs(f); err != nil {
			return nil, err
		}
		e.Files = append(e.Files, plugins.File{Path: f})
	}
	for _, v := range o.Env {
		name, value, _ := strings.Cut(v, "=")
		e.Env[name] = value
	}
	e, d, err := plugins.Describe(ctx, e, filepath.Dir(opt.Lock), opt)
	if err != nil {
		return nil, err
	}
	lock := &plugins.Lock{Version: 1}
	if err := lock.Add(e, d); err != nil {
		return nil, err
	}
	if err := lock.Agree(d.GetName()); err != nil {
		return nil, err
	}
	lock.Skills[0].Deadline = o.Deadline.String()
	return d, lock.Write(opt.Lock)
}
