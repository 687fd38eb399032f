package runs

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/storetest"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/shelf"
	"github.com/opencortex-go/cortex/runs/tools"
	"github.com/opencortex-go/cortex/sexpr"
)

// bareBench is runs on a record without an engine, so that a test can reach below it.
func bareBench(t testing.TB, flows ...string) (*bench, *journal.Journal, journal.Store) {
	t.Helper()
	st, err := store.Open("state", store.Options{Disk: storetest.NewSteadyDisk(), Segment: 64 << 10})
	require.NoError(t, err)
	j, err := journal.Open(st, journal.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = j.Close() })
	require.NoError(t, j.Update(t.Context(), logs.MakeTicketKeys))
	b := &bench{t: t, library: stock{}}
	for _, text := range flows {
		b.library.put(t, text)
	}
	turn := func(context.Context, string) (func(), error) { return func() {}, nil }
	b.opt = Options{Library: b.library, Logs: logs.New(j, func() error { return nil }, j.Update, turn)}
	b.open()
	return b, j, st
}

// T41: what is on record of an attempt is not worked out again. Where its node or its reply is
// missing the answer is an error, and nothing is written.
func TestT41_AnAdvanceWithoutItsNode(t *testing.T) {
	b, j, _ := bareBench(t, flow("acme.notes", twoSteps))
	first := b.start("acme.notes", "")
	s, err := b.seat(t.Context(), first.ContinueToken)
	require.NoError(t, err)
	log := b.log(first)
	b.append(log, event.New(log.Session, event.Scope{Run: log.Run, Node: log.Root.ID}, &event.AdvanceRecorded{
		Attempt: s.attempt, Intent: "ack_pending", Outcome: event.Outcome{Kind: "advanced", To: event.Mint[event.NodeID]()}}))
	before := j.Last()
	for range 2 {
		_, fault := b.call(agent, tools.Continue, `{"continueToken":"`+first.ContinueToken+`","notes":"n"}`)
		require.NotNil(t, fault)
		assert.Equal(t, tools.InvariantViolation, fault.Code)
		assert.Equal(t, "not_retryable", fault.Retry.Kind)
	}
	assert.Equal(t, before, j.Last())
	// Another attempt at the same place has an outcome of its own.
	assert.Equal(t, "two", b.notes(b.read(first.ContinueToken).ContinueToken, "n").Pending.StepID)
}

func TestT41_ContentThatIsMissing(t *testing.T) {
	for _, what := range []string{"snapshot", "reply", "plan", "context"} {
		for _, how := range []string{"its entry", "its record"} {
			t.Run(what+", "+how, func(t *testing.T) {
				b, j, st := bareBench(t, flow("acme.notes", twoSteps))
				first := b.start("acme.notes", "")
				rep := b.notes(first.ContinueToken, "did one")
				log := b.log(rep)
				s, err := b.seat(t.Context(), first.ContinueToken)
				require.NoError(t, err)
				digest := map[string]event.Digest{"snapshot": log.Tip().Snapshot, "reply": log.Advance(s.attempt).Reply,
					"plan": log.Started.Hash, "context": log.Context.Ref}[what]
				d, err := sexpr.ParseDigest(string(digest))
				require.NoError(t, err)
				key := record.TableKept.Key(d)
				at, err := st.Get(key)
				require.NoError(t, err)
				if how == "its record" {
					lo, _ := journal.KeysTo(record.AsNumber(at))
					key = append(lo[:1:1], at...)
				}
				require.NoError(t, st.Commit([]journal.Write{{Key: key}}))
				b.Runs.shelf = shelf.New(b.logs, 64)
				before := j.Last()
				token := rep.ContinueToken
				if what == "reply" {
					token = first.ContinueToken
				}
				_, fault := b.call(agent, tools.Continue, `{"continueToken":"`+token+`","notes":"n"}`)
				require.NotNil(t, fault)
				assert.Equal(t, tools.SessionNotHealthy, fault.Code, fault.Message)
				require.ErrorIs(t, fault, shelf.ErrUnhealthy)
				assert.Equal(t, before, j.Last())
			})
		}
	}
}

// Any byte of an earlier record of a run that is changed keeps the run from going on, and what is
// before it can still be looked at.
func TestT24_AChangedByteStopsTheRun(t *testing.T) {
	b, j, st := bareBench(t, flow("acme.notes", twoSteps))
	first := b.start("acme.notes", "")
	rep := b.notes(first.ContinueToken, "did one")
	session := b.log(rep).Session
	read, err := b.logs.Read(t.Context(), string(session))
	require.NoError(t, err)
	require.Len(t, read.Appends, 2)
	lo, _ := journal.KeysTo(read.Appends[1].Record)
	key := append(lo[:1:1], record.Number(read.Appends[1].Record)...)
	whole, err := st.Get(key)
	require.NoError(t, err)
	whole = append([]byte(nil), whole...)
	before := j.Last()
	places := 200
	if testing.Short() {
		places = 40
	}
	for at := 0; at < len(whole); at += 1 + len(whole)/places {
		bad := append([]byte(nil), whole...)
		bad[at] ^= 1
		require.NoError(t, st.Commit([]journal.Write{{Key: key, Value: bad}}))
		b.shelf.Drop(session)
		_, fault := b.call(agent, tools.Continue, `{"continueToken":"`+rep.ContinueToken+`","notes":"n"}`)
		require.NotNil(t, fault, "byte %d", at)
		require.Equal(t, tools.SessionNotHealthy, fault.Code, "byte %d: %v", at, fault.Unwrap())
		_, fault = b.call(agent, tools.Checkpoint, `{"checkpointToken":"`+rep.ContinueToken+`"}`)
		require.NotNil(t, fault)
		require.Equal(t, tools.SessionNotHealthy, fault.Code)
		got, err := b.logs.Read(t.Context(), string(session))
		require.NoError(t, err)
		require.Equal(t, logs.CorruptTail, got.Health.Condition)
		require.Len(t, got.Events, int(read.Appends[0].Last)+1, "what is before it")
	}
	require.NoError(t, st.Commit([]journal.Write{{Key: key, Value: whole}}))
	require.Equal(t, before, j.Last())
	b.shelf.Drop(session)
	assert.True(t, b.notes(rep.ContinueToken, "did two").IsComplete)
}
