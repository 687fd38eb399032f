package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/shelf"
	"github.com/opencortex-go/cortex/runs/ticket"
	"github.com/opencortex-go/cortex/runs/tools"
)

// session is the part of a bundle that does not depend on when and by whom it was exported.
func session(t testing.TB, text []byte) string {
	t.Helper()
	var b struct{ Session json.RawMessage }
	require.NoError(t, json.Unmarshal(text, &b))
	out, err := canon.JSON(b.Session)
	require.NoError(t, err)
	return string(out)
}

// foldOf folds the events of a bundle.
func foldOf(t testing.TB, text []byte) *fold.State {
	t.Helper()
	b, err := Read(text)
	require.NoError(t, err)
	s := &fold.State{}
	for _, e := range b.events {
		if d, ok := e.Data.(*event.ContextSet); ok { // as the record has it
			text, err := canon.JSON(d.Text)
			require.NoError(t, err)
			d.Ref, d.Text = event.DigestOf(text), nil
		}
		require.NoError(t, s.Apply(e))
	}
	return s
}

func TestT78_ThereAndBackAgain(t *testing.T) {
	here, there := newWorld(t), newWorld(t)
	id := here.lively("r1")
	text := here.export(id)
	in := there.take(text)
	require.Equal(t, Imported{id, id}, in)
	assert.Equal(t, foldOf(t, text), there.folded(id))
	assert.Equal(t, session(t, text), session(t, there.export(id)))
	head, err := there.l.Head(string(id))
	require.NoError(t, err)
	assert.Equal(t, string(id), head.Origin)
	assert.Equal(t, "bob", head.Owner, "it is the run of the one who imported it")

	copied := there.take(text)
	assert.Equal(t, id, copied.Origin)
	assert.NotEqual(t, id, copied.Session)
	head, err = there.l.Head(string(copied.Session))
	require.NoError(t, err)
	assert.Equal(t, string(id), head.Origin)

	ours, err := there.At(t.Context(), bob, id)
	require.NoError(t, err)
	theirs, err := there.At(t.Context(), bob, copied.Session)
	require.NoError(t, err)
	require.NotEqual(t, ours.Reply().ContinueToken, theirs.Reply().ContinueToken)
	_, err = ours.Continue(t.Context(), &tools.Output{NotesMarkdown: "did three"}, nil)
	require.NoError(t, err)
	assert.True(t, ours.Reply().IsComplete)
	_, err = theirs.Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "three", theirs.Reply().Pending.StepID, "the copy stands where it stood")
	_, err = theirs.Continue(t.Context(), &tools.Output{NotesMarkdown: "did three, otherwise"}, nil)
	require.NoError(t, err)
	assert.True(t, theirs.Reply().IsComplete)
	for _, of := range []event.SessionID{id, copied.Session} {
		head, err := there.l.Head(string(of))
		require.NoError(t, err)
		assert.True(t, head.Over)
	}
	require.NoError(t, there.j.Verify(t.Context()))
}

// A copy under another name differs in that name alone: in the events, the second part of each
// dedupe key and the manifest.
func TestX6_ACopyDiffersInItsName(t *testing.T) {
	here := newWorld(t)
	id := here.lively("r1")
	text := here.export(id)
	copied := here.take(text)
	require.NotEqual(t, id, copied.Session)
	got := here.export(copied.Session)
	want, err := Read(text)
	require.NoError(t, err)
	back, err := Read(got)
	require.NoError(t, err)
	for i, raw := range back.Session.Events {
		assert.Equal(t, string(want.Session.Events[i]), strings.ReplaceAll(string(raw), string(copied.Session), string(id)))
		assert.Equal(t, string(copied.Session), strings.Split(back.events[i].Dedupe, ":")[1])
		assert.Equal(t, want.events[i].ID, back.events[i].ID)
	}
	assert.Equal(t, want.Session.Snapshots, back.Session.Snapshots)
	assert.Equal(t, want.Session.Artifacts, back.Session.Artifacts)
	assert.Equal(t, want.Session.Replies, back.Session.Replies)
	require.Len(t, back.Session.Manifest, len(want.Session.Manifest))
	for i, e := range back.Session.Manifest {
		assert.Equal(t, copied.Session, e.Session)
		assert.Equal(t, want.Session.Manifest[i].Pin, e.Pin)
	}
}

