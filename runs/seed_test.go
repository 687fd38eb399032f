package runs

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/ticket"
	"github.com/opencortex-go/cortex/runs/tools"
)

func TestT28_TokensOfTheSeedsForms(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	first := b.start("acme.notes", "")
	long, err := b.SeedTokens(t.Context(), agent, first.ContinueToken)
	require.NoError(t, err)
	assert.Equal(t, "one", b.read(long.State).Pending.StepID)
	_, fault := b.call(agent, tools.Continue, `{"continueToken":"`+long.State+`","output":{"notesMarkdown":"n"}}`)
	assert.Equal(t, ticket.InvalidFormat, fault.Code, "a state token hands in nothing")
	rep := b.notes(long.Ack, "did one")
	assert.Equal(t, textOf(rep), textOf(b.notes(first.ContinueToken, "the same attempt")))
	mark := b.reply(tools.Checkpoint, `{"checkpointToken":"`+long.Checkpoint+`"}`)
	assert.NotEmpty(t, mark.Checkpoint)
	_, err = b.SeedTokens(t.Context(), Caller{Principal: "mallory"}, first.ContinueToken)
	assert.Equal(t, ticket.ScopeMismatch, tools.AsError(err).Code)
}

func TestT32_LongTokensThatDoNotFit(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	one, two := b.log(b.start("acme.notes", "")), b.log(b.start("acme.notes", ""))
	keys, err := b.keys()
	require.NoError(t, err)
	good := ticket.Long{Version: 1, Kind: ticket.StateToken, Session: one.Session, Run: one.Run, Node: one.Root.ID,
		Hash: one.Started.Hash}
	for name, c := range map[string]struct {
		spoil func(*ticket.Long)
		want  tools.Code
	}{
		"the run of another":  {func(l *ticket.Long) { l.Run = two.Run }, ticket.ScopeMismatch},
		"no such session":     {func(l *ticket.Long) { l.Session = event.Mint[event.SessionID]() }, ticket.UnknownNode},
		"the node of another": {func(l *ticket.Long) { l.Node = two.Root.ID }, ticket.UnknownNode},
		"another plan":        {func(l *ticket.Long) { l.Hash = event.DigestOf(nil) }, ticket.WorkflowHashMismatch},
	} {
		l := good
		c.spoil(&l)
		text, err := l.Mint(keys.Current)
		require.NoError(t, err)
		_, fault := b.call(agent, tools.Continue, `{"continueToken":"`+text+`"}`)
		assert.Equal(t, c.want, fault.Code, name)
	}
}

func TestT31_RotatingKeys(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	first := b.start("acme.notes", "")
	rep := b.notes(first.ContinueToken, "did one")
	require.NoError(t, b.logs.RotateTicketKeys(t.Context(), "ana", "cli"))
	again := b.notes(first.ContinueToken, "x")
	assert.Equal(t, rep.Pending, again.Pending)
	assert.NotEqual(t, rep.ContinueToken, again.ContinueToken, "the same facts, under the new key")
	require.NoError(t, b.logs.RotateTicketKeys(t.Context(), "ana", "cli"))
	_, fault := b.call(agent, tools.Continue, `{"continueToken":"`+first.ContinueToken+`"}`)
	assert.Equal(t, ticket.BadSignature, fault.Code)
	assert.Equal(t, "two", b.read(again.ContinueToken).Pending.StepID)
}
