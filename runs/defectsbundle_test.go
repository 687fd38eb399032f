package runs

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/runs/bundle"
	"github.com/opencortex-go/cortex/runs/tools"
)

// exported is the text of a run's bundle.
func (b *bench) exported(rep *tools.Reply) []byte {
	x, err := bundle.Export(b.t.Context(), b.logs, b.log(rep).Session, bundle.Producer{App: "test"}, time.Time{})
	require.NoError(b.t, err)
	text, err := x.Text()
	require.NoError(b.t, err)
	return text
}

// The reference's import left the writing of the events to its caller, and had none. What a second import
// of the same run is called was not said.
func TestX06_AnImportedRunGoesOn(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	rep := b.notes(b.start("acme.notes", "").ContinueToken, "did one")
	text := b.exported(rep)
	in, err := bundle.Import(t.Context(), b.logs, "agent", text)
	require.NoError(t, err)
	assert.NotEqual(t, in.Origin, in.Session)
	copied, err := b.At(t.Context(), agent, in.Session)
	require.NoError(t, err)
	done, err := copied.Continue(t.Context(), &tools.Output{NotesMarkdown: "did two in the copy"}, nil)
	require.NoError(t, err)
	assert.True(t, done.IsComplete)
	assert.Equal(t, "two", b.read(rep.ContinueToken).Pending.StepID, "the first goes its own way")
	assert.True(t, b.notes(rep.ContinueToken, "did two").IsComplete)
}

// The reference checked the entries that a bundle listed, and no more: what was not listed could be
// changed, and keys were not hashed again.
func TestX08_AllOfABundleIsChecked(t *testing.T) {
	b := newBench(t, Options{}, flow("acme.notes", twoSteps))
	rep := b.notes(b.start("acme.notes", "").ContinueToken, "did one")
	text := b.exported(rep)
	before := b.e.Journal().Head()
	for name, change := range map[string]func(all map[string]any){
		"one entry alone": func(all map[string]any) {
			in := all["integrity"].(map[string]any)
			in["entries"] = in["entries"].([]any)[:1]
		},
		"none": func(all map[string]any) { all["integrity"].(map[string]any)["entries"] = []any{} },
		"a snapshot under another key": func(all map[string]any) {
			snapshots := all["session"].(map[string]any)["snapshots"].(map[string]any)
			var keys []string
			for key := range snapshots {
				keys = append(keys, key)
			}
			require.Len(t, keys, 2)
			snapshots[keys[0]], snapshots[keys[1]] = snapshots[keys[1]], snapshots[keys[0]]
		},
	} {
		all := map[string]any{}
		require.NoError(t, json.Unmarshal(text, &all))
		change(all)
		bad, err := json.Marshal(all)
		require.NoError(t, err)
		_, err = bundle.Import(t.Context(), b.logs, "agent", bad)
		require.Error(t, err, name)
		assert.Equal(t, bundle.IntegrityFailed, tools.AsError(err).Code, name)
	}
	assert.Equal(t, before, b.e.Journal().Head(), "nothing was written")
}
