package cortextest

import (
	"context"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// testRules have what is allowed, asked of one person and of two, rewritten, denied and
// bounded by a budget, and a tool that honours its key.
const testRules = `
(defaults :unknown-tool :ask)
(deftool note :doc "Keep a note." :params (:text string) :required (:text) :tier :allow :effect :local)
(deftool look :doc "Look around." :params (:text string) :tier :allow :effect :none)
(deftool send_money :doc "Pay." :params (:recipient string :amount (number 0 1000000)) :required (:recipient :amount)
  :tier :allow :effect :external :spends (:money :amount))
(deftool risky :doc "Do something risky." :params (:what string) :tier :ask :effect :external)
(deftool never :doc "Never." :params (:what string) :tier :deny)
(defskill words
  :priority 100
  :trigger (= action.tool "note")
  :gate ((deny rude :when (contains? action.args.text "rude") :reason "notes are polite")
         (ask secret :when (contains? action.args.text "secret") :reason "a secret needs a person's yes")
         (rewrite short :when (> (len action.args.text) 40) :set (:text "(too long)") :reason "notes are short")))
(definvariant payments-stay-small
  :when (= action.tool "send_money")
  :holds (<= (+ action.args.amount (spent :money :day)) 1000)
  :reason "more than 1000 a day")
(deftool grave :doc "Two people have to agree." :params (:what string) :tier :allow :effect :external)
(defskill two :priority 50 :trigger (= action.tool "grave") :gate ((ask both :quorum 2 :reason "two people have to agree")))
(deftool wire :doc "Send a wire." :params (:what string) :tier :ask :effect :external :idempotent t)
`

var (
	start  = NewMachine(nil, 0, cortex.Options{}).Clock.Now()
	people = []string{"ana", "ben", "cho", "dan"} // who answer cards
	ana    = cortex.Approver{Name: "ana"}
)

// rulesOf is a folder with one rule file.
func rulesOf(text string) fstest.MapFS { return fstest.MapFS{"rules.lisp": {Data: []byte(text)}} }

func toolNamed(name string) *skills.Tool { return &skills.Tool{Name: name} }

func sessionOf(id string) *cortex.Facts {
	return &cortex.Facts{Session: skills.Session{ID: id, Principal: "agent"}}
}

func action(t testing.TB, tool, args string) *cortex.Action {
	t.Helper()
	v, err := sexpr.Read("args", args)
	require.NoError(t, err)
	a, err := cortex.NewAction(tool, v, "")
	require.NoError(t, err)
	return a
}

// countingTool does what it is told, and counts.
type countingTool struct {
	mu    sync.Mutex
	calls int
}

func (r *countingTool) Act(context.Context, act.Call) (act.Receipt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	return act.Receipt{State: act.Done}, nil
}

// bench is an engine on a machine of a test's, with testRules and a tool for each. Its clock
// stands still and has no uptime.
type bench struct {
	*cortex.Engine
	t testing.TB
	m *Machine
}

// newBench returns a bench with these changes to its machine. It does not close it.
func newBench(t testing.TB, changes ...func(*Machine)) *bench {
	t.Helper()
	opt := cortex.Options{Live: true, Rules: rulesOf(testRules), Heartbeat: 24 * time.Hour, // of the real clock
		Approvals: cortex.ApprovalOptions{Classes: map[string][]string{"operator": {"ana", "ben"},
			"finance": {"ben", "cho"}}}}
	tool := &countingTool{}
	for _, name := range []string{"note", "look", "send_money", "risky", "never", "grave"} {
		opt.Tools = append(opt.Tools, act.Tool{Schema: toolNamed(name), Actuator: tool})
	}
	m := NewMachine(nil, 1, opt)
	m.opt.Clock.Uptime = nil
	for _, change := range changes {
		change(m)
	}
	b := &bench{t: t, m: m}
	b.reopen()
	return b
}

// reopen closes the engine, if there is one, and opens it again on the record.
func (b *bench) reopen() { b.Engine = b.m.Start() }

// intact checks what must hold of every record at the end of every test, and ends it.
func (b *bench) intact() {
	b.t.Helper()
	require.NoError(b.t, b.Journal().Verify(b.t.Context()))
	got, err := b.Replay(b.t.Context(), cortex.ReplayOptions{})
	require.NoError(b.t, err)
	assert.Empty(b.t, got.Differences)
	b.m.Close()
}

// inMemory keeps the record in memory.
func inMemory(m *Machine) { inFolder("")(m) }

// inFolder keeps the record in a folder of the system's.
func inFolder(dir string) func(*Machine) {
	return func(m *Machine) {
		m.mount = func() (journal.Store, error) { return store.Open(dir, store.Options{Segment: m.segment}) }
	}
}

// hooked puts a store in front of the machine's.
func hooked(wrap func(journal.Store) journal.Store) func(*Machine) {
	return func(m *Machine) { m.hooks.Wrap = wrap }
}

// campaign reads how many trials are wanted and from which seed on.
func campaign(usual int) (trials int, seed uint64) { return crashtest.Size(usual) }

// report prints the line that docs/proof/reliability.md quotes.
func report(t *testing.T, harness string, trials int, seed uint64, failures int, more string) {
	t.Helper()
	crashtest.Result{Harness: harness, Trials: trials, Seed: seed, Failures: failures, More: more}.Report(t)
}
