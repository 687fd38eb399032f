package runs

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/shelf"
	"github.com/opencortex-go/cortex/runs/ticket"
	"github.com/opencortex-go/cortex/runs/tools"
)

// askingSteps show what the run is about, so that what is rendered anew shows itself.
var askingSteps = strings.ReplaceAll(twoSteps, `."`, ` {{topic}}."`)

// What was answered to a start is answered to its repeat, whatever became of the run: the goal is
// that of the start, though an agent may set the key.
func TestT35_ARepeatedStartIsAnsweredFromTheRecord(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", askingSteps))
	start := `,"requestId":"r1","context":{"topic":"cats"}`
	first := b.start("acme.notes", start)
	assert.Contains(t, first.Pending.Prompt, "Do one cats.")
	rep := b.reply(tools.Continue, `{"continueToken":"`+first.ContinueToken+`","output":{"notesMarkdown":"x"},
		"context":{"topic":"dogs","goal":"another"}}`)
	assert.Contains(t, rep.Pending.Prompt, "Do two dogs.")
	assert.Equal(t, textOf(first), textOf(b.start("acme.notes", start)))
	b.reboot()
	assert.Equal(t, textOf(first), textOf(b.start("acme.notes", start)))
}

// The same request comes twice at the same time, and the branch changes in between: one run.
func TestT35_TwoStartsOfOneRequestMeet(t *testing.T) {
	var b *bench
	var other *tools.Reply
	looks := 0
	b = newBench(t, Options{Observe: func(context.Context, string) []*event.ObservationRecorded {
		looks++
		branch := map[int]string{1: "main", 2: "other"}[looks]
		if looks == 1 {
			other = b.start("acme.notes", `,"requestId":"r1","workspacePath":"/w"`)
		}
		return []*event.ObservationRecorded{{Name: "git_branch", Confidence: "high",
			Value: event.Observed{Type: "short_string", Value: branch}}}
	}}, flow("acme.notes", twoSteps))
	rep := b.start("acme.notes", `,"requestId":"r1","workspacePath":"/w"`)
	require.Equal(t, 2, looks)
	assert.Equal(t, textOf(other), textOf(rep))
}

func TestT71_ARepeatedCheckpointIsAnsweredFromTheRecord(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", askingSteps))
	first := b.start("acme.notes", `,"context":{"topic":"cats"}`)
	call := `{"checkpointToken":"` + first.ContinueToken + `","notes":"half way"}`
	mark := b.reply(tools.Checkpoint, call)
	assert.Contains(t, mark.Pending.Prompt, "Do one cats.")
	b.reply(tools.Continue, `{"continueToken":"`+first.ContinueToken+`","output":{"notesMarkdown":"x"},
		"context":{"topic":"dogs"}}`)
	assert.Equal(t, textOf(mark), textOf(b.reply(tools.Checkpoint, call)))
	b.reboot()
	assert.Equal(t, textOf(mark), textOf(b.reply(tools.Checkpoint, call)))
}

// Two calls have no time to wait. The one that has the turn ends what it began, so that nothing
// is entered behind its back; the other is told to come again.
func TestT26_WithoutTimeToWait(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	token := b.start("acme.notes", "").ContinueToken
	c := &tools.ContinueWorkflow{ContinueToken: token, Output: &tools.Output{NotesMarkdown: "x"}}
	mark := &tools.CheckpointWorkflow{CheckpointToken: token}
	over, stop := context.WithCancel(t.Context())
	stop()
	leave, err := b.logs.Turn(t.Context(), string(b.log(b.read(token)).Session))
	require.NoError(t, err)
	for _, c := range []tools.Call{c, mark} {
		_, err = b.Call(over, agent, c)
		fault := tools.AsError(err)
		assert.Equal(t, ticket.SessionLocked, fault.Code)
		assert.Equal(t, tools.Retry{Kind: "retryable_after_ms", AfterMs: 1000}, fault.Retry)
	}
	leave()
	for _, c := range []tools.Call{c, mark} {
		_, err = b.Call(over, agent, c)
		require.NoError(t, err)
	}
	_, err = b.Call(over, agent, &tools.StartWorkflow{WorkflowID: "acme.notes", Goal: "g"})
	assert.Equal(t, tools.Timeout, tools.AsError(err).Code)
}

// Nothing stops the run, so its gap is the only trace of notes that are blank.
func TestT44_BlankNotesAreNoOutput(t *testing.T) {
	b := newBench(t, Options{Ceiling: func(string) event.Autonomy { return event.NeverStop }},
		flow("acme.notes", twoSteps))
	first := b.start("acme.notes", `,"preferences":{"autonomy":"full_auto_never_stop"}`)
	log := b.log(b.notes(first.ContinueToken, " \n"))
	assert.Empty(t, log.Tip().Outputs)
	assert.Len(t, log.Unresolved(), 1)
}

// A log that contradicts itself answers no call, and says why.
func TestT25_NothingGoesOnFromADamagedLog(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	token := b.start("acme.notes", "").ContinueToken
	log := b.log(b.read(token))
	again := event.Derive[event.NodeID]("of no parent")
	_, err := b.shelf.Append(t.Context(), shelf.Operation{By: "agent", Events: []*event.Event{event.New(log.Session,
		event.Scope{Run: log.Run, Node: again}, &event.NodeCreated{NodeKind: event.StepNode, Hash: log.Started.Hash,
			Snapshot: log.Root.Snapshot})}})
	require.NoError(t, err)
	before := b.e.Journal().Head()
	for tool, params := range map[tools.Name]string{
		tools.Continue:   `{"continueToken":"` + token + `","output":{"notesMarkdown":"x"}}`,
		tools.Checkpoint: `{"checkpointToken":"` + token + `"}`,
	} {
		_, fault := b.call(agent, tool, params)
		assert.Equal(t, tools.SessionNotHealthy, fault.Code, tool)
	}
	assert.Equal(t, before, b.e.Journal().Head())
}
