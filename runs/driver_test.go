package runs

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/cortextest"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/tools"
	"github.com/opencortex-go/cortex/skills"
)

const driverRules = `
(defaults :unknown-tool :deny)
(deftool note :params (:text string) :required (:text) :tier :allow)
(deftool publish :params (:text string) :required (:text) :tier :ask)
(deftool forbidden :params (:text string) :tier :deny)
(deftool fragile :params (:text string) :tier :allow)`

// driven is a bench whose engine takes steps.
type driven struct {
	*bench
	driver *swapped
	mu     sync.Mutex
	did    []string // what tools did, in order
	broken bool     // fragile breaks
}

// swapped is a driver for each engine of a machine.
type swapped struct {
	mu sync.Mutex
	d  *Driver
}

func (s *swapped) Drive(ctx context.Context, run *engine.Run) (engine.Rest, error) {
	return s.now().Drive(ctx, run)
}

func (s *swapped) now() *Driver {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.d
}

func newDriven(t *testing.T, opt Options, flows ...string) *driven {
	d := &driven{driver: &swapped{d: &Driver{}}, bench: &bench{t: t, library: stock{}}}
	tool := func(name string) act.Tool {
		return act.Tool{Schema: &skills.Tool{Name: name}, Actuator: act.Func(
			func(_ context.Context, c act.Call) (act.Receipt, error) {
				d.mu.Lock()
				defer d.mu.Unlock()
				text := c.Action.Args().GetText("text")
				d.did = append(d.did, name+" "+text)
				if name == "fragile" && d.broken {
					return act.Receipt{State: act.Failed, Error: "it broke"}, nil
				}
				return act.Receipt{State: act.Done, Text: "number of " + text}, nil
			})}
	}
	d.m = cortextest.NewMachine(t, 1, cortex.Options{Live: true, Heartbeat: 24 * time.Hour, Driver: d.driver,
		Tools: []act.Tool{tool("note"), tool("publish"), tool("forbidden"), tool("fragile")},
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte(driverRules)}}})
	d.e = d.m.Start()
	for _, text := range flows {
		d.library.put(t, text)
	}
	opt.Library = d.library
	d.opt = opt
	d.bind()
	return d
}

func (d *driven) bind() {
	d.opt.Driver, d.opt.Try = d.driver.now(), d.e.Hosts().Try
	d.open()
}

func (d *driven) reboot() {
	d.m.CutPower()
	d.driver.mu.Lock()
	d.driver.d = &Driver{}
	d.driver.mu.Unlock()
	d.e = d.m.Start()
	d.bind()
}

// rest waits until the run rests.
func (d *driven) rest(rep *tools.Reply) *fold.State {
	d.t.Helper()
	log := d.log(rep)
	require.NoError(d.t, d.e.Hosts().Rest(d.t.Context(), string(log.Session)))
	return d.log(rep)
}

func (d *driven) done() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string{}, d.did...)
}

// card is the only card that waits.
func (d *driven) card() *cortex.Approval {
	d.t.Helper()
	var out []*cortex.Approval
	for a, err := range d.e.Pending(d.t.Context()) {
		require.NoError(d.t, err)
		out = append(out, a)
	}
	require.Len(d.t, out, 1)
	return out[0]
}

var boss = cortex.Approver{Name: "boss", Classes: []string{"operator"}, Via: "test"}

const acting = `{"id":"one","title":"First","prompt":"Do one."},` +
	`{"id":"file","title":"File it","tool":"note","args":{"text":"it"},"gives":["number"]},` +
	`{"id":"two","title":"Second","prompt":"Use {{number}}.","uses":["number"]}`

func TestAStepOfAToolIsTakenThroughTheGates(t *testing.T) {
	d := newDriven(t, Options{}, flow("acme.file", acting))
	rep := d.notes(d.start("acme.file", "").ContinueToken, "did one")
	assert.Equal(t, tools.OnlyRehydrate, rep.NextIntent)
	d.rest(rep)
	assert.Equal(t, []string{"note it"}, d.done())
	now := d.read(rep.ContinueToken)
	assert.Equal(t, "two", now.Pending.StepID)
	assert.Contains(t, now.Pending.Prompt, "Use number of it.")
	assert.True(t, d.notes(now.ContinueToken, "did two").IsComplete)
	require.NoError(t, d.e.Journal().Verify(t.Context()))
	replayed, err := d.e.Replay(t.Context(), cortex.ReplayOptions{})
	require.NoError(t, err)
	assert.Empty(t, replayed.Differences)
	assert.Positive(t, replayed.Decisions)
}

