package rules

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A rule knows the form that it was made of: nobody has to look for it in its file.
func TestRulesAreNotLookedForInTheirFiles(t *testing.T) {
	book, err := Load(fstest.MapFS{"a.lisp": {Data: []byte(`
(deftool pay :params (:amount number) :tier :ask)
(defskill first :trigger (= action.tool "pay") :gate ((reject much :when (> action.args.amount 5)) (allow little)))
(definvariant tiny :holds t)
`)}})
	require.NoError(t, err)
	want := book.Rules()
	require.Len(t, want, 3)
	forms := []string{`(reject much :when (> action.args.amount 5))`, `(allow little)`, `(definvariant tiny :holds t)`}
	for _, s := range book.skills {
		s.src.forms = nil
	}
	for _, i := range book.holds {
		i.src.forms = nil
	}
	for i, r := range book.Rules() {
		assert.Equal(t, forms[i], r.Form.String())
		assert.Equal(t, want[i].Pos, r.Form.Pos())
		one, ok := book.Rule(r.ID)
		assert.True(t, ok)
		assert.Equal(t, r, one)
	}
	assert.Equal(t, "reject", want[0].Kind)
	assert.Equal(t, "definvariant", want[2].Kind)
}
