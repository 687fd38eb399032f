package rules

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A rule knows the form that it was made of: nobody has to look for it in its file.
func TestRulesAreNotLookedForInTheirFiles(t *testing.T) {
	book, err := Load(fstest.MapFS{"a.lisp": {Data: []byte(`
(deftool pay :params (:amount number) :tier :ask)
(defskill first :trigger (= action.tool "pay") :gate ((deny much :when (> action.args.amount 5)) (allow little)))
(definvariant tiny :holds t)
`)}})
	require.NoError(t, err)
	want := book.Rules()
	require.Len(t, want, 3)
	forms := []string{`(deny much :when (> action.args.amount 5))`, `(allow little)`, `(definvariant tiny :holds t)`}
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
	assert.Equal(t, "deny", want[0].Kind)
	assert.Equal(t, "definvariant", want[2].Kind)
}

// The first rulebooks spell deny as reject. They judge as they did, and say where.
func TestRejectIsReadAsDeny(t *testing.T) {
	const old = `(defskill s :gate ((reject a :when (= action.tool "x") :reason "r")
  (reject b :reason "r")))`
	b, err := Load(folder(t, "b.lisp", old, "a.lisp", `(defskill a :gate ((deny c :when nil)))`))
	require.NoError(t, err)
	assert.Equal(t, []string{"deny s/a", "deny s/b"}, judge(t, b, call(t, "x", "()"), nil))
	assert.Equal(t, []string{"deny s/b"}, judge(t, b, call(t, "y", "()"), nil))
	r, ok := b.Rule("s/b")
	require.True(t, ok)
	assert.Equal(t, "deny", r.Kind)
	require.Len(t, b.Warnings(), 2)
	assert.Equal(t, "b.lisp:1:21: reject is an old word for deny: write (deny a ...); the next version does not read it",
		b.Warnings()[0].Error())
	assert.Equal(t, "b.lisp:2:4", fmt.Sprintf("%s:%s", b.Warnings()[1].File, b.Warnings()[1].Pos))
}
