package rules

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A file that two roots hold, byte for byte, is read twice and defines once.
func TestTheSameFileInTwoRoots(t *testing.T) {
	const guard = `(include "words.lisp") (defskill g :gate ((deny x :when (odd? action.tool))))`
	const words = `(defcondition odd? (n) "It is odd." (= n "odd"))`
	one := folder(t, "guard.lisp", guard, "words.lisp", words)
	two := folder(t, "guard.lisp", guard, "words.lisp", words, "own.lisp",
		`(include "guard.lisp") (defexample "odd" :action (:tool "odd") :expect (deny g/x))`)
	b, err := Load(one, two)
	require.NoError(t, err)
	assert.Len(t, b.Files(), 5, "the record keeps both")
	assert.Len(t, b.Skills(""), 1)
	assert.Equal(t, []string{"deny g/x"}, judge(t, b, call(t, "odd", "()"), nil))
	alone, err := Load(one)
	require.NoError(t, err)
	assert.NotEqual(t, alone.Hash(), b.Hash())

	for what, other := range map[string]fstest.MapFS{
		"changed":       folder(t, "guard.lisp", guard+" ", "words.lisp", words),
		"changed below": folder(t, "guard.lisp", guard, "words.lisp", words+" "),
	} {
		_, err := Load(one, other)
		assert.ErrorContains(t, err, "is defined twice", what)
	}
	_, err = Load(one, folder(t, "g.lisp", guard, "words.lisp", words))
	require.NoError(t, err, "paths do not matter")
	_, err = Load(folder(t, "a.lisp", guard, "b.lisp", guard, "words.lisp", words))
	require.ErrorContains(t, err, "is defined twice", "but a folder that holds it twice has a mistake")
}

// Rules that only add to others are nothing without them.
func TestRootsOnTop(t *testing.T) {
	const guard = `(defskill g :gate ((deny x :when (= action.tool "odd"))))`
	top := Root{FS: folder(t, "guard.lisp", guard), OnTop: true}
	for _, row := range []struct {
		what  string
		other fstest.MapFS
		empty bool
	}{
		{"no other rules", nil, true},
		{"others that define nothing", folder(t, "a.lisp", "; nothing\n"), true},
		{"a tool", folder(t, "a.lisp", "(deftool a)"), false},
		{"defaults", folder(t, "a.lisp", "(defaults :unknown-tool :ask)"), false},
		{"an invariant", folder(t, "a.lisp", "(definvariant a :holds t)"), false},
		{"the same rules", folder(t, "guard.lisp", guard), false},
	} {
		roots := []Root{top}
		if row.other != nil {
			roots = append(roots, Root{FS: row.other})
		}
		b, err := Loader{}.Load(roots...)
		require.NoError(t, err)
		assert.Equal(t, row.empty, b.Empty(), row.what)
		assert.True(t, b.Files()[0].OnTop)
		roots[0].OnTop = false
		plain, err := Loader{}.Load(roots...)
		require.NoError(t, err)
		assert.NotEqual(t, plain.Hash(), b.Hash(), "it decides something else, so it has another name")
	}
}
