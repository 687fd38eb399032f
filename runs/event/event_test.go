package event

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// one is a correct event data of each kind.
func one() []Data {
	h := DigestOf(nil)
	return []Data{&SessionCreated{},
		&ObservationRecorded{"git_branch", Observed{"short_string", "main"}, "high"},
		&RunStarted{"acme.notes", h, "project", "notes.lisp"},
		&NodeCreated{StepNode, nil, h, h, h},
		&EdgeCreated{AckedStep, Mint[NodeID](), Mint[NodeID](), Cause{IntentionalFork, Mint[ID]()}},
		&AdvanceRecorded{
			Attempt: Mint[AttemptID](),
			Intent:  "ack_pending",
			Outcome: Outcome{Kind: "advanced", To: Mint[NodeID]()},
		},
		&ValidationPerformed{
			Mint[ValidationID](),
			Mint[AttemptID](),
			"wr.contracts.x",
			Validation{Issues: []string{"a", "b"}},
		},
		&NodeOutputAppended{ID: RecapID(Mint[AttemptID]()), Channel: Recap, Attempt: Mint[AttemptID](), To: Mint[NodeID](),
			Payload: Payload{Kind: "notes", Notes: "done"}},
		&PreferencesChanged{Mint[ChangeID](), "user", []Change{{"autonomy", "guided"}}, DefaultPreferences()},
		&CapabilityObserved{
			Mint[CapObsID](),
			"delegation",
			Available,
			Provenance{Kind: "manual_claim", ClaimedBy: "user", Claim: Available},
		},
		&GapRecorded{
			ID:         Mint[GapID](),
			Severity:   Critical,
			Reason:     Reason{"unexpected", "invariant_violation"},
			Summary:    "s",
			Resolution: Resolution{Kind: "unresolved"},
		},
		&DivergenceRecorded{Mint[DivergenceID](), "safety_stop", "why", "s"},
		&DecisionTraceAppended{
			Mint[TraceID](),
			[]TraceEntry{{Kind: "entered_loop", Summary: "s", Refs: []Ref{{Kind: "loop_id", LoopID: "l"}}}},
		},
		&ContextSet{ID: Mint[ContextID](), Ref: h, Source: "initial"}}
}

func eventOf(d Data) *Event {
	s := Scope{}
	if d.scope() != ofSession {
		s.Run = Mint[RunID]()
	}
	if d.scope() == ofNode {
		s.Node = Mint[NodeID]()
	}
	return New(Mint[SessionID](), s, d)
}

func TestEveryKindReadsBack(t *testing.T) {
	seen := map[Kind]bool{}
	for _, d := range one() {
		seen[d.Kind()] = true
		e := eventOf(d)
		require.NoError(t, e.Check())
		text, err := json.Marshal(e)
		require.NoError(t, err)
		got, err := Decode(text)
		require.NoError(t, err, "%s", text)
		assert.Equal(t, e, got)
		_, err = Decode([]byte(strings.Replace(string(text), `"v":1`, `"v":2`, 1)))
		require.ErrorIs(t, err, ErrVersion)
		_, err = Decode([]byte(strings.Replace(string(text), `"data":{`, `"data":{"extra":1,`, 1)))
		require.Error(t, err)
		bad := *e
		bad.Dedupe += "x"
		require.ErrorContains(t, bad.Check(), "dedupe key")
		bad = *e
		bad.Scope = Scope{Node: Mint[NodeID]()}
		require.Error(t, bad.Check())
	}
	for _, k := range Kinds() {
		assert.True(t, seen[k], "%s has no example", k)
		assert.NotNil(t, blank(k))
		assert.Equal(t, k, blank(k).Kind())
	}
	assert.Len(t, seen, 14)
	assert.Nil(t, blank("session_renamed"))
}

func TestT21_dedupeKeys(t *testing.T) {
	for _, bad := range []string{"", "A", "a b", "a/b", "a.b", strings.Repeat("a", 257)} {
		assert.Error(t, CheckKey(bad), bad)
	}
	for _, good := range []string{"a->b", strings.Repeat("a", 256)} {
		assert.NoError(t, CheckKey(good))
	}
}

func TestIDs(t *testing.T) {
	tail := strings.Repeat("a", 26)
	assert.Equal(t, AttemptID("attempt_ehbereu6yf4czmuhr44bjtevda"), AttemptID("attempt_"+tail).Next())
	ref, err := Digest("sha256:9a895227c318a19990daa70c62df81543ef6e7e411a1067041dc8e47af1273ec").Ref()
	require.NoError(t, err)
	assert.Equal(t, "wf_tkevej6ddcqzteg2u4ggfx4bkq", ref)
	for _, bad := range []string{"", "run_", "node_" + tail, "run_" + tail + "a", "run_" + tail[:25] + "b",
		"run_" + strings.ToUpper(tail)} {
		_, err := Bytes(RunID(bad))
		assert.Error(t, err, bad)
	}
}

