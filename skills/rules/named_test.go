package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// A guard that names what nothing declares never fires, and nobody hears of it.
func TestW12_AGuardThatNamesNothingDoesNotLoad(t *testing.T) {
	const tools = `(deftool refund :params (:amount number) :spends (:money :amount)) (deftool look)
`
	for condition, want := range map[string]string{
		`(= action.tool "refnd")`:                                `no tool "refnd" is declared; did you mean refund?`,
		`(= "refnd" action.tool)`:                                `no tool "refnd" is declared`,
		`(and (= action.tool "refnd") (> action.args.amount 5))`: `no tool "refnd" is declared`,
		`(in action.tool ("refund" "lok"))`:                      `no tool "lok" is declared; did you mean look?`,
		`(in action.tool names)`:                                 `no tool "lookup" is declared`,
		`(not (= action.tool "refnd"))`:                          `no tool "refnd" is declared`,
		`"action.tool == 'refnd'"`:                               `no tool "refnd" is declared`,
		`(= action.tool "Refund")`:                               `the tool is spelled "refund", not "Refund"`,
		`(= (len (calls "refnd")) 0)`:                            `no tool "refnd" is declared; did you mean refund?`,
		`(= (len (calls-since "refnd" 60)) 0)`:                   `no tool "refnd" is declared`,
		`(some-call-since (= it.tool "lok") t)`:                  `no tool "lok" is declared; did you mean look?`,
		`(no-call-since t (in it.tool ("look" "refnd")))`:        `no tool "refnd" is declared; did you mean refund?`,
		`(> (spent :monney :day) 5)`:                             `no tool spends from a budget "monney"; did you mean money?`,
		`"spent('monney', 'day') > 5"`:                           `no tool spends from a budget "monney"`,
	} {
		for _, text := range []string{
			`(defskill s :trigger ` + condition + ` :gate ((deny a)))`,
			`(definvariant s :when ` + condition + ` :holds nil)`,
		} {
			text = tools + `(deflist names "look" "lookup")` + text
			_, err := Load(folder(t, "a.lisp", text))
			assert.ErrorContains(t, err, want, condition)
			if want[:8] == "no tool " { // what was in force once is judged as it was
				_, err = Loader{Recorded: true}.Load(Root{FS: folder(t, "a.lisp", text)})
				assert.NoError(t, err, condition)
			}
		}
	}
	// Known is what any file declares, what every rulebook has, and what the loader is given.
	folder := fstest.MapFS{
		"tools.lisp": {Data: []byte(tools)},
		"rules.lisp": {Data: []byte(`(defskill s :trigger (in action.tool ("refund" "reply" "given")) :gate (
			(deny a :when (> (+ (spent :money :day) (spent :given :day)) 5)) (deny b :when (> (len (calls "given")) 5))
			(ask c :when (= action.tool "elsewhere"))))`)},
	}
	given := &skills.Tool{Name: "given", Spends: []skills.Spending{{Budget: "given", Fixed: 1}}}
	b, err := Loader{Tools: []*skills.Tool{given}}.Load(Root{FS: folder})
	require.NoError(t, err)
	v, err := sexpr.Read("form", `(spent :monney :day)`)
	require.NoError(t, err)
	_, err = b.Calculator().Compute(t.Context(), v, skills.NewCase(nil, nil, &skills.Facts{Now: 1}))
	assert.NoError(t, err, "who tries something out may name anything")
}

// A link in a folder of rules may lead to any file of anyone who loads them. An error says where it is, and not
// what stands there.
func TestW24_ErrorsTellNothingOfWhatALinkLeadsTo(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"broken.lisp": "sekrit1 (sekrit2 \"sekrit3\" #sekrit4\n", "forms.lisp": "(sekrit1 \"sekrit2\") sekrit3\n",
		"rules.lisp": `(deftool sekrit1 :tier :sekrit2) (defskill s :trigger (= action.tool "sekrit3"))`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(outside, name), []byte(text), 0o600))
		for _, files := range []map[string]string{{name: ""}, {"in/a.lisp": name}} {
			folder := t.TempDir()
			if files["in/a.lisp"] == "" {
				require.NoError(t, os.Symlink(filepath.Join(outside, name), filepath.Join(folder, name)))
			} else {
				require.NoError(t, os.Symlink(outside, filepath.Join(folder, "in")))
				require.NoError(t, os.WriteFile(filepath.Join(folder, "a.lisp"), []byte(`(include "in/`+name+`")`), 0o600))
			}
			_, err := Load(os.DirFS(folder))
			var list ErrorList
			require.ErrorAs(t, err, &list)
			for _, e := range list {
				assert.NotContains(t, fmt.Sprintf("%v %s %v", e, e.Caret(), e.Err), "sekrit", name)
				assert.Contains(t, e.Error(), name+":1:", "where it is")
			}
		}
	}
	// Anyone who names the file itself is shown it.
	require.NoError(t, os.Symlink(filepath.Join(outside, "rules.lisp"), filepath.Join(dir, "rules.lisp")))
	_, err := Loader{}.Load(Root{FS: os.DirFS(dir), Files: []string{"rules.lisp"}})
	assert.ErrorContains(t, err, "sekrit2")
}

func TestTextIsNoDeeperThanItMayBe(t *testing.T) {
	of := func(n int, one string) string { return strings.Repeat(one, n) }
	for text, ok := range map[string]bool{
		of(62, "!") + "true": true, of(65, "!") + "true": false, of(4000, "!") + "true": false,
		of(65, "not ") + "true": false, of(70, "-") + "1 == 1": false,
		"true" + of(200, " && true"): true, "true" + of(200, " || true"): true, "1" + of(300, " + 1") + " == 301": true,
		of(70, "true ? true : ") + "true": false, of(70, "1 - -") + "1 == 1": true,
	} {
		text = fmt.Sprintf("(defskill s :gate ((deny a :when %q)))", text)
		_, err := Load(folder(t, "a.lisp", text))
		if ok {
			assert.NoError(t, err, text)
		} else {
			assert.ErrorContains(t, err, "at depth 65, expected at most 64", text)
		}
		_, err = Loader{Recorded: true}.Load(Root{FS: folder(t, "a.lisp", text)})
		assert.NoError(t, err, "what was in force once")
	}
}
