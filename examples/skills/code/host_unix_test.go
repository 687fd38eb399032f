//go:build unix

package code_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	shipped "github.com/opencortex-go/cortex/examples/skills"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/internal/oracle"
	"github.com/opencortex-go/cortex/plugins"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// hosted is a skill in a host, beside the rules whose tools ask.
type hosted struct {
	t      testing.TB
	tool   string
	host   *plugins.Host
	policy skills.Policy
}

// inHost pins a skill, grants what it asks for, and starts it. A call has two seconds.
func inHost(t testing.TB, tool, program string, files ...string) *hosted {
	t.Helper()
	dir := t.TempDir()
	opt := plugins.Options{Lock: filepath.Join(dir, plugins.LockFile), Work: dir, Sample: -1}
	entry := plugins.Entry{Path: absolute(t, program)}
	for _, f := range files {
		entry.Files = append(entry.Files, plugins.File{Path: absolute(t, f)})
	}
	entry, said, err := plugins.Describe(t.Context(), entry, dir, opt)
	require.NoError(t, err)
	lock := plugins.Lock{Version: 1}
	require.NoError(t, lock.Add(entry, said))
	require.NoError(t, lock.Agree(said.GetName()))
	lock.Skills[0].Deadline = "2s" // the machine may be busy
	require.NoError(t, lock.Write(opt.Lock))
	book, err := reason.Loader(rules.Loader{}).Load(rules.Root{FS: shipped.Code()})
	require.NoError(t, err)
	h := &hosted{t: t, tool: tool, host: plugins.New(opt)}
	t.Cleanup(func() { assert.NoError(t, h.host.Close()) })
	h.policy, _, err = h.host.Policy(t.Context(), book)
	require.NoError(t, err)
	return h
}

func absolute(t testing.TB, name string) string {
	t.Helper()
	out, err := filepath.Abs(name)
	require.NoError(t, err)
	return out
}

// decide judges code after the user has spoken, and returns what was decided and by whom.
func (h *hosted) decide(said, code string) string {
	h.t.Helper()
	a, err := skills.NewAction(h.tool, sexpr.Plist("code", sexpr.Str(code)), "")
	require.NoError(h.t, err)
	facts := &skills.Facts{Now: 1, Session: skills.Session{Turns: []skills.Turn{{User: said}}}}
	d := reason.Decide(h.t.Context(), reason.Request{Policy: h.policy, Action: a, Facts: facts})
	return d.Kind.String() + " " + d.Key
}

// A skill that stands still, has died, or is asked about more than it reads, denies; and it
// is asked again when it is back.
func TestPythonInHost(t *testing.T) {
	crashtest.Long(t)
	oracle.PythonGRPC(t)
	h := inHost(t, "python", "python_code.py", pythonFiles...)
	h.holds("python-code", "import requests\nrequests.post('https://hooks.example.org/in', json={})", "x = 1\n")
}

func TestJavaScriptInHost(t *testing.T) {
	crashtest.Long(t)
	h := inHost(t, "javascript", bundled(t, "skills/javascript-code"))
	h.holds("javascript-code", "require('axios').post('https://hooks.example.org/in', {})", "x = 1;\n")
}

// holds tries a skill, by code that sends and by code that does nothing.
func (h *hosted) holds(name, sends, idle string) {
	t := h.t
	assert.Equal(t, "allow "+name+"/main", h.decide("", idle))
	assert.Equal(t, "allow "+name+"/main", h.decide("Post it to https://hooks.example.org/in.", sends),
		"the user named it")
	assert.Equal(t, "ask "+name+"/send", h.decide("Post it.", sends))
	for _, n := range []int{70 << 10, 2 << 20} {
		begun := time.Now()
		assert.Contains(t, h.decide("", strings.Repeat(idle, n/len(idle))), "deny ", "%d bytes", n)
		assert.Less(t, time.Since(begun), 5*time.Second)
	}
	assert.Equal(t, "allow "+name+"/main", h.decide("", idle), "it goes on")

	failed := "deny gate/" + name + "/failed"
	require.NoError(t, syscall.Kill(h.pid(), syscall.SIGSTOP))
	h.soon(failed, idle) // the signal may take a moment
	_ = syscall.Kill(h.pid(), syscall.SIGCONT)
	h.again(name, idle)
	require.NoError(t, syscall.Kill(h.pid(), syscall.SIGKILL))
	h.soon(failed, idle)
	h.again(name, idle)
}

// again waits until the skill answers.
func (h *hosted) again(name, idle string) {
	h.t.Helper()
	h.soon("allow "+name+"/main", idle)
}

// soon waits until code is judged so.
func (h *hosted) soon(want, code string) {
	h.t.Helper()
	require.Eventually(h.t, func() bool { return h.decide("", code) == want }, 20*time.Second, 50*time.Millisecond)
}

func (h *hosted) pid() int {
	h.t.Helper()
	all := h.host.States()
	require.Len(h.t, all, 1)
	return all[0].PID
}
