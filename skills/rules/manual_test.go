package rules_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/skills/rules"
	"github.com/opencortex-go/cortex/skills/rules/vocabulary"
)

// The manual names every operator.
func TestTheManualNamesEveryOperator(t *testing.T) {
	text, err := os.ReadFile("../../docs/language.md")
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(text), "\n| operator | meaning | for instance |\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n\n")
	names := map[string]bool{}
	for _, row := range strings.Split(table, "\n") {
		_, row, _ = strings.Cut(row, "`")
		cell, _, _ := strings.Cut(row, "` |")
		for _, name := range strings.Fields(cell) {
			names[name] = true
		}
	}
	book, err := rules.Load(fstest.MapFS{})
	require.NoError(t, err)
	for _, op := range book.Calculator().Operators() {
		assert.True(t, names[op], op)
	}
}

// The tables of words name what there is, no more and no less.
func TestTheVocabularyIsWhole(t *testing.T) {
	book, err := rules.Load(fstest.MapFS{})
	require.NoError(t, err)
	calc := book.Calculator()
	var found, want []string
	for _, name := range calc.Names() {
		_, isFunction := calc.Function(name)
		_, _, isOperator := calc.Operator(name)
		if !isFunction && !isOperator {
			found = append(found, name)
		}
	}
	for _, w := range vocabulary.Names() {
		if w.Name != "it" { // stands for something inside a loop alone
			want = append(want, w.Name)
		}
	}
	assert.ElementsMatch(t, want, found)
	for _, w := range vocabulary.Kinds() {
		_, err := load(t, "(deftool x :params (:a "+w.Name+"))")
		if err != nil {
			assert.NotContains(t, err.Error(), "unknown kind", w.Name)
		}
	}
	_, err = load(t, "(deftool x :params (:a nothing))")
	require.ErrorContains(t, err, "unknown kind")
	for _, name := range vocabulary.Reserved() {
		_, err := load(t, `(defskill `+name+` :gate ((deny a :reason "x")))`)
		require.ErrorContains(t, err, "is built in", name)
	}
	for _, w := range vocabulary.Constants() {
		_, err := load(t, `(deflist `+w.Name+` "x")`)
		require.Error(t, err, w.Name)
	}
}

func load(t *testing.T, text string) (*rules.Rulebook, error) {
	t.Helper()
	return rules.Load(fstest.MapFS{"a.lisp": {Data: []byte(text)}})
}
