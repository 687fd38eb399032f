package hooking

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/hooks"
	shipped "github.com/opencortex-go/cortex/examples/skills"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills/rules"
)

// stub is a judge that says what a test wants.
type stub struct {
	ruling Ruling
	err    error
	panics bool
	hangs  bool
	asked  *Call
	heard  []hooks.Event
}

func (s *stub) Judge(ctx context.Context, c Call) (Ruling, error) {
	s.asked = &c
	if s.panics {
		panic("broken")
	}
	if s.hangs {
		<-ctx.Done()
		return Ruling{}, ctx.Err()
	}
	return s.ruling, s.err
}

func (s *stub) Hear(_ context.Context, e hooks.Event, _ string) error {
	s.heard = append(s.heard, e)
	return s.err
}

func named(t testing.TB, name string) hooks.Dialect {
	d, err := hooks.Named(name)
	require.NoError(t, err)
	return d
}

// Every dialect, with everything that a judge may say, and everything that may go wrong: the
// call runs for a plain yes alone, and otherwise the host hears no, with a text.
func TestTheMatrix(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	book := rulebook(t)
	for _, d := range hooks.Dialects() {
		good := hooks.Probe(d, "s", dir, "ls")
		long := hooks.Probe(d, "s", dir, "echo "+strings.Repeat("x", 1<<20))
		for what, c := range map[string]struct {
			judge *stub
			in    []byte
			runs  bool
		}{
			"allow":       {&stub{ruling: Ruling{Kind: "allow"}}, good, true},
			"deny":        {&stub{ruling: Ruling{Kind: "deny", Text: "no"}}, good, false},
			"no text":     {&stub{ruling: Ruling{Kind: "deny"}}, good, false},
			"ask":         {&stub{ruling: Ruling{Kind: "ask", Text: "?", Token: "tok"}}, good, false},
			"nothing":     {&stub{}, good, false},
			"another one": {&stub{ruling: Ruling{Kind: "Allow"}}, good, false},
			"crash":       {&stub{panics: true}, good, false},
			"hang":        {&stub{hangs: true}, good, false},
			"daemon down": {&stub{err: errors.New("not running")}, good, false},
			"bad JSON":    {&stub{ruling: Ruling{Kind: "allow"}}, good[:9], false},
			"no rewrite":  {&stub{ruling: Ruling{Kind: "allow", Rewritten: true, Args: json.RawMessage(`{"cmd":1,"x":{}`)}}, good, false},
			"no folder":   {&stub{ruling: Ruling{Kind: "allow"}}, hooks.Probe(d, "s", filepath.Join(dir, "gone"), "ls"), false},
		} {
			wait := time.Duration(0)
			if what == "hang" {
				wait = 20 * time.Millisecond
			}
			r := Run(t.Context(), Options{Dialect: d, Judge: c.judge, Wait: wait}, bytes.NewReader(c.in))
			assert.Equal(t, !c.runs, hooks.Denied(d, r), "%s, %s: %+v", d.Name(), what, r)
			if what == "ask" {
				assert.Contains(t, r.Stdout+r.Stderr, "tok", "%s names the card", d.Name())
			}
		}
		// What is longer than an action may be never comes to a yes by rules.
		r := Run(t.Context(), Options{Dialect: d,
			Judge: Standalone{Dialect: d, Policy: book, Now: time.Now(), Getenv: os.Getenv}}, bytes.NewReader(long))
		assert.True(t, hooks.Denied(d, r), "%s: 1 MB", d.Name())
	}
}

// A rewrite comes back as the host's own arguments, or as a denial that names them.
func TestRewrites(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, d := range hooks.Dialects() {
		judge := &stub{ruling: Ruling{Kind: "allow", Rewritten: true, Args: json.RawMessage(`{"cmd":"ls -l"}`)}}
		r := Run(t.Context(), Options{Dialect: d, Judge: judge}, bytes.NewReader(hooks.Probe(d, "s", dir, "ls")))
		assert.Contains(t, strings.ReplaceAll(r.Stdout, `\"`, `"`), `{"command":"ls -l"}`, d.Name())
		assert.Equal(t, d.Name() == "cursor" || d.Name() == "copilot", hooks.Denied(d, r), d.Name())
		assert.Equal(t, "shell", judge.asked.Action.Tool)
	}
}

func rulebook(t testing.TB) *rules.Rulebook {
	book, err := reason.Loader(rules.Loader{}).Load(rules.Root{FS: shipped.Coding()}, rules.Root{FS: shipped.Hosts()},
		rules.Root{FS: shipped.Guard()})
	require.NoError(t, err)
	return book
}

