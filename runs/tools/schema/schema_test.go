package schema

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/runs/tools"
)

// A call that the reader takes fits the schema, and one with a member too many does not.
func TestSchemasFitTheReader(t *testing.T) {
	for _, c := range []struct {
		tool   tools.Name
		params string
		fits   bool
	}{
		{tools.List, `{"tags":["a"],"includeSources":true}`, true},
		{tools.List, `{"tags":null}`, false},
		{tools.Inspect, `{"workflowId":"a.b","mode":"metadata"}`, true},
		{tools.Start, `{"workflowId":"a.b","goal":"g","context":{"a":null},"preferences":{"autonomy":"guided"}}`, true},
		{tools.Start, `{"goal":"g"}`, false},
		{tools.Start, `{"workflowID":"a.b","goal":"g"}`, false},
		{tools.Continue, `{"continueToken":"t","output":{"notesMarkdown":"n","artifacts":[{"kind":"x"}]}}`, true},
		{tools.Continue, `{"continueToken":"t","output":{"notes":"n"}}`, false},
		{tools.Checkpoint, `{"checkpointToken":"t"}`, true},
		{tools.Resume, `{"query":"words"}`, true},
	} {
		call, err := tools.Read(c.tool, []byte(c.params))
		if c.fits {
			require.NoError(t, err, c.params)
		} else {
			for _, d := range tools.All() {
				if d.Name == c.tool {
					call = d.Input
				}
			}
		}
		s, err := Of(call)
		require.NoError(t, err)
		resolved, err := s.Resolve(nil)
		require.NoError(t, err)
		var v any
		require.NoError(t, json.Unmarshal([]byte(c.params), &v))
		assert.Equal(t, c.fits, resolved.Validate(v) == nil, c.params)
	}
}