func TestT53_whatACapabilityRestsOn(t *testing.T) {
	d := &CapabilityObserved{Mint[CapObsID](), "delegation", Unavailable,
		Provenance{Kind: "attempted_use", Context: "workflow_step", Result: "failure"}}
	assert.ErrorContains(t, d.check(), "failureCode")
	d.Provenance.Failure = "tool_missing"
	assert.NoError(t, d.check())
	d.Status = Available
	assert.ErrorContains(t, d.check(), "does not follow")
	d.Provenance.Claim = Available
	assert.ErrorContains(t, d.check(), "another kind")
}

func TestT68_theOrderOfOutputs(t *testing.T) {
	of := func(channel, digest string) *NodeOutputAppended {
		return &NodeOutputAppended{Channel: channel, Payload: Payload{SHA256: Digest(digest)}}
	}
	list := []*NodeOutputAppended{of(Artifact, "b"), of(Recap, ""), of(Artifact, "a")}
	SortOutputs(list)
	assert.Equal(t, []*NodeOutputAppended{of(Recap, ""), of(Artifact, "a"), of(Artifact, "b")}, list)
}

func TestT73_aTraceKeepsItsBudget(t *testing.T) {
	entry := func(n int) TraceEntry { return TraceEntry{Kind: "selected_next_step", Summary: strings.Repeat("x", n)} }
	for _, c := range []struct{ entries, size, kept, total int }{{30, 10, 25, 250}, {1, 600, 1, 512},
		{18, 500, 17, 8192}} {
		var in []TraceEntry
		for range c.entries {
			in = append(in, entry(c.size))
		}
		got := NewTrace(Mint[TraceID](), in)
		require.NoError(t, got.check())
		total := 0
		for _, x := range got.Entries {
			total += len(x.Summary)
		}
		assert.Equal(t, c.total, total)
		assert.Len(t, got.Entries, c.kept)
	}
}

func TestListsOfAValidationKeepTheirBudget(t *testing.T) {
	got, err := SortedList([]string{"b", "a", "b"})
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, got)
	var many []string
	for i := range 20 {
		many = append(many, string(rune('a'+i))+strings.Repeat("x", 400))
	}
	got, err = SortedList(many)
	require.NoError(t, err)
	assert.Equal(t, Cut, got[len(got)-1])
	assert.Equal(t, many[:len(got)-1], got[:len(got)-1], "the first ones, whole")
	assert.LessOrEqual(t, len(strings.Join(got, "")), 4096)
	assert.Greater(t, len(strings.Join(got, "")), 4096-401-len(Cut))
	_, err = SortedList([]string{strings.Repeat("x", 4097)})
	assert.ErrorContains(t, err, "4097 bytes")

	of := func(issues, suggestions []string) error {
		return eventOf(&ValidationPerformed{Mint[ValidationID](), Mint[AttemptID](), "wr.contracts.x",
			Validation{Issues: issues, Suggestions: suggestions}}).Check()
	}
	assert.NoError(t, of([]string{strings.Repeat("x", 512)}, []string{strings.Repeat("x", 1024)}))
	assert.NoError(t, of(nil, got[:1]))
	assert.Error(t, of([]string{strings.Repeat("x", 513)}, nil))
	assert.Error(t, of(nil, []string{strings.Repeat("x", 1025)}))
	assert.Error(t, of([]string{"b", "a"}, nil))
	assert.Error(t, of([]string{"a", "a"}, nil))
}

func TestRefsOfATraceHaveOneOrder(t *testing.T) {
	two, ten := 2, 10
	refs := []Ref{{Kind: "step_id", StepID: "a"}, {Kind: "iteration", Value: &ten}, {Kind: "loop_id", LoopID: "l"},
		{Kind: "iteration", Value: &two}}
	d := NewTrace(Mint[TraceID](), []TraceEntry{{Kind: "entered_loop", Summary: "s", Refs: refs}})
	require.NoError(t, d.check())
	assert.Equal(t, []Ref{refs[3], refs[1], refs[2], refs[0]}, d.Entries[0].Refs)
	with := func(refs ...Ref) error {
		entries := []TraceEntry{{Kind: "entered_loop", Summary: "s", Refs: refs}}
		return (&DecisionTraceAppended{Mint[TraceID](), entries}).check()
	}
	minus := -1
	for _, bad := range [][]Ref{
		{refs[0], refs[2]}, {{Kind: "step_id", StepID: "a", LoopID: "l"}}, {{Kind: "step_id", LoopID: "l"}},
		{{Kind: "other", StepID: "a"}}, {{Kind: "step_id", StepID: "A/b"}}, {{Kind: "iteration", Value: &minus}},
		{{Kind: "iteration"}},
	} {
		assert.Error(t, with(bad...), "%v", bad)
	}
	assert.NoError(t, with(Ref{Kind: "step_id", StepID: "a.b"}))
	var eleven []Ref
	for i := range 11 {
		eleven = append(eleven, Ref{Kind: "iteration", Value: &i})
	}
	assert.NoError(t, with(eleven[:10]...))
	assert.Error(t, with(eleven...))
}