// Settings of all hosts: what was there stays as it was, in its order and with its comments;
// installing twice is installing once; uninstalling gives back what was there.
func TestSettingsStayAsTheyWere(t *testing.T) {
	const was = "{\n  // mine\n  \"model\": \"x\",\n  " +
		"\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", " +
		"\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}],},\n  \"z\": [1, 2]\n}\n"
	for _, d := range hooks.Dialects() {
		t.Run(d.Name(), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a", "settings.json")
			s := Settings{Dialect: d, File: file, Program: "/usr/bin/cortex", Args: []string{"--standalone"}}
			_, err := s.Install()
			require.NoError(t, err)
			command, err := s.Installed()
			require.NoError(t, err)
			assert.Contains(t, command, `"/usr/bin/cortex" hook --dialect `+d.Name())
			_, err = s.Uninstall()
			require.NoError(t, err)
			_, err = os.Stat(file)
			require.ErrorIs(t, err, fs.ErrNotExist, "nothing else was in it")

			require.NoError(t, os.WriteFile(file, []byte(was), 0o640))
			backup, err := s.Install()
			require.NoError(t, err)
			kept, err := os.ReadFile(backup)
			require.NoError(t, err)
			assert.Equal(t, was, string(kept))
			once, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Contains(t, string(once), "// mine\n  \"model\": \"x\"")
			_, err = s.Install()
			require.NoError(t, err)
			twice, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, string(once), string(twice))
			info, err := os.Stat(file)
			require.NoError(t, err)
			assert.Equal(t, fs.FileMode(0o640), info.Mode().Perm())
			_, err = s.Uninstall()
			require.NoError(t, err)
			after, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Contains(t, string(after), `"command": "mine"`)
			assert.NotContains(t, string(after), "cortex")
		})
	}
}

// What cannot be understood stays as it is.
func TestStrangeSettingsStay(t *testing.T) {
	for _, was := range []string{"", "not JSON", "[]", `{"hooks": []}`, `{"hooks": {"PreToolUse": {}}}`, `{"hooks": {"PreToolUse": "x"}}`} {
		file := filepath.Join(t.TempDir(), "settings.json")
		require.NoError(t, os.WriteFile(file, []byte(was), 0o600))
		s := Settings{Dialect: named(t, "claude"), File: file, Program: "/usr/bin/cortex"}
		_, err := s.Install()
		require.Error(t, err, was)
		now, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, was, string(now))
	}
	s := Settings{Dialect: named(t, "claude"), File: filepath.Join(t.TempDir(), "s"), Program: "/home/o'brien/cortex"}
	_, err := s.Install()
	assert.ErrorContains(t, err, "cannot stand in a hook")
}

// The installed line itself, in every dialect: what is not a ruling is a denial. Without the line's
// checks the same programs let the tool run, so the trials can fail.
func TestSelftest(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for programs that hang")
	}
	program := filepath.Join(t.TempDir(), "cortex")
	for _, d := range hooks.Dialects() {
		block := d.Block("no")
		script := "#!/bin/sh\nprintf '%s' '" + block.Stdout + "'; printf '%s' '" + block.Stderr + "' >&2; exit " +
			map[bool]string{true: "92", false: "93"}[block.Code == 0] + "\n"
		require.NoError(t, os.WriteFile(program, []byte(script), 0o700))
		s := Settings{Dialect: d, File: filepath.Join(t.TempDir(), "s.json"), Program: program}
		command, err := s.Line()
		require.NoError(t, err)
		trials, err := s.Selftest(t.Context(), command)
		require.NoError(t, err)
		require.Len(t, trials, 8)
		for _, x := range trials {
			assert.True(t, x.Blocked, "%s, %s: %s", d.Name(), x.What, x.Said)
			assert.NotContains(t, x.Said, "Syntax error", "%s, %s: the line was run as it stands", d.Name(), x.What)
		}
		open := strings.ReplaceAll(command, "exit 2'", "exit 1'")
		if d.Name() == "copilot" {
			open = strings.ReplaceAll(command, `\"deny\"`, `\"allow\"`)
		}
		if d.Name() == "cursor" {
			open = strings.ReplaceAll(open, `\"deny\"`, `\"allow\"`)
		}
		trials, err = s.Selftest(t.Context(), open)
		require.NoError(t, err)
		assert.False(t, trials[0].Blocked, "%s: a line that ends otherwise", d.Name())
	}
}

// I1: what rules find under another spelling, and what they know as a tool of Cortex itself, is not run by a host
// under its own name.
func TestI1_AHostsToolIsJudgedUnderItsOwnName(t *testing.T) {
	book, err := rules.Load(fstest.MapFS{"r.lisp": {Data: []byte(`(deftool note :params (:text string) :tier :allow)`)}})
	require.NoError(t, err)
	s := Standalone{Dialect: named(t, "claude"), Policy: book, Now: time.Now(), Getenv: os.Getenv}
	for name, want := range map[string]string{"note": "", "Note": "another name", "reply": "Cortex itself",
		"Reply": "Cortex itself"} {
		r, err := s.Judge(t.Context(), Call{Action: hooks.Action{Tool: name, Args: json.RawMessage(`{"text":"hi"}`)}})
		if want == "" {
			require.NoError(t, err)
			assert.Equal(t, "allow", r.Kind)
			continue
		}
		assert.ErrorContains(t, err, want, name)
	}
}
