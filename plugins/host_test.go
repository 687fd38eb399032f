package plugins

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

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

// self is the entry of the program badskill, as a skill that behaves so.
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

// What a plugin answers is a verdict, if the lock grants that; anything else denies.
func TestAPluginIsAGate(t *testing.T) {
	for what, w := range map[string]struct {
		entry   Entry
		answers []answer
	}{
		"without rights": {self(t, "bad", "told"), []answer{
			{"pass", reason.Allow, "tier/shell"},
			{"reject", reason.Deny, "bad/one"},
			{"ask", reason.Ask, "bad/one"},
			{"allow", reason.Allow, "tier/shell"}, // its word counts for nothing
			{`rewrite (:cmd "true")`, reason.Deny, "gate/bad/failed"},
			{"error", reason.Deny, "gate/bad/failed"},
			{"wrong-id", reason.Deny, "gate/bad/failed"},
			{"wrong-digest", reason.Deny, "gate/bad/failed"},
			{"no-verdict", reason.Deny, "gate/bad/failed"},
			{"unknown-field", reason.Deny, "gate/bad/failed"},
			{"huge", reason.Deny, "gate/bad/failed"},
			{"long", reason.Deny, "gate/bad/failed"},
			{"unknown-clause", reason.Deny, "gate/bad/failed"},
			{"exit", reason.Deny, "gate/bad/failed"},
		}},
		"with rights": {self(t, "bad", "told", grants("allow", "rewrite")), []answer{
			{"allow", reason.Allow, "bad/one"},
			{`rewrite (:cmd "true")`, reason.Allow, "tier/shell"},
			{`rewrite (:cmd 1)`, reason.Deny, "schema/shell"},
			{`rewrite (`, reason.Deny, "gate/bad/failed"},
			{"crash", reason.Deny, "gate/bad/failed"},
		}},
		"in a hurry": {self(t, "bad", "told", within("500ms")), []answer{
			{"hang", reason.Deny, "gate/bad/failed"},
			{"late", reason.Deny, "gate/bad/failed"},
			{"spin", reason.Deny, "gate/bad/failed"},
		}},
	} {
		t.Run(what, func(t *testing.T) { gives(t, w.entry, w.answers) })
	}
}

// answer is what a plugin does as it is told, and what comes of it.
type answer struct {
	how  string
	kind reason.Kind
	key  string
}

// gives has one process give all the answers. The last may end it.
func gives(t *testing.T, e Entry, answers []answer) {
	w := newWorld(t, shellRules, e)
	p := w.start()
	for i, x := range answers {
		if i > 0 { // one that counts, or the third that does not would end the process
			require.Equal(t, "tier/shell", decide(t, p, "pass").Key, x.how)
		}
		require.Equal(t, 1, w.state("bad").Starts, x.how)
		d := decide(t, p, x.how)
		assert.Equal(t, x.kind, d.Kind, "%s: %+v", x.how, d.Reasons)
		assert.Equal(t, x.key, d.Key, x.how)
		require.NotEmpty(t, d.Lookups, x.how)
		assert.Equal(t, "plugin/bad", d.Lookups[0].Function, x.how)
	}
}

func mustAction(t testing.TB, tool string) *skills.Action {
	t.Helper()
	a, err := skills.NewAction(tool, sexpr.Nil(), "")
	require.NoError(t, err)
	return a
}
