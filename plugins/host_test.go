package plugins

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plugins/internal/sandbox"
	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// world is a host with a lock file, and a rulebook beside it.
type world struct {
	t    testing.TB
	dir  string
	lock *Lock
	host *Host
	book *rules.Rulebook
	opt  Options
}

const shellRules = `(deftool shell :params (:cmd string) :required (:cmd) :tier :allow :effect :external)`

func newWorld(t testing.TB, src string, entries ...Entry) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), lock: &Lock{Version: 1}}
	book, err := rules.Loader{}.Load(rules.Root{FS: fstest.MapFS{"r.lisp": {Data: []byte(src)}}})
	require.NoError(t, err)
	w.book = book
	w.lock.Skills = entries
	w.opt = Options{Lock: filepath.Join(w.dir, LockFile), Sample: -1, Logger: slog.New(slog.NewTextHandler(logTo{t}, nil))}
	w.write()
	return w
}

// logTo shows what the host logs with the test that it belongs to.
type logTo struct{ t testing.TB }

func (l logTo) Write(b []byte) (int, error) {
	if testing.Verbose() {
		l.t.Log(strings.TrimSpace(string(b)))
	}
	return len(b), nil
}

func (w *world) write() {
	w.t.Helper()
	require.NoError(w.t, w.lock.Write(w.opt.Lock))
}

// start has the host run what the lock says.
func (w *world) start() skills.Policy {
	w.t.Helper()
	w.host = New(w.opt)
	w.t.Cleanup(func() { require.NoError(w.t, w.host.Close()) })
	p, _, err := w.host.Policy(context.Background(), w.book)
	require.NoError(w.t, err)
	return p
}

// self is the entry of this test program, as a skill that behaves so.
func self(t testing.TB, name, how string, more ...func(*Entry)) Entry {
	t.Helper()
	e := Entry{
		Name: name, Path: exe(t), SHA256: exeSum(t), Protocol: skillpb.Protocol, Clauses: []string{"one"},
		Deadline: "2s", Memory: 2048,
		Env: map[string]string{"BEHAVE": how, "NAME": name, "GOMAXPROCS": "1"},
	}
	for _, f := range more {
		f(&e)
	}
	return e
}

func grants(words ...string) func(*Entry) { return func(e *Entry) { e.Grants = words } }
func priority(n int) func(*Entry)         { return func(e *Entry) { e.Priority = n } }
func within(d string) func(*Entry)        { return func(e *Entry) { e.Deadline = d } }

func exe(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	return path
}

var sums = map[string]string{}

func exeSum(t testing.TB) string {
	t.Helper()
	path := exe(t)
	if sums[path] == "" {
		p, err := sandbox.Open(path)
		require.NoError(t, err)
		defer p.Close()
		sums[path] = hexSum(p.Sum)
	}
	return sums[path]
}

func shell(t testing.TB, cmd string) *skills.Action {
	t.Helper()
	a, err := skills.NewAction("shell", sexpr.Plist("cmd", sexpr.Str(cmd)), "because")
	require.NoError(t, err)
	return a
}

func decide(t testing.TB, p skills.Policy, cmd string) *reason.Decision {
	t.Helper()
	return reason.Decide(context.Background(),
		reason.Request{Policy: p, Action: shell(t, cmd), Facts: &skills.Facts{Now: 1}, Passes: true})
}

func TestAPluginIsAGate(t *testing.T) {
	tests := []struct {
		how   string
		grant []string
		kind  reason.Kind
		key   string
	}{
		{how: "pass", kind: reason.Allow, key: "tier/shell"},
		{how: "reject", kind: reason.Deny, key: "bad/one"},
		{how: "ask", kind: reason.Ask, key: "bad/one"},
		{how: "allow", grant: []string{"allow"}, kind: reason.Allow, key: "bad/one"},
		{how: "allow", kind: reason.Allow, key: "tier/shell"}, // its word counts for nothing
		{how: `rewrite (:cmd "true")`, grant: []string{"rewrite"}, kind: reason.Allow, key: "tier/shell"},
		{how: `rewrite (:cmd "true")`, kind: reason.Deny, key: "gate/bad/failed"},
		{how: `rewrite (:cmd 1)`, grant: []string{"rewrite"}, kind: reason.Deny, key: "schema/shell"},
		{how: `rewrite (`, grant: []string{"rewrite"}, kind: reason.Deny, key: "gate/bad/failed"},
		{how: "crash", kind: reason.Deny, key: "gate/bad/failed"},
		{how: "exit", kind: reason.Deny, key: "gate/bad/failed"},
		{how: "error", kind: reason.Deny, key: "gate/bad/failed"},
		{how: "wrong-id", kind: reason.Deny, key: "gate/bad/failed"},
		{how: "wrong-digest", kind: reason.Deny, key: "gate/bad/failed"},
		{how: "no-verdict", kind: reason.Deny, key: "gate/bad/failed"},
		{how: "unknown-field", kind: reason.Deny, key: "gate/bad/failed"},
		{how: "huge", kind: reason.Deny, key: "gate/bad/failed"},
		{how: "long", kind: reason.Deny, key: "gate/bad/failed"},
		{how: "unknown-clause", kind: reason.Deny, key: "gate/bad/failed"},
		{how: "hang", kind: reason.Deny, key: "gate/bad/failed"},
		{how: "spin", kind: reason.Deny, key: "gate/bad/failed"},
		{how: "late", kind: reason.Deny, key: "gate/bad/failed"},
	}
	for _, tt := range tests {
		t.Run(tt.how+" "+strings.Join(tt.grant, " "), func(t *testing.T) {
			deadline := "2s"
			switch tt.how {
			case "hang", "spin", "late":
				deadline = "100ms"
			}
			w := newWorld(t, shellRules, self(t, "bad", tt.how, grants(tt.grant...), within(deadline)))
			p := w.start()
			begun := time.Now()
			d := decide(t, p, "ls")
			t.Log(time.Since(begun), d.Reasons)
			assert.Equal(t, tt.kind, d.Kind, "%+v", d.Reasons)
			assert.Equal(t, tt.key, d.Key)
			require.NotEmpty(t, d.Lookups)
			assert.Equal(t, "plugin/bad", d.Lookups[0].Function)
		})
	}
}

func mustAction(t testing.TB, tool string) *skills.Action {
	t.Helper()
	a, err := skills.NewAction(tool, sexpr.Nil(), "")
	require.NoError(t, err)
	return a
}