func TestNoAgentClosesAStepOfTheEngine(t *testing.T) {
	d := newDriven(t, Options{}, flow("acme.ask", `{"id":"go","title":"Ask","person":{"kind":"answer","question":"What colour?"},`+
		`"gives":["colour"]},{"id":"paint","title":"Paint","prompt":"Paint it {{colour}}.","uses":["colour"]}`))
	rep := d.start("acme.ask", "")
	assert.Equal(t, tools.AwaitPerson, rep.NextIntent)
	d.rest(rep)
	for _, out := range []string{`{"notesMarkdown":"red"}`, `{"artifacts":[{"kind":"cortex.receipt","receipt":1}]}`} {
		_, fault := d.call(agent, tools.Continue, `{"continueToken":"`+rep.ContinueToken+`","context":{"colour":"red"},"output":`+out+`}`)
		require.NotNil(t, fault)
		assert.Equal(t, tools.PreconditionFailed, fault.Code)
	}
	_, err := d.e.Approvals().Answer(t.Context(), d.card().Token, boss, "blue")
	require.NoError(t, err)
	d.rest(rep)
	now := d.read(rep.ContinueToken)
	require.NotNil(t, now.Pending)
	assert.Equal(t, "paint", now.Pending.StepID)
	assert.Contains(t, now.Pending.Prompt, "Paint it blue.")
	p, err := d.place(d.log(rep), d.log(rep).Tip())
	require.NoError(t, err)
	assert.Equal(t, "person", string(p.sources["colour"]))
}

const asking = `{"id":"out","title":"Publish","tool":"publish","args":{"text":"news"}},` +
	`{"id":"two","title":"Second","prompt":"Do two."}`

func TestAnAskedStepWaitsAndGoesOnWhenItIsApproved(t *testing.T) {
	d := newDriven(t, Options{}, flow("acme.out", asking))
	rep := d.start("acme.out", "")
	d.rest(rep)
	assert.Empty(t, d.done())
	waiting := d.read(rep.ContinueToken)
	assert.Equal(t, "USER_ONLY_DEPENDENCY", waiting.Blockers[0].Code)
	assert.Equal(t, tools.AwaitPerson, waiting.NextIntent)
	assert.Equal(t, "rehydrate", waiting.NextCall.Params["intent"])
	assert.NotEmpty(t, waiting.ContinueToken)
	d.reboot()
	require.NoError(t, d.e.Approve(t.Context(), d.card().Token, boss))
	d.rest(rep)
	assert.Equal(t, []string{"publish news"}, d.done())
	assert.Equal(t, "two", d.read(rep.ContinueToken).Pending.StepID)
}

func TestADeniedStepIsABlockUntilAPersonReleasesIt(t *testing.T) {
	d := newDriven(t, Options{}, flow("acme.out", asking))
	rep := d.start("acme.out", "")
	d.rest(rep)
	require.NoError(t, d.e.Deny(t.Context(), d.card().Token, boss, "not today"))
	log := d.rest(rep)
	assert.Equal(t, fold.Blocked, log.Status(false))
	now := d.read(rep.ContinueToken)
	assert.Equal(t, "USER_ONLY_DEPENDENCY", now.Blockers[0].Code)
	assert.Contains(t, now.Blockers[0].Message, "not today")
	_, fault := d.call(agent, tools.Continue, `{"continueToken":"`+now.RetryToken+`","output":{"notesMarkdown":"I may"}}`)
	assert.Equal(t, tools.PreconditionFailed, fault.Code)
	require.NoError(t, d.Release(t.Context(), ana, log.Session, "", "asked again"))
	d.rest(rep)
	require.NoError(t, d.e.Approve(t.Context(), d.card().Token, boss))
	d.rest(rep)
	assert.Equal(t, []string{"publish news"}, d.done())
}

func neverStop() Options {
	return Options{Ceiling: func(string) event.Autonomy { return event.NeverStop }}
}

