package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// ledger is a record that forgets: what a permit costs besides writing it down.
type ledger struct {
	last    atomic.Uint64
	allowed *skills.Action
}

func (l *ledger) OpenIntent(_ context.Context, decision uint64) (act.Intent, error) {
	n := l.last.Add(1)
	return act.Intent{ID: n, Key: fmt.Sprint(n), Decision: decision, Action: l.allowed, Session: "s",
		Deadline: time.Now().Add(time.Minute)}, nil
}

func (l *ledger) CloseIntent(context.Context, act.Intent, act.Receipt) error { return nil }

// acting measures one command, from permit to receipt, beside running the same
// bash bare.
func acting(r *report) (err error) {
	dir, err := os.MkdirTemp("", "bench-act-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	sh, err := act.NewShell(act.ShellOptions{Dir: dir})
	if err != nil {
		return err
	}
	tools, err := act.NewRegistry(sh.Tool())
	if err != nil {
		return err
	}
	a, err := skills.NewAction(act.ShellTool, sexpr.Plist("cmd", sexpr.Str("echo hi")), "")
	if err != nil {
		return err
	}
	// what the tool gives it, too
	environment := []string{"HOME=" + dir, "LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin", "PWD=" + dir}
	ctx, d := context.Background(), act.NewDispatcher(&ledger{allowed: a}, tools)
	return r.measure(row{
		what: "echo in the shell tool: permit, bash, receipt",
		ours: each(func() error {
			p, err := d.Begin(ctx, 1)
			if err != nil {
				return err
			}
			rc, err := d.Dispatch(ctx, p)
			return said(rc.Text, err)
		}),
		theirs: each(func() error {
			var out, errs bytes.Buffer
			cmd := exec.Command("bash", "--noprofile", "--norc", "-c", "echo hi")
			cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, environment, &out, &errs
			err := cmd.Run()
			return said(out.String(), err)
		}),
		rival: "bare os/exec",
	})
}

func said(text string, err error) error {
	if err == nil && text != "hi\n" {
		err = fmt.Errorf("it said %q", text)
	}
	return err
}

const hello = `package main

import "os"

func main() { os.Stdout.WriteString("hello\n") }
`

// program measures the program itself: how soon it answers, how large it is, and
// what else one links who imports the part that judges.
func program(r *report) (err error) {
	dir, err := os.MkdirTemp("", "bench-program-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	src, cortex, bare := filepath.Join(dir, "hello.go"), filepath.Join(dir, "cortex"), filepath.Join(dir, "hello")
	if err := os.WriteFile(src, []byte(hello), 0o600); err != nil {
		return err
	}
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/opencortex-go/cortex").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	home := strings.TrimSpace(string(root))
	if err := build(home, cortex, "./cmd/cortex"); err != nil {
		return err
	}
	if err := build(home, bare, src); err != nil {
		return err
	}
	start := func(path string, args ...string) series {
		s := each(func() error { return exec.Command(path, args...).Run() })
		return func() (sample, error) {
			m, err := s()
			m.allocs = -1 // ours are those of starting a process, not its own
			return m, err
		}
	}
	err = r.measure(row{
		what: "start, answer and end: cortex version", ours: start(cortex, "version"), theirs: start(bare),
		rival: "hello, world in Go",
		limit: 20e6, absolute: true, target: "<= 20 ms",
	})
	if err != nil {
		return err
	}
	ours, err := os.Stat(cortex)
	if err != nil {
		return err
	}
	theirs, err := os.Stat(bare)
	if err != nil {
		return err
	}
	mib := func(i os.FileInfo) string { return fmt.Sprintf("%.1f MiB", float64(i.Size())/(1<<20)) }
	r.add(result{"size of the program", mib(ours), "hello, world in Go: " + mib(theirs), "-", ""})
	for _, list := range [][]string{{"reason", "skills/rules"}, {"cortex"}, {"cmd/cortex"}} {
		n, err := modules(home, list)
		if err != nil {
			return err
		}
		r.add(result{"modules linked by who imports " + strings.Join(list, " and "), fmt.Sprint(n), "-", "-", ""})
	}
	return nil
}

func build(dir, out, what string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-o", out, what)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w: %s", cmd.Args, err, text)
	}
	return nil
}

// modules counts the modules that packages of ours, which live in dir, link; ours
// among them.
func modules(dir string, packages []string) (int, error) {
	args := []string{"list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}"}
	for _, p := range packages {
		args = append(args, "./"+p)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	text, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("go list: %w", err)
	}
	seen := map[string]bool{}
	for _, m := range strings.Fields(string(text)) {
		seen[m] = true
	}
	return len(seen), nil
}
