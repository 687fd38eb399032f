package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/keyfile"
	"github.com/opencortex-go/cortex/cortex/logs"
	planted "github.com/opencortex-go/cortex/internal/canary"
	"github.com/opencortex-go/cortex/notes"
	"github.com/opencortex-go/cortex/notes/book"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/reason/model"
	workflows "github.com/opencortex-go/cortex/runs"
	"github.com/opencortex-go/cortex/runs/bundle"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/tools"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
)

// families is an engine on a folder, and all that keeps texts in its record.
type families struct {
	pl   place
	e    *cortex.Engine
	caps *capabilities.Capabilities
	runs *workflows.Runs
	book *book.Book
}

// stock is a library of one workflow.
type stock struct{ flow *workflows.Workflow }

func (s stock) Find(string) (*workflows.Workflow, error) { return s.flow, nil }
func (stock) List(*tools.ListWorkflows) tools.Workflows  { return tools.Workflows{} }
func (stock) Inspect(*tools.InspectWorkflow) (tools.Inspected, error) {
	return tools.Inspected{}, nil
}

func (f *families) open(change ...func(*cortex.Options)) {
	t := f.pl.t
	t.Helper()
	f.close()
	keys, err := keyfile.Open(f.pl.path("state/secrets.keys"))
	require.NoError(t, err)
	f.caps = capabilities.New()
	opt := cortex.Options{Dir: f.pl.path("state"), Live: true, Keys: keys, FindSecrets: secrets.NewFinder(),
		Capabilities: f.caps, Rules: fstest.MapFS{"rules.lisp": {Data: []byte(`(deftool set :params (:name string) :required (:name)
:tier :allow :effect :external) (defaults :unknown-tool :deny)`)}}, Traces: engine.Traces{Mode: engine.TraceFull},
		Approvals: cortex.ApprovalOptions{Classes: map[string][]string{"operator": {"op"}}}}
	for _, c := range change {
		c(&opt)
	}
	f.e, err = cortex.Open(context.Background(), opt)
	require.NoError(t, err)
	plan, err := plans.Compile(plans.Source{Name: "w", Text: []byte(`{"id":"acme.notes","name":"n","description":"d",
"version":"1.0.0","steps":[{"id":"one","title":"First","prompt":"Do one for {{place}}."},
{"id":"two","title":"Second","prompt":"Do two for {{place}}."}]}`)}, plans.Options{})
	require.NoError(t, err)
	f.runs, err = workflows.New(workflows.Options{Logs: f.e.Hosts().Logs(),
		Library: stock{&workflows.Workflow{Plan: plan, Kind: plans.KindProject, Ref: "w"}}})
	require.NoError(t, err)
	f.book = book.New()
	f.book.Open(f.e.Hosts().Logs())
}

func (f *families) close() {
	if f.e != nil {
		require.NoError(f.pl.t, f.e.Close())
		f.e = nil
	}
}

var ann = workflows.Caller{Principal: "ann", Person: true}

func (f *families) call(c tools.Call) *tools.Reply {
	f.pl.t.Helper()
	out, err := f.runs.Call(context.Background(), ann, c)
	require.NoError(f.pl.t, err)
	return out.(*tools.Reply)
}

// run makes a run with a secret in its goal, context, notes and artifacts, and in a key of its context.
func (f *families) run(i int, x string) (event.SessionID, string) {
	name := fmt.Sprint("run", i)
	first := f.call(&tools.StartWorkflow{WorkflowID: "acme.notes", Goal: "log in with " + x, RequestID: name,
		Context: map[string]any{"place": "the shop of " + x, "k " + x: x}})
	assert.Contains(f.pl.t, first.Pending.Prompt, planted.Core(x), "the step has the real value")
	two := f.call(&tools.ContinueWorkflow{ContinueToken: first.ContinueToken, Intent: "advance",
		Context: map[string]any{"place": "another of " + x}, Output: &tools.Output{NotesMarkdown: "I used " + x,
			Artifacts: []json.RawMessage{json.RawMessage(`{"kind":"note","of":` + inJSON(x) + `}`)}}})
	assert.Contains(f.pl.t, two.Pending.Prompt, planted.Core(x))
	return event.Derive[event.SessionID]("request", ann.Principal, name), two.ContinueToken
}

func inJSON(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(out)
}

func capabilityWith(t *testing.T, i int, x string) *form.Capability {
	got, err := form.Read("", []byte(fmt.Sprintf(`(defcapability x.c%02d :version "1.0.0" :owner "o" :scope :project
  :doc %q :inputs (:a string) :required (:a) :offer (:goals ("word%d") :keywords ("deploy") :weights (:goal 3.0 :keyword 1.0)
  :tau 0.5) :plan ((s :tool "set" :args (:name %q) :undo "only reads")))`, i,
		"Logs in with "+strings.ReplaceAll(x, "\n", " "), i,
		"{{a}} "+strings.ReplaceAll(x, "\n", " "))))
	require.NoError(t, err)
	return got[0]
}

