package plans_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans"
)

// shipped are the files of the workflows that examples/workflows has, and of the thirty.
func shipped(t *testing.T) (files []string) {
	t.Helper()
	for _, pattern := range []string{"../examples/workflows/*.lisp", thirty + "/*.json"} {
		some, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range some {
			if !strings.HasSuffix(file, ".script.json") {
				files = append(files, file)
			}
		}
	}
	require.Len(t, files, 34)
	return files
}

// hosted is the registry of the host that runs them: what ships, and testdata/thirty/host.
func hosted(t *testing.T) *plans.Registry {
	t.Helper()
	r := plans.NewRegistry()
	read := func(name string) (string, []byte) {
		file := filepath.Join(thirty, "host", name)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return file, text
	}
	require.NoError(t, r.AddTemplate(read("routine-hypothesis-challenge.json")))
	return r
}

// Every workflow compiles, whichever way it is written, and the plan that was kept is the plan.
func TestThirtyAndShippedCompile(t *testing.T) {
	registry := hosted(t)
	for _, file := range shipped(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			plan, err := plans.Compile(plans.Source{Name: file, Text: text}, plans.Options{Registry: registry})
			require.NoError(t, err)
			again, err := plans.Load(plan.Canonical())
			require.NoError(t, err)
			assert.Equal(t, plan.Hash(), again.Hash())
		})
	}
}

// The path of a script names step instances that the plan has, and its outputs are for steps
// that the plan has or that a template took the place of.
func TestThirtyScriptsFitTheirPlans(t *testing.T) {
	registry := hosted(t)
	for name, script := range workflows(t, true) {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(thirty, name+".json")
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			plan, err := plans.Compile(plans.Source{Name: file, Text: text}, plans.Options{Registry: registry})
			require.NoError(t, err)
			path, _ := script["path"].([]any)
			for _, key := range path {
				instance, _ := key.(string)
				loops, id, looped := strings.Cut(instance, "::")
				if !looped {
					id = instance
				}
				step, ok := plan.Step(id)
				require.True(t, ok, "the path has %s", instance)
				assert.Empty(t, step.LoopID, "%s is a loop", instance)
				if loopID, _, _ := strings.Cut(loops, "@"); looped {
					loop, ok := plan.Loop(loopID)
					require.True(t, ok, "the path has %s", instance)
					inBody := func(s plans.Step) bool { return s.ID == id }
					assert.True(t, slices.ContainsFunc(loop.Body, inBody), "%s is not in the loop", instance)
				}
			}
		})
	}
}