// What a bundle brings of a person's or the host's own words counts as little as an agent's.
func TestI6_NoSourceComesWithABundle(t *testing.T) {
	here, there := newWorld(t), newWorld(t)
	id := here.lively("r1")
	require.NotEmpty(t, here.folded(id).Context.Sources)
	text := here.export(id)
	there.take(text)
	assert.Empty(t, there.folded(id).Context.Sources)

	there = newWorld(t)
	before := there.dump()
	forged := strings.Replace(string(text), `"context":{`, `"sources":{"goal":"host"},"context":{`, 1)
	_, err := Import(t.Context(), there.l, "bob", []byte(forged))
	require.Equal(t, InvalidFormat, code(t, err))
	assert.Equal(t, before, there.dump())
}

// A repeat of a call that the origin answered is answered by the copy with the same bytes, but for
// the ticket.
func TestT78_ARepeatIsAnsweredByTheCopy(t *testing.T) {
	here, there := newWorld(t), newWorld(t)
	start := &tools.StartWorkflow{WorkflowID: "acme.notes", Goal: "get it done", RequestID: "r2",
		Context: map[string]any{"place": "here"}}
	first := here.call(ann, start)
	want := here.hand(first.ContinueToken, "did one", nil)
	id := event.Derive[event.SessionID]("request", ann.Principal, "r2")
	in, err := Import(t.Context(), there.l, ann.Principal, here.export(id))
	require.NoError(t, err)
	require.Equal(t, in.Origin, in.Session)
	again := there.call(ann, start)
	require.NotEqual(t, first.ContinueToken, again.ContinueToken)
	_, err = there.Call(t.Context(), ann, &tools.ContinueWorkflow{ContinueToken: first.ContinueToken, Intent: "rehydrate"})
	require.Error(t, err, "a ticket of another record")
	last := there.j.Last()
	got := there.hand(again.ContinueToken, "did one", nil)
	assert.Equal(t, last, there.j.Last(), "nothing was written")
	assert.NotEqual(t, want.ContinueToken, got.ContinueToken)
	text := func(rep *tools.Reply) string {
		out, err := json.Marshal(rep)
		require.NoError(t, err)
		return strings.ReplaceAll(string(out), rep.ContinueToken, "TICKET")
	}
	assert.Equal(t, text(want), text(got))
}

func TestT80_NoTicketAndNoAbsolutePath(t *testing.T) {
	here, there := newWorld(t), newWorld(t)
	id := here.lively("r1")
	keys, err := here.l.TicketKeys()
	require.NoError(t, err)
	long := ticket.Long{Version: 1, Kind: ticket.AckToken, Session: id, Run: event.Mint[event.RunID](),
		Node: event.Mint[event.NodeID](), Attempt: event.Mint[event.AttemptID]()}
	seed, err := long.Mint(keys.Current)
	require.NoError(t, err)
	run, err := here.At(t.Context(), ann, id)
	require.NoError(t, err)
	short := run.Reply().ContinueToken
	_, err = run.Continue(t.Context(), &tools.Output{NotesMarkdown: "tickets: " + seed + "\n" + short},
		map[string]any{"place": seed + short})
	require.NoError(t, err)
	got, err := here.l.Read(t.Context(), string(id))
	require.NoError(t, err)
	on, err := json.Marshal(got.Events)
	require.NoError(t, err)
	require.Contains(t, string(on), short, "the record does have what a bundle has not")
	require.Contains(t, string(on), "/home/ana/shop")
	require.Contains(t, string(on), "/home/ana/flows/notes.json")

	text := here.export(id)
	for _, no := range []string{"ct1-", "ack.v1.", "st.v1.", "chk.v1.", "/home", "ana/", `"ann"`} {
		assert.False(t, bytes.Contains(text, []byte(no)), no)
	}
	assert.True(t, bytes.Contains(text, []byte("[ticket ")))
	assert.True(t, bytes.Contains(text, []byte(`"workflowSourceRef":"notes.json"`)))
	there.take(text)
	assert.Equal(t, foldOf(t, text), there.folded(id))
	assert.Equal(t, session(t, text), session(t, there.export(id)))
}

