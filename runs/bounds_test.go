package runs

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/tools"
)

// padded is a context whose work has this many bytes, with the goal "g".
func padded(bytes int) map[string]any {
	return map[string]any{"pad": strings.Repeat("x", bytes-len(`{"goal":"g","pad":""}`))}
}

// arrays is a number in arrays, this deep.
func arrays(depth int) json.RawMessage {
	return json.RawMessage(strings.Repeat("[", depth) + "1" + strings.Repeat("]", depth))
}

func (b *bench) begin(context map[string]any) (*tools.Reply, *tools.Error) {
	out, err := b.Call(b.t.Context(), agent, &tools.StartWorkflow{WorkflowID: "acme.notes", Goal: "g", Context: context})
	if err != nil {
		return nil, tools.AsError(err)
	}
	return out.(*tools.Reply), nil
}

func (b *bench) hands(token string, out *tools.Output, context map[string]any) (*tools.Reply, *tools.Error) {
	got, err := b.Call(b.t.Context(), agent, &tools.ContinueWorkflow{ContinueToken: token, Intent: "advance", Output: out,
		Context: context})
	if err != nil {
		return nil, tools.AsError(err)
	}
	return got.(*tools.Reply), nil
}

// T47: work holds 262,144 bytes; one more is refused at the start, and blocks an advance.
func TestT47_WorkAtItsBound(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	first, fault := b.begin(padded(work.MaxBytes))
	require.Nil(t, fault)
	_, fault = b.begin(padded(work.MaxBytes + 1))
	require.NotNil(t, fault)
	assert.Equal(t, tools.ValidationError, fault.Code)
	for _, want := range []string{"measured 262145", "max 262144", "method: " + work.Method} {
		assert.Contains(t, fault.Message, want)
	}
	notes := &tools.Output{NotesMarkdown: "n"}
	rep, fault := b.hands(first.ContinueToken, notes, padded(work.MaxBytes+1))
	require.Nil(t, fault)
	assert.Equal(t, "blocked", rep.Kind)
	assert.Equal(t, "CONTEXT_BUDGET_EXCEEDED", rep.Blockers[0].Code)
	assert.Contains(t, rep.Blockers[0].Message, "measured 262145, max 262144")
	rep, fault = b.hands(rep.RetryToken, notes, padded(work.MaxBytes))
	require.Nil(t, fault)
	assert.Equal(t, "two", rep.Pending.StepID)
}

// Depth is bounded, and a bomb is refused before it is built.
func TestT47_DepthBombs(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	deep := func(depth int) map[string]any { return map[string]any{"deep": arrays(depth)} }
	_, fault := b.begin(deep(work.MaxDepth - 1)) // work itself is the first level
	require.Nil(t, fault)
	for _, depth := range []int{work.MaxDepth, 200, 9_000, 1_000_000} {
		var first *tools.Reply
		_, fault = b.begin(deep(depth))
		require.NotNil(t, fault, depth)
		assert.Equal(t, tools.ValidationError, fault.Code, depth)
		if depth == work.MaxDepth {
			assert.Contains(t, fault.Message, "too deep at $.deep[0]")
		}
		artifact := json.RawMessage(fmt.Sprintf(`{"kind":"x","v":%s}`, arrays(depth)))
		first, fault = b.begin(nil)
		require.Nil(t, fault)
		if _, fault = b.hands(first.ContinueToken, &tools.Output{NotesMarkdown: "n", Artifacts: []json.RawMessage{artifact}},
			nil); depth > work.MaxDepth {
			require.NotNil(t, fault, depth)
			assert.Equal(t, tools.ValidationError, fault.Code, depth)
		}
	}
	_, err := tools.Read(tools.Continue, []byte(`{"continueToken":"x","output":{"artifacts":[`+string(arrays(1_000_000))+`]}}`))
	require.Error(t, err)
}

func TestT67_NotesOf64KiB(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	rep := b.notes(b.start("acme.notes", "").ContinueToken, strings.Repeat("é", 32<<10))
	notes := b.log(rep).Tip().Outputs[0].Payload.Notes
	assert.LessOrEqual(t, len(notes), event.MaxNotes)
	assert.True(t, strings.HasSuffix(notes, "\n\n[TRUNCATED]") && utf8.ValidString(notes))
}

func TestArtifactsAtTheirBounds(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	token := b.start("acme.notes", "").ContinueToken
	sized := func(n int) json.RawMessage {
		return json.RawMessage(`{"kind":"x","v":"` + strings.Repeat("x", n-len(`{"kind":"x","v":""}`)) + `"}`)
	}
	many := func(n int) (out []json.RawMessage) {
		for i := range n {
			out = append(out, json.RawMessage(fmt.Sprintf(`{"kind":"x","v":%d}`, i)))
		}
		return out
	}
	for _, c := range []struct {
		artifacts []json.RawMessage
		want      string
	}{
		{[]json.RawMessage{sized(MaxArtifactBytes + 1)}, "measured 262145, max 262144"},
		{many(MaxArtifacts + 1), "measured 65, max 64"},
		{[]json.RawMessage{[]byte(`"text"`)}, "expected an object"},
		{[]json.RawMessage{[]byte(`{"kind":"x","kind":"y"}`)}, "output.artifacts[0]"},
	} {
		_, fault := b.hands(token, &tools.Output{NotesMarkdown: "n", Artifacts: c.artifacts}, nil)
		require.NotNil(t, fault, c.want)
		assert.Equal(t, tools.ValidationError, fault.Code)
		assert.Contains(t, fault.Message, c.want)
	}
	rep, fault := b.hands(token, &tools.Output{NotesMarkdown: "n", Artifacts: append(many(MaxArtifacts-1),
		sized(MaxArtifactBytes))}, nil)
	require.Nil(t, fault)
	assert.Len(t, b.log(rep).Tip().Outputs, 1+MaxArtifacts)
}

