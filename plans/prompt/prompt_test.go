package prompt_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/prompt"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/sexpr"
)

const tidy = `{"id":"routine-tidy","name":"Tidy","version":"1.0.0","steps":[
	{"id":"sort","title":"Sort","prompt":"Sort the {what}."},{"id":"wipe","title":"Wipe","prompt":"Wipe the {what}."}]}`

func compile(t *testing.T, name, text string) *plans.Plan {
	t.Helper()
	registry := plans.NewRegistry()
	require.NoError(t, registry.AddTemplate("tidy", []byte(tidy)))
	plan, err := plans.Compile(plans.Source{Name: name, Text: []byte(text)}, plans.Options{Registry: registry})
	require.NoError(t, err)
	return plan
}

func object(t *testing.T, text string) sexpr.Value {
	v, err := sexpr.FromJSON([]byte(text))
	require.NoError(t, err)
	return v
}

// output is what a scripted agent hands in: notes and the least artifacts that are valid.
func output(plan *plans.Plan, step *plans.Step, work sexpr.Value) advance.Output {
	out := advance.Output{Notes: "What was decided and produced.", Work: work}
	if step.Output != nil {
		c, _ := plan.Contract(step.Output.ContractRef)
		out.Artifacts = append(out.Artifacts, c.Example.Value())
	}
	for range step.Assessments {
		out.Artifacts = append(out.Artifacts, sexpr.Plist("kind", sexpr.Str(advance.AssessmentKind), "dimensions",
			sexpr.Plist("reach", sexpr.Str("low"))))
	}
	return out
}

// drive takes a plan to its end and returns the steps with their prompts.
func drive(t *testing.T, plan *plans.Plan, work sexpr.Value) (taken []string, prompts string) {
	controls := map[state.Key]advance.Control{}
	var at state.State = state.Init{}
	for range 500 {
		due, err := advance.Next(plan, at, advance.Input{Work: work, Controls: controls})
		require.NoError(t, err)
		require.Empty(t, due.Reasons)
		if due.Step == nil {
			return taken, prompts
		}
		kept, err := state.Encode(due.State) // every state goes through its snapshot
		require.NoError(t, err)
		at, err = state.Decode(kept)
		require.NoError(t, err)

		text, reasons := prompt.Render(plan, due)
		require.Empty(t, reasons)
		assert.NotContains(t, text.Prompt, "{{")
		prompts += text.Title + "\n" + text.Prompt + "\n"
		out := output(plan, due.Step, work)
		has := map[string]advance.Capability{"web_browsing": advance.Available}
		require.Empty(t, advance.Check(plan, due.Step, out, has), due.Step.ID)
		position := at.(state.Running).Position
		key := position.Pending.Key()
		if c, ok := advance.ControlOf(plan, due.Step, out.Artifacts); ok {
			controls[key] = c
		}
		taken = append(taken, string(key))
		at = state.Running{Position: position.With(key)}
	}
	require.Fail(t, "the plan does not end within 500 advances")
	return nil, ""
}

func TestWorkflowsAreDrivenToTheirEnd(t *testing.T) {
	for name, c := range map[string]struct {
		work, taken string
		shows       []string
	}{
		"release-notes": {`{"fromTag":"v1","breaking":true}`, "collect refine@0::draft refine@0::decide publish",
			[]string{"since v1.", "first.", "Open with a migration section.", "wr.loop_control", "NOTES REQUIRED"}},
		"service-check": {`{"services":[{"name":"web"},{"name":"db"}],"rounds":1,"force":true}`,
			"each@0::look each@1::look again@0::sweep again@1::sweep rounds@0::round",
			[]string{"Look at db, number 2.", "Pass 2 of at most 10.",
				"- `noteService`: Write one line about the service.\n- `probeService`:"}},
		"risk-review": {`{"size":"large"}`, "read judge close",
			[]string{`Notes must contain: "decided"`, "reach (high | low): Who is hit."}},
		"fan-out": {`{"area":"api","deep":false}`, "spread gather", []string{"Hand out these pieces of work"}},
		"settle":  {`{"done":true,"open":2,"area":"payments"}`, "mark", []string{"Mark payments as settled."}},
		"capable": {`{}`, "", []string{"Sort the desk.", "Wipe the desk."}},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "testdata", "drive", name+".json"))
			require.NoError(t, err)
			taken, prompts := drive(t, compile(t, name, string(text)), object(t, c.work))
			if c.taken != "" {
				assert.Equal(t, c.taken, strings.Join(taken, " "))
			} else {
				assert.Equal(t, []string{"look", "tidy.sort", "tidy.wipe"}, taken[len(taken)-3:])
				assert.Len(t, taken, 4, "a probe comes first")
			}
			for _, s := range c.shows {
				assert.Contains(t, prompts, s)
			}
		})
	}
}

func TestAnUnsetKeyBlocksIfItIsDeclared(t *testing.T) {
	step := `{"id":"x.y","name":"n","version":"1.0.0","steps":[{"id":"one","title":"O","prompt":"Use {{work.a}} and {{ b.c }}.","uses":["a"]}]}`
	plan := compile(t, "w", step)
	render := func(work string) (prompt.Text, []state.Reason) {
		due, err := advance.Next(plan, state.Init{}, advance.Input{Work: object(t, work)})
		require.NoError(t, err)
		return prompt.Render(plan, due)
	}
	_, reasons := render(`{}`)
	require.Len(t, reasons, 1)
	assert.Equal(t, state.MissingContext, reasons[0].Code)
	assert.Equal(t, "a", reasons[0].Pointer.Key)

	text, reasons := render(`{"a":"{{b.c}}"}`)
	assert.Empty(t, reasons)
	assert.Contains(t, text.Prompt, "Use {{b.c}} and [unset: b.c].", "what was put in is not looked at again")
}

// What the workflow says for every step, and a step for itself, stands below the prompt.
func TestGuidanceStandsBelowThePrompt(t *testing.T) {
	plan, err := plans.Compile(plans.Source{Name: "w", Text: []byte(`{"id":"a.b","name":"n","description":"d","version":"1.0.0",` +
		`"metaGuidance":["Be brief with {{who}}."],"steps":[{"id":"one","title":"One","prompt":"Do it.","guidance":["Mind the gap."],` +
		`"notesOptional":true}]}`)}, plans.Options{})
	require.NoError(t, err)
	due, err := advance.Next(plan, state.Init{}, advance.Input{Work: sexpr.Plist("who", sexpr.Str("Ana"))})
	require.NoError(t, err)
	text, reasons := prompt.Render(plan, due)
	assert.Empty(t, reasons)
	assert.Equal(t, "Do it.\n\n**GUIDANCE:**\n- Be brief with Ana.\n- Mind the gap.", text.Prompt)
}
