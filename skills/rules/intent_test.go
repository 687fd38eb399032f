package rules

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
)

// What a deftool declares about origin and intent is part of its definition, and comes
// back from the record of a rulebook.
func TestDeclaredIntentComesBack(t *testing.T) {
	text := `(deftool wire :params (:iban string :amount number :urgent boolean) :class (:pay :comm) :nouns ("bill")
	  :roles (:iban :principal :amount :amount :urgent :flag) :output :mixed)
	(deftool list_mail :effect :none :output (:from :trusted :body :untrusted))`
	b := load(t, text)
	wire, _ := b.Tool("wire")
	assert.Equal(t, []string{"pay", "comm"}, wire.Classes)
	assert.Equal(t, []string{"bill"}, wire.Nouns)
	assert.Equal(t, map[string]string{"iban": "principal", "amount": "amount", "urgent": "flag"}, wire.Roles)
	assert.True(t, wire.Mixed)
	assert.False(t, wire.Trusted)

	again := ""
	for _, tool := range b.Tools() {
		if !tool.Builtin {
			again += tool.Definition()
		}
	}
	back := load(t, again)
	for _, name := range []string{"wire", "list_mail"} {
		was, _ := b.Tool(name)
		is, ok := back.Tool(name)
		require.True(t, ok)
		was.Source, is.Source = sexpr.Value{}, sexpr.Value{}
		assert.Equal(t, was, is)
	}
}

// A rulebook knows whether its conditions ask about origin: no other pays for it.
func TestRulebookKnowsWhetherItAsksAboutOrigin(t *testing.T) {
	skill := func(clause string) string { return "(defskill s :gate (" + clause + "))" }
	assert.False(t, load(t, shellTool+skill(`(deny x :when (= action.tool "shell"))`)).AsksOrigin())
	assert.False(t, load(t, shellTool+skill(`(deny x :when (contains? session.user-text "x"))`)).AsksOrigin())
	for _, form := range []string{`(= (origin action.args.cmd) :zone)`, `(not (said? action.args.cmd))`, `(< (fit) 1)`,
		`(some (arguments) it.strong)`, `"commanded() > 1"`} {
		assert.True(t, load(t, shellTool+skill(`(deny x :when `+form+`)`)).AsksOrigin(), form)
	}
	assert.True(t, load(t, shellTool+`(definvariant i :holds (trusted? action.tool))`).AsksOrigin())
}

// Files of words are part of a rulebook: another word is another policy.
func TestLexiconIsPartOfTheRulebook(t *testing.T) {
	hash := func(more string, files ...string) string {
		b, err := Load(folder(t, append([]string{"a.lisp", shellTool + more}, files...)...))
		require.NoError(t, err)
		return b.Hash().String()
	}
	plain := hash("")
	english := hash(`(lexicon :english "words/more.words")`, "words/more.words", `(verbs :pay "zahle")`)
	other := hash(`(lexicon :english "words/more.words")`, "words/more.words", `(verbs :pay "zahl")`)
	assert.NotEqual(t, plain, english)
	assert.NotEqual(t, english, other)
	b, err := Load(folder(t, "a.lisp", `(lexicon "w.words")`, "w.words", `(verbs :pay "pay")`))
	require.NoError(t, err)
	files := b.Files()
	require.Len(t, files, 2)
	assert.True(t, files[1].Words)
	assert.False(t, files[0].Words)

	for text, want := range map[string]string{
		`(verbs :pya "pay")`:      "a.lisp:1:10: w.words:1:1: ",
		`(vebs "pay")`:            `"vebs" is not a definition of a lexicon`,
		`(verbs :pay "pay"`:       "w.words:1:",
		`(lexicon "other.words")`: "is not a definition of a lexicon",
	} {
		_, err := Load(folder(t, "a.lisp", `(lexicon "w.words")`, "w.words", text))
		assert.ErrorContains(t, err, want, text)
	}
	_, err = Load(folder(t, "a.lisp", `(lexicon :english :english)`))
	assert.ErrorContains(t, err, "a.lisp:1:19: the words of english are named twice")
	_, err = Load(folder(t, "a.lisp", `(lexicon :german)`))
	assert.ErrorContains(t, err, "lexicon takes the paths of files of words")
}