// T54: a report holds ten reasons. With eleven the call is refused, and the attempt stays open.
func TestT54_ElevenReasons(t *testing.T) {
	gives := func(n int) string {
		var keys []string
		for i := range n {
			keys = append(keys, fmt.Sprintf("%q", fmt.Sprint("key", string(rune('a'+i)))))
		}
		return `{"id":"one","title":"First","prompt":"Do.","gives":[` + strings.Join(keys, ",") + `]}`
	}
	for n, blocked := range map[int]bool{10: true, 11: false} {
		b := newBench(t, Options{}, flow("acme.notes", gives(n)))
		token := b.start("acme.notes", "").ContinueToken
		before := b.e.Journal().Head()
		rep, fault := b.hands(token, &tools.Output{NotesMarkdown: "n"}, nil)
		if blocked {
			require.Nil(t, fault)
			assert.Len(t, rep.Blockers, 10)
			continue
		}
		assert.Equal(t, tools.ValidationError, fault.Code)
		assert.Contains(t, fault.Message, "11 things")
		assert.Equal(t, before, b.e.Journal().Head())
	}
}

// looped is a workflow of n loops of 1000 passes each.
func looped(n int) string {
	var steps []string
	for i := range n {
		steps = append(steps, fmt.Sprintf(`{"id":"l%[1]d","type":"loop","title":"L","loop":{"type":"for","count":1000,
			"maxIterations":1000},"body":[{"id":"b%[1]d","title":"B","prompt":"Pass {{currentIteration}}.","notesOptional":true}]}`, i))
	}
	return flow("acme.notes", strings.Join(steps, ","))
}

// A run goes through loops of thousands of passes in all, and each is a node of its own.
// CORTEX_PASSES=10000 takes a minute, and ten times that under the race detector.
func TestThousandsOfPasses(t *testing.T) {
	crashtest.Long(t)
	passes := crashtest.Number("CORTEX_PASSES", 2_000)
	b := newBench(t, Options{}, looped(passes/1000))
	rep := b.start("acme.notes", "")
	for range passes {
		var fault *tools.Error
		rep, fault = b.hands(rep.ContinueToken, nil, nil)
		require.Nil(t, fault)
	}
	assert.True(t, rep.IsComplete)
	log := b.log(rep)
	assert.Len(t, log.Nodes(), passes+1)
	last, err := b.shelf.Snapshot(log.Tip().Parent)
	require.NoError(t, err)
	pos, _ := position(last)
	assert.LessOrEqual(t, len(pos.Completed), 2*(passes/1000)+1, "a state does not grow with the passes")
}

// BenchmarkBounds hands in what is at its bound or beyond it, each with a start that it needs. Each
// is to take less than 10 ms.
func BenchmarkBounds(b *testing.B) {
	steps := newBench(b, Options{}, flow("acme.notes", twoSteps))
	notes := &tools.Output{NotesMarkdown: strings.Repeat("é", 32<<10)}
	bomb := &tools.Output{NotesMarkdown: "n", Artifacts: []json.RawMessage{arrays(100_000)}}
	large := &tools.Output{NotesMarkdown: "n", Artifacts: []json.RawMessage{
		json.RawMessage(`{"kind":"x","v":"` + strings.Repeat("x", MaxArtifactBytes) + `"}`)}}
	for name, c := range map[string]struct {
		out     *tools.Output
		context map[string]any
	}{
		"notes of 64 KiB":          {notes, nil},
		"work of 256 KiB":          {notes, padded(work.MaxBytes)},
		"work beyond it":           {notes, padded(work.MaxBytes + 1)},
		"depth of 100,000":         {bomb, nil},
		"an artifact beyond bound": {large, nil},
	} {
		b.Run(name, func(b *testing.B) {
			steps.t = b
			for b.Loop() {
				first, fault := steps.begin(nil)
				require.Nil(b, fault)
				_, _ = steps.hands(first.ContinueToken, c.out, c.context) // some are refused
			}
		})
	}
	loops := newBench(b, Options{}, looped(10))
	rep := loops.start("acme.notes", "")
	for range 5_000 {
		rep, _ = loops.hands(rep.ContinueToken, nil, nil)
	}
	b.Run("a pass after 5,000", func(b *testing.B) {
		for b.Loop() {
			rep, _ = loops.hands(rep.ContinueToken, nil, nil)
		}
	})
}
