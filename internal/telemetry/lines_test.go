package telemetry_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/traces"
	"github.com/opencortex-go/cortex/internal/telemetry/spans"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
)

// span is what these tests read of a span in OTLP's JSON.
type span struct {
	TraceID, SpanID, ParentSpanID, Name string
	StartTimeUnixNano, EndTimeUnixNano  string
	Status                              struct{ Code int }
}

func written(t *testing.T, x *traces.Trace) map[string]span {
	t.Helper()
	var b bytes.Buffer
	l := spans.Lines{To: &b, Version: "1.2", Mask: secrets.NewMask()}
	require.NoError(t, l.Write(x))
	var line struct {
		ResourceSpans []struct{ ScopeSpans []struct{ Spans []span } }
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &line))
	out := map[string]span{}
	for _, s := range line.ResourceSpans[0].ScopeSpans[0].Spans {
		out[s.Name+" "+s.SpanID[:2]] = s
	}
	return out
}

// TestR24_SpansAreNestedByStep: two tries of a step stand below one span of the step, and that below the signal's;
// what comes after the answer joins by its ids.
func TestR24_SpansAreNestedByStep(t *testing.T) {
	call := func(id byte, try string, state act.State) *traces.Call {
		return &traces.Call{Decision: &cortex.Decision{Decision: reason.Decision{Kind: reason.Allow}, ID: uint64(id)},
			At: int64(id) * 100, Span: [8]byte{id}, Step: record.Step{Root: 5, ID: "build", Try: try},
			Runs: []*traces.Run{{Intent: record.Intent{Tool: "make"}, Seq: uint64(id) + 1, At: int64(id)*100 + 1,
				Ended: int64(id)*100 + 50, Span: [8]byte{id + 1}, Receipt: &record.Receipt{Receipt: act.Receipt{State: state}}}}}
	}
	x := &traces.Trace{Root: 5, ID: [16]byte{0xaa, 8: 0xbb}, Session: "s"}
	x.Calls = []*traces.Call{call(0x10, "1", act.Failed), call(0x20, "2", act.Done)}
	got := written(t, x)
	root, step := got["invoke_agent bb"], got["step build ef"]
	require.Len(t, got, 6, "%v", got)
	assert.Empty(t, root.ParentSpanID)
	assert.Equal(t, root.SpanID, step.ParentSpanID)
	assert.Equal(t, step.SpanID, got["decide 10"].ParentSpanID)
	assert.Equal(t, step.SpanID, got["decide 20"].ParentSpanID)
	assert.Equal(t, got["decide 10"].SpanID, got["execute_tool make 11"].ParentSpanID)
	assert.Equal(t, 2, got["execute_tool make 11"].Status.Code, "the first try failed")
	assert.Zero(t, got["execute_tool make 21"].Status.Code)
	assert.Equal(t, []string{"1600", "3250"}, []string{step.StartTimeUnixNano, step.EndTimeUnixNano})

	late := &traces.Trace{Root: 5, ID: x.ID, Late: true, Calls: []*traces.Call{{Decision: &cortex.Decision{ID: 9},
		Runs: x.Calls[1].Runs}}}
	got = written(t, late)
	require.Len(t, got, 1, "neither the signal nor the decision is told twice: %v", got)
	assert.Equal(t, root.SpanID, got["execute_tool make 21"].ParentSpanID)
	assert.Equal(t, root.TraceID, got["execute_tool make 21"].TraceID)
}
