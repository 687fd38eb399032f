package runs

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/shelf"
	"github.com/opencortex-go/cortex/runs/ticket"
	"github.com/opencortex-go/cortex/runs/tools"
)

// What is remembered of a run after an append is what reading its log gives, its records included.
func TestWhatIsRememberedIsWhatIsOnRecord(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	rep := b.start("acme.notes", "")
	session := b.log(rep).Session
	same := func() {
		t.Helper()
		want, err := shelf.Load(t.Context(), b.logs, session)
		require.NoError(t, err)
		require.NoError(t, b.shelf.Read(t.Context(), session, func(log *fold.State) error {
			assert.Equal(t, want, log)
			return nil
		}))
	}
	same()
	b.reply(tools.Checkpoint, `{"checkpointToken":"`+rep.ContinueToken+`","notes":"so far"}`)
	same()
	b.hand(rep.ContinueToken, `{"notesMarkdown":"did one","artifacts":[{"kind":"acme.thing","n":1}]}`)
	same()
	b.reply(tools.Continue, `{"continueToken":"`+b.read(rep.ContinueToken).ContinueToken+`","notes":"another way",`+
		`"context":{"b":[],"a":"<&>"}}`)
	same()
	require.NoError(t, b.SetPreferences(t.Context(), Person{"ann", "cli"}, session,
		event.Preferences{Autonomy: event.NeverStop}))
	same()
}

// A log that is gone, and whose name another one took, is remembered by none: neither its folded
// state nor its tickets, its first record or what searches know of it.
func TestANameThatIsUsedAgain(t *testing.T) {
	b, _, st := bareBench(t, flow("acme.notes", twoSteps))
	old := b.start("acme.notes", `,"requestId":"r1"`)
	session := b.log(old).Session
	b.notes(old.ContinueToken, "of the old life")
	find := func() *tools.Candidates {
		out, fault := b.call(agent, tools.Resume, `{"query":"old life"}`)
		require.Nil(t, fault)
		return out.(*tools.Candidates)
	}
	require.Contains(t, find().Candidates[0].Why, "matched_notes")

	var gone []journal.Write // as retention leaves nothing of it
	for _, lo := range [][]byte{record.TableLog.Key(string(session)), record.TableEvents.Under(string(session)),
		record.TableEventKey.Under(string(session))} {
		require.NoError(t, st.Scan(lo, record.After(lo), func(k, _ []byte) bool {
			gone = append(gone, journal.Write{Key: append([]byte(nil), k...)})
			return true
		}))
	}
	require.NoError(t, st.Commit(gone))
	other, err := New(b.opt)
	require.NoError(t, err)
	anew, err := other.Call(context.Background(), agent,
		&tools.StartWorkflow{WorkflowID: "acme.notes", Goal: "get it done", RequestID: "r1"})
	require.NoError(t, err)

	assert.NotContains(t, find().Candidates[0].Why, "matched_notes")
	_, fault := b.call(agent, tools.Continue, `{"continueToken":"`+old.ContinueToken+`","intent":"rehydrate"}`)
	require.NotNil(t, fault)
	assert.Equal(t, ticket.UnknownNode, fault.Code)
	assert.Equal(t, anew, b.start("acme.notes", `,"requestId":"r1"`))
	second := b.notes(anew.(*tools.Reply).ContinueToken, "of the new one")
	assert.Equal(t, "two", second.Pending.StepID)
	require.Len(t, b.log(second).Nodes(), 2)
}