// Fifty secrets through each family of texts that the record keeps: none is in its files, in an export or in a
// bundle in the clear, before the keys are destroyed and after; and before, all texts are as they were.
func TestThreat12_FiftyCanariesInEachFamily(t *testing.T) {
	f := &families{pl: newPlace(t)}
	defer f.close()
	f.open()
	ctx := t.Context()
	inRuns, inNotes := planted.Texts(11, 50), planted.Texts(12, 50)
	inCaps, inWords := planted.Texts(13, 50), planted.Texts(14, 50)
	var sessions []event.SessionID
	tickets := map[int]string{}
	for i, x := range inRuns {
		s, ticket := f.run(i, x)
		sessions = append(sessions, s)
		tickets[i] = ticket
	}
	for i, x := range inNotes {
		key := fmt.Sprint("note", i)
		_, err := f.book.Do(ctx, book.Who{Principal: "ann", Key: key}, func(t *notes.Tree) (notes.Draft, error) {
			return t.Add(key, "", &notes.Object{
				Title: fmt.Sprint(i, " ", strings.ReplaceAll(x, "\n", " ")), Body: "the key:\n" + x + "\n"})
		})
		require.NoError(t, err)
	}
	for i, x := range inCaps {
		require.NoError(t, f.caps.Register(ctx, capabilityWith(t, i, x), "op"))
	}
	for i, x := range inCaps {
		id := fmt.Sprintf("x.c%02d", i)
		for _, to := range []capabilities.State{capabilities.Tested, capabilities.OnTrial, capabilities.InForce} {
			require.NoError(t, f.caps.Move(ctx, id, "1.0.0", to, "op", "because of "+x))
		}
	}
	require.NoError(t, f.e.Hosts().Reload(ctx))
	for i, x := range inWords {
		sig := cortex.Signal{Text: fmt.Sprintf("word%d, with %s", i, x), Session: fmt.Sprint("s", i),
			Principal: "ann", Key: x,
			Type: perceive.Event, Sensor: perceive.UserInput, Source: "api"}
		_, err := f.e.Hosts().Hear(ctx, sig)
		require.NoError(t, err)
		bulletin, _, err := f.e.Hosts().Bulletin(sig)
		require.NoError(t, err)
		assert.Contains(t, bulletin, planted.Core(inCaps[i])[:20], "a model reads what its author wrote")
		require.NoError(t, f.e.Hosts().Think(ctx, sig, &model.Exchange{Prompt: model.Prompt{System: bulletin},
			Answer: model.Completion{Text: "I have " + x}}))
	}
	everything := append(append(append(append([]string{}, inRuns...), inNotes...), inCaps...), inWords...)

	f.open() // all is read back from the disk
	for i := range inRuns {
		again := f.call(&tools.ContinueWorkflow{ContinueToken: tickets[i], Intent: "rehydrate"})
		assert.Contains(t, again.Pending.Prompt, planted.Core(inRuns[i]))
	}
	tree, err := f.book.Tree(ctx)
	require.NoError(t, err)
	require.Equal(t, 50, tree.Len())
	out, err := f.e.Replay(ctx, cortex.ReplayOptions{})
	require.NoError(t, err)
	assert.Empty(t, out.Differences)
	for i, x := range inCaps {
		_, v, err := f.caps.Find(ctx, fmt.Sprintf("x.c%02d", i), "1.0.0")
		require.NoError(t, err)
		assert.Contains(t, v.Doc, planted.Core(x))
	}
	exported := func(what string) {
		for i, s := range sessions {
			b, err := bundle.Export(ctx, f.e.Hosts().Logs(), s,
				bundle.Producer{App: "test", Config: event.DigestOf(nil)}, time.Now())
			require.NoError(t, err)
			text, err := b.Text()
			require.NoError(t, err)
			require.Nil(t, b.Session.Damage, what)
			require.Contains(t, string(text), "[secret", what)
			_, err = bundle.Read(text)
			require.NoError(t, err)
			planted.NoneOf(t, what+": the bundle of a run", string(text), everything)
			if i == 0 && what == "before" {
				_, err = bundle.Import(ctx, f.e.Hosts().Logs(), "bob", text)
				require.NoError(t, err)
			}
		}
	}
	exported("before")
	shown := func(what string) {
		f.close()
		planted.NoneIn(t, f.pl.path("state"), everything)
		for _, format := range []string{"jsonl", "parquet", "otlp"} {
			file := "out." + format
			f.pl.shows("journal", "export", "--dir", "state", "--format", format, "--output", f.pl.path(file))
			data, err := os.ReadFile(f.pl.path(file))
			require.NoError(t, err)
			require.NotEmpty(t, data)
			planted.NoneOf(t, what+": "+format, string(data), everything)
			require.NoError(t, os.Remove(f.pl.path(file)))
		}
		planted.NoneOf(t, what+": the list", f.pl.shows("journal", "list", "--dir", "state"), everything)
	}
	shown("before")

	// The runs are over, and so old that retention destroys what is secret in them.
	f.open()
	for i := range inRuns {
		f.call(&tools.ContinueWorkflow{ContinueToken: tickets[i], Intent: "advance",
			Output: &tools.Output{NotesMarkdown: "done"}})
	}
	late := func(o *cortex.Options) {
		o.Retain.Secrets = time.Hour
		o.Clock.Now = func() time.Time { return time.Now().Add(100 * time.Hour) }
	}
	f.open(late)
	did, err := f.e.Operations().Retain(ctx)
	require.NoError(t, err)
	assert.Greater(t, did.Destroyed, 200)
	for i, s := range sessions {
		got, err := f.e.Hosts().Logs().Read(ctx, string(s))
		require.NoError(t, err)
		assert.Equal(t, logs.Healthy, got.Health.Condition)
		for _, e := range got.Events {
			planted.NoneOf(t, "an event", e.Data+e.Scope, inRuns[i:i+1])
		}
	}
	require.NoError(t, f.e.Journal().Verify(ctx))
	exported("after")
	shown("after")
	f.open(late)
	out, err = f.e.Replay(ctx, cortex.ReplayOptions{})
	require.NoError(t, err)
	assert.Empty(t, out.Differences)
}
