package state_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/plans/state"
)

func inLoop(completed ...state.Key) state.Position {
	return state.Position{Completed: completed, Loops: []state.Frame{{LoopID: "refine", Iteration: 1, BodyIndex: 0}},
		Pending: &state.Step{ID: "draft", Path: []state.Level{{LoopID: "refine", Iteration: 1}}}}
}

// The seed's snapshots of these two states have these digests and lengths.
func TestSnapshotsAreTheSeeds(t *testing.T) {
	for _, c := range []struct {
		s           state.State
		bytes       int
		first, last string
	}{
		{state.Init{}, 89, "sha256:5deaac6d", "5d48"},
		{state.Complete{}, 93, "sha256:e5839a07", "532a"},
	} {
		text, err := state.Encode(c.s)
		require.NoError(t, err)
		digest := canon.Digest(text).String()
		assert.Len(t, text, c.bytes)
		assert.True(t, strings.HasPrefix(digest, c.first) && strings.HasSuffix(digest, c.last), digest)
	}
}

func TestT66(t *testing.T) {
	good := state.Running{Position: inLoop("collect", "refine@0::draft")}
	require.NoError(t, state.Check(good))
	assert.Equal(t, state.Key("refine@1::draft"), good.Pending.Key())

	twice := inLoop()
	twice.Loops = append(twice.Loops, twice.Loops[0])
	elsewhere := inLoop()
	elsewhere.Pending = &state.Step{ID: "draft", Path: []state.Level{{LoopID: "refine", Iteration: 2}}}
	negative := inLoop()
	negative.Loops[0].BodyIndex = -1
	for name, c := range map[string]struct {
		p   state.Position
		why string
	}{
		"pending elsewhere": {elsewhere, "are not those of loopStack"},
		"loop twice":        {twice, "stands there twice"},
		"pending completed": {inLoop("refine@1::draft"), "is completed already"},
		"unsorted":          {inLoop("b", "a"), "expected byte order"},
		"completed twice":   {inLoop("a", "a"), "each once"},
		"no key":            {inLoop("a@b"), "expected letters"},
		"body index":        {negative, "below 0"},
	} {
		_, err := state.Encode(state.Running{Position: c.p})
		assert.ErrorContains(t, err, c.why, name)
	}
}

func TestKeys(t *testing.T) {
	for _, k := range []state.Key{"triage", "a.b", "outer@0/inner@2::triage", "l@1000::a-b_c.d"} {
		s, err := state.ParseKey(k)
		require.NoError(t, err)
		assert.Equal(t, k, s.Key())
	}
	for _, k := range []state.Key{"", "A", "a@0", "::a", "l::a", "l@::a", "l@01::a", "l@+1::a", "l@-1::a", "l@0::",
		"l@0/::a",
		"l@0::a::b", "a..b", "a/b", "l.m@0::a"} {
		_, err := state.ParseKey(k)
		assert.Error(t, err, k)
	}
}

func TestStatesReadBack(t *testing.T) {
	report, err := state.Report(
		[]state.Reason{{Code: state.MissingNotes, Pointer: state.Pointer{Kind: state.AtStep, StepID: "draft"},
			Message: "no notes <&> \u2028"}},
	)
	require.NoError(t, err)
	for _, s := range []state.State{state.Init{}, state.Complete{}, state.Running{Position: inLoop("collect")},
		state.Running{},
		state.Blocked{Position: inLoop(), Block: state.Block{Reason: state.MissingNotes, Retry: "attempt_b",
			Blockers: report}}} {
		text, err := state.Encode(s)
		require.NoError(t, err)
		back, err := state.Decode(text)
		require.NoError(t, err, "%s", text)
		again, err := state.Encode(back)
		require.NoError(t, err)
		assert.Equal(t, string(text), string(again))
	}
}

func TestDecodeIsStrict(t *testing.T) {
	wrap := func(s string) string {
		return `{"v":1,"kind":"execution_snapshot","enginePayload":{"v":1,"engineState":` + s + `}}`
	}
	running := `{"kind":"running","completed":{"kind":"set","values":[]},"loopStack":[],"pending":{"kind":"none"}}`
	_, err := state.Decode([]byte(wrap(running)))
	require.NoError(t, err)
	for name, text := range map[string]string{
		"unknown member":  wrap(`{"kind":"init","x":1}`),
		"other case":      wrap(`{"Kind":"init"}`),
		"twice":           wrap(`{"kind":"init","kind":"init"}`),
		"of another kind": wrap(strings.Replace(running, "running", "init", 1)),
		"none with step":  wrap(strings.Replace(running, `"none"`, `"none","step":{"stepId":"a","loopPath":[]}`, 1)),
		"some without":    wrap(strings.Replace(running, `"none"`, `"some"`, 1)),
		"no set":          wrap(strings.Replace(running, `"set"`, `"list"`, 1)),
		"null values":     wrap(strings.Replace(running, `[]}`, `null}`, 1)),
		"missing":         wrap(`{"kind":"running"}`),
		"no block":        wrap(strings.Replace(running, "running", "blocked", 1)),
		"version":         strings.Replace(wrap(running), `{"v":1`, `{"v":2`, 1),
		"trailing":        wrap(running) + "{}",
		"unknown kind":    wrap(`{"kind":"done"}`),
	} {
		_, err := state.Decode([]byte(text))
		assert.Error(t, err, name)
	}
}

func TestT54(t *testing.T) {
	at := func(key string) state.Reason {
		return state.Reason{
			Code:    state.MissingContext,
			Message: "m",
			Pointer: state.Pointer{Kind: state.AtContextKey, Key: key},
		}
	}
	report, err := state.Report([]state.Reason{at("a_b"), at("a-b"), at("ab")})
	require.NoError(t, err)
	assert.Equal(
		t,
		[]string{"a-b", "a_b", "ab"},
		[]string{report[0].Pointer.Key, report[1].Pointer.Key, report[2].Pointer.Key},
	)

	var many []state.Reason
	for i := range 11 {
		many = append(many, at(fmt.Sprint("k", i)))
	}
	_, err = state.Report(many)
	assert.ErrorContains(t, err, "11 blockers, expected 1 to 10")
	_, err = state.Report(many[:10])
	assert.NoError(t, err)
	_, err = state.Report(nil)
	assert.Error(t, err)

	long := at("k")
	long.Message = strings.Repeat("x", 513)
	_, err = state.Report([]state.Reason{long})
	assert.ErrorContains(t, err, "513 bytes")
	long.Message = strings.Repeat("é", 256)
	_, err = state.Report([]state.Reason{long})
	assert.NoError(t, err)
	long.Message += "é"
	_, err = state.Report([]state.Reason{long})
	assert.ErrorContains(t, err, "514 bytes")
}

func TestPositionsAreValues(t *testing.T) {
	first := state.Position{Completed: []state.Key{"a", "c"}}
	left, right := first.With("b"), first.With("d")
	assert.Equal(t, []state.Key{"a", "c"}, first.Completed)
	assert.Equal(t, []state.Key{"a", "b", "c"}, left.Completed)
	assert.Equal(t, []state.Key{"a", "c", "d"}, right.Completed)
	assert.Nil(t, inLoop().With("refine@1::draft").Pending)
}
