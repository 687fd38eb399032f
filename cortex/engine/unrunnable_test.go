package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/skills"
)

// What the engine is to carry out itself, and has nothing to carry out with, is denied at once: no person is asked
// about it. An embedder that only asks may have the tool.
func TestRow073_NoPersonIsAskedAboutAToolThatCannotBeRun(t *testing.T) {
	const declared = "\n(deftool launch :params (:what string) :tier :ask :effect :external)"
	for tool, args := range map[string]string{"launch": `(:what "it")`, "nope": `(:x "1")`} {
		t.Run(tool, func(t *testing.T) {
			p := &stepper{steps: []due{{"one", tool, args}}}
			b := newBench(t, testRules+declared, `(:form (:tool "note" :args (:text "milk"))) (:reply "done")`, driving(p))
			a, err := skills.NewAction(tool, read(args), "")
			require.NoError(t, err)
			denied := func(err error) {
				t.Helper()
				var no *NotAllowed
				require.ErrorAs(t, err, &no)
				assert.Equal(t, "tool/unknown", no.Decision.Key)
				assert.Empty(t, b.pending())
			}
			_, err = b.Do(t.Context(), a, &Facts{Session: skills.Session{ID: "s1", Principal: "ann"}})
			denied(err)

			b.starts("run_a")
			b.rested("run_a")
			assert.Equal(t, StepDenied, p.last("one").State)
			assert.Equal(t, "tool/unknown", p.last("one").Key)
			assert.Empty(t, b.pending())

			b.say("note milk")
			var intent uint64
			require.NoError(t, b.Journal().Records(1, func(r Record) error {
				if r.Kind == "intent" && intent == 0 {
					intent = r.Seq
				}
				return nil
			}))
			_, err = b.Compensations().Run(t.Context(), []ledger.Compensation{{Intent: intent, Action: a}}, nil)
			denied(err)

			d, err := b.Decide(t.Context(), a, &Facts{Session: skills.Session{ID: "s1", Principal: "ann"}})
			require.NoError(t, err)
			assert.NotEmpty(t, d.Approval, "others may run it, and ask")
			b.replaysTheSame()
			b.intact()
		})
	}
}
