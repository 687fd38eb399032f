package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/cortextest"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/runs/bundle"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/tools"
	"github.com/opencortex-go/cortex/skills"
)

// thirty are the workflows that the tests of package plans have.
const thirty = "../plans/testdata/thirty"

// scripted is an engine with the tools of a plan, which takes steps, and an agent that follows a script.
type scripted struct {
	*bench
	plan   *plans.Plan
	script script
	did    []string // arguments of tools, in order
}

// newScripted reads a workflow and its script.
func newScripted(t *testing.T, file string) *scripted {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	registry := plans.NewRegistry()
	template := filepath.Join(thirty, "host", "routine-hypothesis-challenge.json")
	hosted, err := os.ReadFile(template)
	require.NoError(t, err)
	require.NoError(t, registry.AddTemplate(template, hosted))
	s := &scripted{bench: &bench{t: t, library: stock{}}}
	s.plan, err = plans.Compile(plans.Source{Name: file, Text: text}, plans.Options{Registry: registry})
	require.NoError(t, err)
	kept, err := os.ReadFile(strings.TrimSuffix(strings.TrimSuffix(file, ".json"), ".lisp") + ".script.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(kept, &s.script))
	s.library[s.plan.WorkflowID] = &Workflow{Plan: s.plan, Kind: plans.KindProject, Ref: filepath.Base(file)}
	s.boot()
	return s
}

// boot starts an engine on a record of its own.
func (s *scripted) boot() {
	driver := &Driver{}
	shell := act.Tool{Schema: &skills.Tool{Name: "shell"}, Actuator: act.Func(
		func(_ context.Context, c act.Call) (act.Receipt, error) {
			s.did = append(s.did, c.Action.Args().GetText("command")+c.Action.Args().GetText("cmd"))
			return act.Receipt{State: act.Done, Text: "done"}, nil
		})}
	s.m = cortextest.NewMachine(s.t, 1, cortex.Options{Live: true, Heartbeat: 24 * time.Hour, Driver: driver,
		Tools: []act.Tool{shell}, Rules: fstest.MapFS{"rules.lisp": {Data: []byte(
			`(defaults :unknown-tool :deny) (deftool shell :params (:command string :cmd string) :tier :allow)`)}}})
	s.e = s.m.Start()
	s.opt = Options{Library: s.library, Driver: driver, Try: s.e.Hosts().Try}
	s.open()
}

// begin starts the run.
func (s *scripted) begin() *tools.Reply {
	context, err := json.Marshal(s.script.Start.Context)
	require.NoError(s.t, err)
	return s.reply(tools.Start, fmt.Sprintf(`{"workflowId":%q,"goal":%q,"context":%s}`, s.plan.WorkflowID,
		s.script.Start.Goal, context))
}

// due is the step that is due at the newest place of a run, its key and its iteration.
func (s *scripted) due(log *fold.State) (*plans.Step, state.Key, int) {
	at, err := s.shelf.Snapshot(log.Tip())
	require.NoError(s.t, err)
	pos, ok := position(at)
	if !ok {
		return nil, "", 0
	}
	step, ok := s.plan.Step(pos.Pending.ID)
	require.True(s.t, ok)
	iteration := 0
	if len(pos.Loops) > 0 {
		iteration = pos.Loops[0].Iteration
	}
	return step, pos.Pending.Key(), iteration
}

// handIn hands in an output, or tries to.
func (s *scripted) handIn(token string, step *plans.Step, h scriptedOutput) *tools.Reply {
	notes := "Did what " + step.ID + " asks for."
	if h.Notes != nil {
		notes = *h.Notes
	}
	call := map[string]any{"continueToken": token,
		"output": map[string]any{"notesMarkdown": notes, "artifacts": slices.Concat([]json.RawMessage{}, h.Artifacts)}}
	if h.Context != nil {
		call["context"] = h.Context
	}
	return s.reply(tools.Continue, textOf(call))
}

// answer does what a person does with the card that waits, and lets the run come to rest.
func (s *scripted) answer(rep *tools.Reply, step *plans.Step) {
	session := string(s.log(rep).Session)
	require.NoError(s.t, s.e.Hosts().Rest(s.t.Context(), session))
	var cards []*cortex.Approval
	for a, err := range s.e.Pending(s.t.Context()) {
		require.NoError(s.t, err)
		cards = append(cards, a)
	}
	require.Len(s.t, cards, 1, "step %s waits for a person", step.ID)
	if step.Person != nil && step.Person.Kind != skills.Confirm {
		says, ok := s.script.of(s.t.(*testing.T), step, 0).Context[step.Gives[0]].(string)
		require.True(s.t, ok, "the script has an answer for %s", step.ID)
		_, err := s.e.Approvals().Answer(s.t.Context(), cards[0].Token, boss, says)
		require.NoError(s.t, err)
	} else {
		require.NoError(s.t, s.e.Approve(s.t.Context(), cards[0].Token, boss))
	}
	require.NoError(s.t, s.e.Hosts().Rest(s.t.Context(), session))
}

// turn takes the step that is due, and returns where the run is then.
func (s *scripted) turn(rep *tools.Reply) *tools.Reply {
	t := s.t.(*testing.T)
	require.NoError(t, s.e.Hosts().Rest(t.Context(), string(s.log(rep).Session)))
	rep = s.read(rep.ContinueToken + rep.RetryToken)
	step, key, iteration := s.due(s.log(rep))
	if step == nil {
		return rep
	}
	if rep.NextIntent == tools.AwaitPerson {
		s.answer(rep, step)
		rep = s.read(rep.ContinueToken + rep.RetryToken)
		if now, _, _ := s.due(s.log(rep)); now != step || step.By != plans.ByPrompt {
			return rep
		}
	}
	require.Equal(t, plans.ByPrompt, step.By, "the engine rests before %s: %s", key, rep.Text)
	require.Equal(t, tools.Perform, rep.NextIntent, "%s: %s", key, rep.Text)
	assert.Equal(t, step.ID, rep.Pending.StepID)
	assert.NotContains(t, rep.Pending.Prompt, "{{wr.")
	h, token := s.script.of(t, step, iteration), rep.ContinueToken+rep.RetryToken
	for _, early := range h.Refused {
		rep = s.handIn(token, step, early)
		require.Equal(t, "blocked", rep.Kind, "%s should not pass", key)
		codes := make([]string, len(rep.Blockers))
		for i, b := range rep.Blockers {
			codes[i] = b.Code
		}
		assert.Contains(t, codes, early.Because, "%s", key)
		token = rep.RetryToken
	}
	return s.handIn(token, step, h)
}

// path is the way to the newest place, as the record has it, without the probes.
func (s *scripted) path(log *fold.State) (path []string) {
	for at := log.Tip(); at.Parent != nil; at = at.Parent {
		if at.Kind != event.StepNode {
			continue
		}
		before, err := s.shelf.Snapshot(at.Parent)
		require.NoError(s.t, err)
		pos, ok := position(before)
		require.True(s.t, ok)
		if step, _ := s.plan.Step(pos.Pending.ID); step.Probe == "" {
			path = append(path, string(pos.Pending.Key()))
		}
	}
	slices.Reverse(path)
	return path
}

// finish drives a run to its end within 500 advances. each is called at every place.
func (s *scripted) finish(rep *tools.Reply, each func(n int, rep *tools.Reply)) *tools.Reply {
	for n := range 500 {
		if rep.IsComplete {
			return rep
		}
		each(n, rep)
		rep = s.turn(rep)
	}
	require.Fail(s.t, "the run did not end")
	return nil
}

func shippedAndThirty(t *testing.T) (files []string) {
	for _, pattern := range []string{"../examples/workflows/*.lisp", thirty + "/*.json"} {
		some, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, slices.DeleteFunc(some, func(f string) bool { return strings.HasSuffix(f, ".script.json") })...)
	}
	require.Len(t, files, 34)
	return files
}

