package skills_test

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	shipped "github.com/opencortex-go/cortex/examples/skills"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason/author"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
	"github.com/opencortex-go/cortex/skills/rules"
)

func shippedRoots() map[string]rules.Root {
	return map[string]rules.Root{
		"files": {FS: shipped.Files()}, "policy": {FS: shipped.Policy()}, "coding": {FS: shipped.Coding()},
		"guard": {FS: shipped.Guard(), Files: guardExamples()},
	}
}

// guardExamples are the files of the guard's examples: the rules stand without tools, and
// their examples need some.
func guardExamples() []string {
	names, err := fs.Glob(shipped.Guard(), "examples/*.lisp")
	if err != nil {
		panic(err) // the pattern is a literal, and valid
	}
	return names
}

// Every clause decides some example, and every condition comes out both ways in some.
func TestExamplesCoverTheShippedRules(t *testing.T) {
	for name, root := range shippedRoots() {
		r := author.Run(t.Context(), load(t, root))
		assert.Zero(t, r.Failed, name)
		assert.NotZero(t, r.Coverage.Clauses, name)
		for _, m := range r.Coverage.Missing {
			t.Errorf("%s: no example shows %s (applies: %t)", name, m.Rule.ID, m.Applies)
		}
	}
}

// The examples catch most faults that are planted in the rules. Each rulebook has a sample, the
// same each time; `cortex rules mutate` plants them all.
func TestExamplesCatchPlantedFaults(t *testing.T) {
	crashtest.Long(t)
	for name, root := range shippedRoots() {
		m, err := author.Mutate(t.Context(), rules.Loader{Functions: secrets.Functions()},
			author.Faults{Most: 120, Seed: 1, Search: 1000}, root)
		require.NoError(t, err)
		t.Logf("%s: %d of %d faults caught, %d make no difference: %d %%", name, m.Caught, m.Planted,
			len(m.Equivalent), m.Score())
		assert.GreaterOrEqual(t, m.Score(), 90, name)
	}
}