func TestPathsFromTheRoot(t *testing.T) {
	for path, want := range map[string]string{"/home/ana/w.lisp": "w.lisp",
		`C:\flows\w.lisp`: "w.lisp", "c:w.lisp": "w.lisp",
		`\\host\share\w.lisp`: "w.lisp", "file:///a/w.lisp": "w.lisp", "~/w.lisp": "w.lisp", "~": "", "/": "",
		"flows/w.lisp": "flows/w.lisp", "w.lisp": "w.lisp", "": "", "shop/a:b": "shop/a:b"} {
		got := withoutRoot(path)
		assert.Equal(t, want, got, path)
		assert.Equal(t, got, withoutRoot(got), path)
	}
	o := event.Observed{Type: "path", Value: "/home/ana"}
	assert.Equal(t, "sha256", hidden(o).Type)
	assert.Equal(t, hidden(o), hidden(hidden(o)))
	relative := event.Observed{Type: "path", Value: "src"}
	assert.Equal(t, relative, hidden(relative))
}

// The bundle is the same for the same log, whenever it is exported, but for the time.
func TestI5_ABundleIsTheSameForTheSameLog(t *testing.T) {
	w := newWorld(t)
	id := w.lively("r1")
	assert.Equal(t, w.export(id), w.export(id))
	before := w.dump()
	w.export(id)
	assert.Equal(t, before, w.dump(), "an export writes nothing")
}

func TestAnExportNeedsARun(t *testing.T) {
	w := newWorld(t)
	_, err := Export(t.Context(), w.l, event.Mint[event.SessionID](), Producer{App: "test"}, w.at())
	require.ErrorIs(t, err, logs.ErrNoLog)
	_, err = w.l.Append(t.Context(), logs.Write{Log: "other", Family: "test"}, func(tx *logs.Tx) error {
		_, err := tx.Event(logs.Event{ID: "e", Kind: "k", Dedupe: "d", Data: "{}"})
		return err
	})
	require.NoError(t, err)
	_, err = Export(t.Context(), w.l, "other", Producer{App: "test"}, w.at())
	require.ErrorIs(t, err, logs.ErrNoLog)
}

// code is the code of an error, which no trying again helps against.
func code(t testing.TB, err error) tools.Code {
	t.Helper()
	require.Error(t, err)
	var e *tools.Error
	require.True(t, errors.As(err, &e), "%v", err)
	require.Equal(t, "not_retryable", e.Retry.Kind)
	return e.Code
}

func TestAnImportCanBeTriedByManyAtOnce(t *testing.T) {
	here, there := newWorld(t), newWorld(t)
	text := here.export(here.lively("r1"))
	got := make(chan Imported)
	for range 8 {
		go func() {
			in, err := Import(context.Background(), there.l, "bob", bytes.Clone(text))
			assert.NoError(t, err)
			got <- in
		}()
	}
	names, same := map[event.SessionID]bool{}, 0
	for range 8 {
		in := <-got
		names[in.Session] = true
		if in.Session == in.Origin {
			same++
		}
	}
	assert.Len(t, names, 8)
	assert.Equal(t, 1, same, "one has the name")
	for name := range names {
		_, err := shelf.Load(t.Context(), there.l, name)
		require.NoError(t, err)
	}
}
