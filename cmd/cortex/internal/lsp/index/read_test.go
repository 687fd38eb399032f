package index_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/lsp/index"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
	"github.com/opencortex-go/cortex/skills/rules"
)

func language(t testing.TB) index.Language {
	t.Helper()
	book, err := rules.Loader{Functions: secrets.Functions()}.Load()
	require.NoError(t, err)
	return book.Calculator()
}

// The loader is the judge: what it defines, and where, is what the index finds.
func TestDefinitionsAreThoseOfTheLoader(t *testing.T) {
	lang := language(t)
	for _, folder := range []string{"examples/skills", "examples/skills/coding", "examples/skills/policy"} {
		folder = filepath.Join("../../../../..", folder)
		book, err := rules.Loader{Functions: secrets.Functions()}.Load(rules.Root{FS: os.DirFS(folder)})
		require.NoError(t, err)
		clauses, tools := map[string]string{}, map[string]bool{}
		for _, f := range book.Files() {
			file := index.Read(string(f.Data), lang)
			for _, m := range file.Mentions {
				spells(t, file, m)
				if !m.Defines {
					continue
				}
				switch m.Kind {
				case index.Tool:
					tools[m.Name.Name] = true
				case index.Clause:
					clauses[m.Of+"/"+m.Name.Name] = f.Path + m.Whole.Text(file.Src)
				case index.Invariant:
					clauses["invariant/"+m.Name.Name] = f.Path + m.Whole.Text(file.Src)
				default:
				}
			}
		}
		for _, r := range book.Rules() {
			text, ok := clauses[r.ID]
			assert.True(t, ok, r.ID)
			read, err := sexpr.Reader{Code: true}.Read("", strings.TrimPrefix(text, r.File))
			require.NoError(t, err)
			assert.True(t, sexpr.Equal(read, r.Form), r.ID)
			delete(clauses, r.ID)
		}
		assert.Empty(t, clauses)
		for _, tool := range book.Tools() {
			assert.Equal(t, !tool.Builtin, tools[tool.Name], tool.Name)
		}
	}
}

// Names that the loader knows are found where they are used: without its definition, a
// file with a use of it does not load.
func TestNamesAreFoundInConditions(t *testing.T) {
	lang := language(t)
	for src, want := range map[string][]index.Name{
		`(defskill s :trigger (in action.tool ("a" "b")) :gate ((deny c :when (in action.args.|toWhom|.x words))))`: {
			{Kind: index.Skill, Name: "s"}, {Kind: index.Tool, Name: "a"}, {Kind: index.Tool, Name: "b"},
			{Kind: index.Clause, Name: "c", Of: "s"}, {Kind: index.Param, Name: "toWhom", Of: "a"},
			{Kind: index.Param, Name: "toWhom", Of: "b"}, {Kind: index.List, Name: "words"}},
		`(definvariant i :holds (far? action.args.x now "y" :z 'w session.roles))`: {
			{Kind: index.Invariant, Name: "i"}, {Kind: index.Condition, Name: "far?"}, {Kind: index.Param, Name: "x"}},
		`(defexample "e" :action (:payload (:tool "a" :args (:x 1))) :expect (ask tier/a))`: {
			{Kind: index.Tool, Name: "a"}, {Kind: index.Param, Name: "x", Of: "a"}, {Kind: index.Tool, Name: "a"}},
		`(defexample "e" :expect (deny s/c/error))`: {{Kind: index.Skill, Name: "s"},
			{Kind: index.Clause, Name: "c", Of: "s"}},
		`(include "x.lisp")`: {{Kind: index.Included, Name: "x.lisp"}},
		`(defskill) (deftool 5) () (defskill s :gate (5 () (x)))`: {{Kind: index.Tool, Name: ""},
			{Kind: index.Skill, Name: "s"}},
	} {
		file := index.Read(src, lang)
		var got []index.Name
		for _, m := range file.Mentions {
			got = append(got, m.Name)
		}
		assert.Equal(t, want, got, src)
	}
}

// spells sees that a mention is where its name is written, and that it can be written again.
func spells(t *testing.T, f *index.File, m index.Mention) {
	t.Helper()
	written := f.Src[m.From:m.To]
	if m.Form == index.InString {
		written = `"` + written + `"`
	}
	v, err := sexpr.Read("", written)
	require.NoError(t, err, written)
	assert.Equal(t, m.Name.Name, v.Text())
	spelled, err := m.Spell(m.Name.Name)
	require.NoError(t, err)
	if m.Form == index.InString {
		spelled = `"` + spelled + `"`
	}
	again, err := sexpr.Read("", spelled)
	require.NoError(t, err)
	assert.True(t, sexpr.Equal(v, again), spelled)
}
