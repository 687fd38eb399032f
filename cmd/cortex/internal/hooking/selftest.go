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
	Control bool          `json:"control,omitempty"` // of the hook as it is, with a call that rules may allow
	What    string        `json:"what"`
	Blocked bool          `json:"blocked"`
	Judged  bool          `json:"judged"` // by rules; a denial without one is a call that could not be judged
	Said    string        `json:"said"`   // what the model would read
	Took    time.Duration `json:"-"`
}

// OK reports whether a trial came out as it is to.
func (t Trial) OK() bool { return t.Blocked && !t.Control || t.Control && t.Judged }

// Word says how a trial came out.
func (t Trial) Word() string {
	switch {
	case !t.Control && t.Blocked:
		return "blocked"
	case !t.Control:
		return "NOT BLOCKED"
	case !t.Judged:
		return "NOT JUDGED: " + t.Said
	case t.Blocked:
		return "judged, and not allowed: " + t.Said
	}
	return "allowed"
}

// Trials are those of one hook.
type Trials []Trial

// Wrong says what follows from the trials that did not come out as they are to.
func (ts Trials) Wrong() string {
	for _, t := range ts {
		if !t.Control && !t.OK() {
			return "the agent would run tools unjudged"
		}
	}
	return "the hook blocks every call, as it cannot judge any"
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
// Each time a host must take the answer for a denial. The last trial is [Settings.Control]. The time limits alone are
// made shorter.
func (s Settings) Selftest(ctx context.Context, command string) (out Trials, err error) {
	dir, err := s.folder()
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
		t, err := s.try(ctx, b.what, strings.ReplaceAll(short, path, `"`+fake+`"`), harmful, dir)
		if err != nil {
			return out, err
		}
		out = append(out, t)
	}
	for _, c := range [][2]string{
		{"missing", strings.ReplaceAll(command, path, `"`+filepath.Join(dir, "missing")+`"`)},
		{"as it is, for " + harmful, regexp.MustCompile(` --wait [^\s)]+`).ReplaceAllString(command, " --wait 10s")},
	} {
		t, err := s.try(ctx, c[0], c[1], harmful, dir)
		if err != nil {
			return out, err
		}
		out = append(out, t)
	}
	t, err := s.Control(ctx, command)
	return append(out, t), err
}

// Control runs an installed command as it is, for a command that does nothing. It must have been judged; with the rules
// for coding agents, it is allowed. The hook starts a daemon, as it would for the host.
func (s Settings) Control(ctx context.Context, command string) (Trial, error) {
	dir, err := s.folder()
	if err != nil {
		return Trial{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	command = regexp.MustCompile(` --wait [^\s)]+`).ReplaceAllStringFunc(command, func(flag string) string {
		wait, err := time.ParseDuration(strings.TrimPrefix(flag, " --wait "))
		if err != nil || wait <= controlWait {
			return flag
		}
		return " --wait " + controlWait.String()
	})
	t, err := s.try(ctx, "as it is, for "+harmless, command, harmless, dir)
	t.Control = true
	return t, err
}

// Passive is the command of a hook that starts no daemon, and is otherwise as it was found.
func (f Finding) Passive() string {
	return strings.Replace(f.Command, " --sealed ", " --sealed --no-start ", 1)
}

// Absent reports whether a call was not judged because no daemon runs.
func (t Trial) Absent() bool { return !t.Judged && strings.Contains(t.Said, errAway.Error()) }

// controlWait is enough for a daemon to start.
const controlWait = 30 * time.Second

// folder is a new one to try a hook in, with the transcript of a session that began there.
func (s Settings) folder() (string, error) {
	dir, err := os.MkdirTemp("", "cortex-selftest-")
	if err != nil {
		return "", err
	}
	if s.Dialect.Name() != "codex" {
		return dir, nil
	}
	first := literal(map[string]any{"type": "session_meta", "payload": map[string]string{"cwd": dir}})
	return dir, os.WriteFile(filepath.Join(dir, hooks.Transcript), []byte(first+"\n"), 0o600)
}

// harmless is a command that does nothing to anything.
const harmless = "echo ok"

// harmful is a command that no workspace makes ordinary.
const harmful = "mkfs.ext4 /dev/sda"

func (s Settings) try(ctx context.Context, what, command, proposed, cwd string) (Trial, error) {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Dir, cmd.WaitDelay = cwd, time.Second
	cmd.Stdin = bytes.NewReader(hooks.Probe(s.Dialect, "selftest", cwd, proposed))
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
	return Trial{What: what, Blocked: hooks.Denied(s.Dialect, r), Said: said, Took: time.Since(began),
		Judged: (r.Code == 0 || r.Code == 2) && !strings.Contains(said, unjudged)}, nil
}
