package hooking

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/adapters/hooks"
)

// Trial is one thing that was done to an installed hook.
type Trial struct {
	What    string        `json:"what"`
	Blocked bool          `json:"blocked"`
	Said    string        `json:"said"` // what the model would read
	Took    time.Duration `json:"-"`
}

// stand-ins are programs in the place of this one that fail as it might.
var standIns = []struct{ what, script string }{
	{"killed", "kill -KILL $$"},
	{"stuck", "sleep 1000"},
	{"failing", "echo broken >&2; exit 1"},
	{"another program that says yes", `echo '{"decision":"allow","permission":"allow","permissionDecision":"allow",` +
		`"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'; exit 0`},
	{"another program that says nothing", "exit 0"},
}

// Selftest runs an installed command as a host would, first with programs in the place of this one
// that die, hang and lie, and without any, and then as it is, for a command that no rule allows.
// Each time a host must take the answer for a denial. The time limits alone are made shorter.
func (s Settings) Selftest(ctx context.Context, command string) (out []Trial, err error) {
	dir, err := os.MkdirTemp("", "cortex-selftest-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := `"` + s.Program + `"`
	if !strings.Contains(command, path) {
		return nil, fmt.Errorf("the hook in %s starts another program than this one (%s); install it again", s.File,
			s.Program)
	}
	limit := " -s KILL "
	before, after, ok := strings.Cut(command, limit)
	if !ok {
		return nil, fmt.Errorf("the hook in %s has no time limit; install it again", s.File)
	}
	_, after, _ = strings.Cut(after, " ")
	short := before + limit + "2 " + after
	for i, b := range standIns {
		fake := filepath.Join(dir, fmt.Sprint("program", i))
		if err := os.WriteFile(fake, []byte("#!/bin/sh\n"+b.script+"\n"), 0o700); err != nil {
			return nil, err
		}
		t, err := s.try(ctx, b.what, strings.ReplaceAll(short, path, `"`+fake+`"`), dir)
		if err != nil {
			return out, err
		}
		out = append(out, t)
	}
	for _, c := range [][2]string{
		{"missing", strings.ReplaceAll(command, path, `"`+filepath.Join(dir, "missing")+`"`)},
		{"as it is, for " + harmful, regexp.MustCompile(` --wait [^\s)]+`).ReplaceAllString(command, " --wait 10s")},
	} {
		t, err := s.try(ctx, c[0], c[1], dir)
		if err != nil {
			return out, err
		}
		out = append(out, t)
	}
	return out, nil
}

// harmful is a command that no workspace makes ordinary.
const harmful = "mkfs.ext4 /dev/sda"

func (s Settings) try(ctx context.Context, what, command, cwd string) (Trial, error) {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Dir, cmd.WaitDelay = cwd, time.Second
	cmd.Stdin = bytes.NewReader(hooks.Probe(s.Dialect, "selftest", cwd, harmful))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return Trial{}, err
	}
	r := hooks.Reply{Stdout: stdout.String(), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode()}
	said := strings.TrimSpace(r.Stdout)
	if said == "" {
		said = strings.TrimSpace(r.Stderr)
	}
	return Trial{What: what, Blocked: hooks.Denied(s.Dialect, r), Said: said, Took: time.Since(began)}, nil
}