func TestNeverStopLeavesOutAndWhatRestsOnIt(t *testing.T) {
	d := newDriven(t, neverStop(), flow("acme.drop", `{"id":"look","title":"Look","tool":"note","args":{"text":"look"}},`+
		`{"id":"backup","title":"Back up","tool":"publish","args":{"text":"backup"}},`+
		`{"id":"drop","title":"Drop","tool":"note","args":{"text":"drop"}},`+
		`{"id":"free","title":"Free","tool":"note","args":{"text":"free"},"needs":["look"]},`+
		`{"id":"also","title":"Also","tool":"note","args":{"text":"also"},"needs":["look","drop"]},`+
		`{"id":"two","title":"Second","prompt":"Do two."}`))
	rep := d.start("acme.drop", `,"preferences":{"autonomy":"full_auto_never_stop"}`)
	log := d.rest(rep)
	assert.Equal(t, []string{"note look", "note free"}, d.done())
	for range d.e.Pending(t.Context()) {
		assert.Fail(t, "the card is withdrawn")
	}
	var left []string
	for _, g := range log.Unresolved() {
		left = append(left, g.Summary[:len("Step backup")])
	}
	assert.Equal(t, []string{"Step backup", "Step drop r", "Step also r"}, left)
	now := d.read(rep.ContinueToken)
	assert.Equal(t, "two", now.Pending.StepID)
	assert.Equal(t, fold.CompleteWithGaps, d.log(d.notes(now.ContinueToken, "did two")).Status(true))
}

func TestAFailedStepBlocks(t *testing.T) {
	d := newDriven(t, Options{}, flow("acme.f", `{"id":"f","title":"F","tool":"fragile","args":{"text":"x"}},`+
		`{"id":"two","title":"Second","prompt":"Do two."}`))
	d.broken = true
	rep := d.start("acme.f", "")
	log := d.rest(rep)
	assert.Contains(t, d.read(rep.ContinueToken).Blockers[0].Message, "it broke")
	d.mu.Lock()
	d.broken = false
	d.mu.Unlock()
	require.NoError(t, d.Release(t.Context(), ana, log.Session, "", ""))
	d.rest(rep)
	assert.Equal(t, []string{"fragile x", "fragile x"}, d.done())
	assert.Equal(t, "two", d.read(rep.ContinueToken).Pending.StepID)
}

func TestAPersonConfirmsAStepOnACard(t *testing.T) {
	d := newDriven(t, Options{}, flow("acme.notes", confirmed))
	rep := d.notes(d.start("acme.notes", "").ContinueToken, "did one")
	d.rest(rep)
	require.NoError(t, d.e.Approve(t.Context(), d.card().Token, boss))
	d.rest(rep)
	now := d.read(rep.ContinueToken)
	assert.Equal(t, tools.Perform, now.NextIntent)
	assert.True(t, d.notes(now.ContinueToken, "did two").IsComplete)
}

// A step may wait for a document: a person hands in a file, which is kept, pinned and carried along.
func TestAPersonHandsInADocument(t *testing.T) {
	d := newDriven(t, Options{}, flow("acme.doc", `{"id":"ask","title":"Ask","person":{"kind":"artifact","question":"The contract?"},`+
		`"gives":["contract"]},{"id":"two","title":"Second","prompt":"Read {{contract}}.","uses":["contract"]}`))
	rep := d.start("acme.doc", "")
	d.rest(rep)
	token := d.card().Token
	answers := d.e.Approvals()
	for _, bad := range []string{"here it is", "sha256:" + strings.Repeat("0", 64)} {
		_, err := answers.Answer(t.Context(), token, boss, bad)
		require.Error(t, err, bad)
	}
	require.Error(t, d.e.Approve(t.Context(), token, boss), "a yes hands nothing in")
	_, err := answers.Keep(t.Context(), cortex.Approver{Name: "guest", Classes: []string{"guest"}}, "text/plain", "x")
	require.Error(t, err)
	of, err := answers.Keep(t.Context(), boss, "application/pdf", "%PDF the contract")
	require.NoError(t, err)
	_, err = answers.Answer(t.Context(), token, boss, of.String())
	require.NoError(t, err)
	log := d.rest(rep)
	assert.Contains(t, d.read(rep.ContinueToken).Pending.Prompt, of.String())
	var found bool
	for _, o := range log.Current(log.Tip(), event.Artifact) {
		is := o.Payload
		found = found || string(is.SHA256) == of.String() && is.Type == "application/pdf" && is.Bytes == 17
	}
	assert.True(t, found, "it is an output of the step")
}