// A scripted agent drives every workflow to its end by the six tools, is refused where its script
// says so, and comes along the path that its script names. A person answers where one is asked, and
// the engine takes the steps of tools. At each tenth node the run is taken to another record, where
// it goes on to the same end.
func TestT84_ScriptedAgentDrivesEveryWorkflowByTheTools(t *testing.T) {
	for i, file := range shippedAndThirty(t) {
		if testing.Short() && i%8 != 0 { // plans drives all of them without a record in its short form
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			s := newScripted(t, file)
			var taken [][]byte
			rep := s.finish(s.begin(), func(n int, rep *tools.Reply) {
				if n%10 == 0 {
					b, err := bundle.Export(t.Context(), s.logs, s.log(rep).Session, bundle.Producer{App: "test"}, time.Time{})
					require.NoError(t, err)
					text, err := b.Text()
					require.NoError(t, err)
					taken = append(taken, text)
				}
			})
			log := s.log(rep)
			assert.Equal(t, s.script.Path, s.path(log))
			assert.Equal(t, fold.Complete, log.Status(true))
			require.NoError(t, s.e.Journal().Verify(t.Context()))
			for _, text := range taken {
				s.elsewhere(text, rep)
			}
		})
	}
}

// elsewhere takes a run to another record, drives it to its end, and compares what it came to.
func (s *scripted) elsewhere(text []byte, want *tools.Reply) {
	t := s.t.(*testing.T)
	other := &scripted{bench: &bench{t: t, library: s.library}, plan: s.plan, script: s.script}
	other.boot()
	in, err := bundle.Import(t.Context(), other.logs, "agent", text)
	require.NoError(t, err)
	h, err := other.At(t.Context(), agent, in.Session)
	require.NoError(t, err)
	if next := h.Reply().NextIntent; next == tools.OnlyRehydrate || next == tools.AwaitPerson {
		assert.Empty(t, other.did, "nothing is done before a person says so")
		require.NoError(t, other.Release(t.Context(), ana, in.Session, "", "imported"))
	}
	rep := other.finish(h.Reply(), func(int, *tools.Reply) {})
	was, is := s.log(want), other.log(rep)
	assert.Equal(t, s.path(was), other.path(is))
	assert.Equal(t, was.Status(true), is.Status(true))
	assert.Equal(t, was.Tip().Preferences(), is.Tip().Preferences())
	assert.Len(t, is.Nodes(), len(was.Nodes()))
	notes := func(log *fold.State) []string { return slices.Collect(log.Notes(log.Tip(), nil)) }
	assert.Equal(t, notes(was), notes(is))
	assert.Equal(t, s.work(want), other.work(rep))
}

// What a person chose decides what is done: the answer of the shipped workflow reaches its conditions.
func TestT84_APersonWhoChoosesNotToMigrate(t *testing.T) {
	for choice, migrated := range map[string]bool{"tonight": true, "not at all": false} {
		s := newScripted(t, "../examples/workflows/database-migration.lisp")
		s.script.Steps["when"] = json.RawMessage(`{"context":{"when":"` + choice + `"}}`)
		rep := s.finish(s.begin(), func(int, *tools.Reply) {})
		assert.Equal(t, migrated, slices.Contains(s.path(s.log(rep)), "migrate"), choice)
		isMigration := func(c string) bool { return strings.HasPrefix(c, "psql") }
		assert.Equal(t, migrated, slices.ContainsFunc(s.did, isMigration), choice)
	}
}
