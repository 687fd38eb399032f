package daemon

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Unless told otherwise the guard stands beside the rules of a configuration, and decides
// nothing where there are none.
func TestTheGuardIsOnByDefault(t *testing.T) {
	yes, no := true, false
	tool := write(t, t.TempDir(), "r.lisp", "(deftool look :tier :allow)")
	for _, row := range []struct {
		what        string
		c           Config
		on          bool
		state       string
		rules, none bool
	}{
		{"by default", Config{}, true, "on (", false, true},
		{"with rules", Config{}, true, "on (", true, false},
		{"said", Config{Guard: &yes}, true, "on (", true, false},
		{"set off", Config{Guard: &no}, false, "off: guard = false", true, false},
		{"flag", Config{Guard: &yes, NoGuard: true}, false, "off: --no-guard", true, false},
		{"nothing at all", Config{NoGuard: true}, false, "off: --no-guard", false, true},
	} {
		c := row.c
		c.TrustRules = true
		if row.rules {
			c.Rules = []string{tool}
		}
		roots, err := c.roots()
		require.NoError(t, err)
		book, err := reason.Loader(rules.Loader{Functions: Functions()}).Load(roots...)
		require.NoError(t, err)
		_, on := book.Rule("guard-alien/written")
		assert.Equal(t, row.on, on, row.what)
		assert.Equal(t, row.none, book.Empty(), row.what)
		assert.Contains(t, c.GuardState(), row.state, row.what)
		assert.Equal(t, row.on, *c.inForce().Guard, row.what)
	}
}

// Every rule file of the guard is in the program, and none of its examples' tools.
func TestTheGuardIsInTheProgram(t *testing.T) {
	book, err := reason.Loader(rules.Loader{Functions: Functions()}).Load((&Config{}).guardRoots()...)
	require.NoError(t, err)
	var names []string
	for _, f := range book.Files() {
		assert.True(t, f.OnTop, f.Path)
		names = append(names, f.Path)
	}
	assert.Equal(t, guardFiles(), names)
	assert.True(t, slices.Contains(names, "guard/terms.lisp"))
	assert.Len(t, book.Tools(), 2, "reply and ask_person alone")
}
