package runs

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans"
)

// scriptedOutput is what a script hands in for one attempt.
type scriptedOutput struct {
	Goal      string            `json:"goal"`
	Notes     *string           `json:"notes"`
	Artifacts []json.RawMessage `json:"artifacts"`
	Context   map[string]any    `json:"context"`
	Refused   []scriptedOutput  `json:"refused"` // attempts before, which must not pass
	Because   string            `json:"because"`
}

// script is all that a scripted agent hands in, beside plain notes.
type script struct {
	Start scriptedOutput             `json:"start"`
	Steps map[string]json.RawMessage `json:"steps"` // one, or a list by iteration
	Path  []string                   `json:"path"`
}

// of is what the script has for a step instance; plain notes if it has nothing.
func (s script) of(t *testing.T, step *plans.Step, iteration int) (out scriptedOutput) {
	t.Helper()
	text := s.Steps[step.ID]
	var each []scriptedOutput
	if json.Unmarshal(text, &each) == nil && iteration < len(each) {
		return each[iteration]
	}
	if text != nil && text[0] == '{' {
		require.NoError(t, json.Unmarshal(text, &out))
	}
	if step.Probe != "" {
		out.Artifacts = []json.RawMessage{
			[]byte(`{"kind":"cortex.probe","capability":"` + step.Probe + `","available":true}`),
		}
	}
	return out
}
