package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules/vocabulary"
)

const valuesOfThePage = "../../examples/pages/values.lisp"

// What docs/language.md says a form gives is what `cortex rules try` says, and every
// operator, function and name is in one of these forms.
func TestFormsOfTheLanguagePage(t *testing.T) {
	text, err := os.ReadFile("../../docs/language.md")
	require.NoError(t, err)
	request := regexp.MustCompile("(?s)```lisp\n(\\(:action .*?)\n```").FindStringSubmatch(string(text))
	require.NotNil(t, request)
	try := func(forms []string) (out, errs []string) {
		var stdout, stderr bytes.Buffer
		run(t.Context(), []string{"rules", "try", "--rules", valuesOfThePage, "--action", request[1]},
			strings.NewReader(strings.Join(forms, "\n")), &stdout, &stderr)
		return strings.Split(strings.TrimSpace(stdout.String()), "\n")[1:],
			strings.Split(strings.TrimSpace(stderr.String()), "\n")
	}
	var good, gives, bad []string
	used := map[string]bool{}
	for _, m := range regexp.MustCompile("`([^`\n]+)` → (?:`([^`\n]+)`|an error)").FindAllStringSubmatch(string(text),
		-1) {
		if m[2] == "" {
			bad = append(bad, m[1])
			continue
		}
		good, gives = append(good, m[1]), append(gives, m[2])
		v, err := sexpr.Reader{Code: true}.Read("form", m[1])
		require.NoError(t, err, m[1])
		symbols(v, used)
	}
	out, _ := try(good)
	require.Len(t, out, len(good))
	for i, form := range good {
		assert.Equal(t, gives[i], out[i], form)
	}
	out, errs := try(bad)
	assert.Empty(t, out)
	assert.Len(t, errs, len(bad))

	book, err := rulesFlag{Rules: []string{valuesOfThePage}}.load()
	require.NoError(t, err)
	calc := book.Calculator()
	for _, name := range calc.Names() {
		_, elements := calc.List(name)
		if !elements && !isGroup(name) {
			assert.True(t, used[name], "%s is in no form of docs/language.md", name)
		}
		if f, ok := calc.Function(name); ok {
			row := "\n| `" + f.Signature() + "` | " + f.Result.String() + " | "
			assert.True(t, strings.Contains(string(text), row), "docs/language.md has no row%s", row)
		}
	}
	for _, w := range append(vocabulary.Names(), vocabulary.Constants()...) {
		if !isGroup(w.Name) {
			assert.True(t, used[w.Name], "%s is in no form of docs/language.md", w.Name)
		}
	}
}

// isGroup reports whether a name is only the beginning of others, as session is.
func isGroup(name string) bool { return name == "signal" || name == "session" || name == "facts" }

// symbols gathers every symbol of a form, and the names that stand before its dots.
func symbols(v sexpr.Value, into map[string]bool) {
	if v.IsNil() {
		into["nil"] = true
	}
	if v.Kind() == sexpr.Symbol {
		for name := v.Text(); name != ""; name = name[:max(0, strings.LastIndexByte(name, '.'))] {
			into[name] = true
		}
	}
	for _, x := range v.Items() {
		symbols(x, into)
	}
}

// Every definition, clause, key and kind of parameter stands in rules that the pages
// show, whose examples TestRulesOfPagesAreFilesThatLoad runs.
func TestEveryWordStandsInRulesThatAreRun(t *testing.T) {
	files, err := filepath.Glob("../../examples/pages/*.lisp")
	require.NoError(t, err)
	used := usage{forms: map[string]bool{}, keys: map[string]bool{}, kinds: map[string]bool{}}
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		all, err := sexpr.Reader{Code: true}.ReadAll(f, string(text))
		require.NoError(t, err)
		for _, v := range all {
			used.form(v)
		}
	}
	for _, forms := range [][]vocabulary.Form{vocabulary.Definitions(), vocabulary.Clauses(), vocabulary.Parts()} {
		for _, f := range forms {
			if f.Name == "reject" {
				continue // read for the sake of old files, and not to be copied
			}
			assert.True(t, used.forms[f.Name], "%s stands in no rules of the pages: %v", f.Name,
				slices.Sorted(maps.Keys(used.forms)))
			for _, k := range f.Keys {
				assert.True(t, used.keys[f.Name+" :"+k.Name], "%s :%s stands in no rules of the pages", f.Name, k.Name)
			}
		}
	}
	for _, w := range vocabulary.Kinds() {
		assert.True(t, used.kinds[w.Name], "the kind %s stands in no rules of the pages", w.Name)
	}
}

// usage is which words of the vocabulary stand in rules.
type usage struct{ forms, keys, kinds map[string]bool }

// form takes down a definition, or a clause.
func (u usage) form(v sexpr.Value) {
	name := v.Items()[0].Text()
	u.forms[name] = true
	u.plist(name, v.Items()[1:])
}

// plist takes down the keys of a form, and what stands in their values.
func (u usage) plist(form string, items []sexpr.Value) {
	for len(items) > 0 && items[0].Kind() != sexpr.Keyword {
		items = items[1:]
	}
	for i := 0; i+1 < len(items); i += 2 {
		key, value := items[i].Text(), items[i+1]
		u.keys[form+" :"+key] = true
		switch {
		case key == "gate":
			for _, c := range value.Items() {
				u.form(c)
			}
		case form == "deftool" && key == "params":
			symbols(value, u.kinds)
		case form == "defexample" && (key == "session" || key == "facts" || key == "signal"):
			u.part(key, value)
		case key == "calls" || key == "plugins" || key == "covers":
			for _, x := range value.Items() {
				u.part(strings.TrimSuffix(key, "s"), x)
			}
		case key == "attached":
			for _, x := range value.Items() {
				u.part(key, x)
			}
		}
	}
}

func (u usage) part(name string, v sexpr.Value) {
	u.forms[name] = true
	u.plist(name, v.Items())
}
