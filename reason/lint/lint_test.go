package lint

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
	"github.com/opencortex-go/cortex/skills/facts/sql"
	"github.com/opencortex-go/cortex/skills/facts/sql/mysql"
	"github.com/opencortex-go/cortex/skills/rules"
)

// book loads rules with all the functions that the program has.
func book(t testing.TB, fs fstest.MapFS) (*rules.Rulebook, error) {
	t.Helper()
	return reason.Loader(rules.Loader{Functions: functions()}).Load(rules.Root{FS: fs})
}

// shellTool stands for the shell that programs bring, which some rulebooks do not declare.
func shellTool() *skills.Tool {
	return &skills.Tool{Name: "shell", Required: []string{"cmd"},
		Params: []skills.Param{{Name: "cmd", Type: skills.Type{Kind: skills.KindCommand}}}}
}

// functions are those that the program has.
func functions() []facts.Function {
	return append(secrets.Functions(), sql.Functions(map[string]sql.Reader{mysql.Dialect: mysql.Read})...)
}

// shipped are the rulebooks of this project: what stands in its folders of examples,
// however deep, and what its tests hold true.
func shipped(t testing.TB) (out []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir("../../examples", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "workflows" {
			return filepath.SkipDir // workflows are no rules
		}
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".lisp" {
			out = append(out, path)
		}
		return err
	}))
	require.Greater(t, len(out), 25)
	for _, p := range []string{"../../reason/testdata/rules/*.lisp", "../../skills/rules/testdata/*.lisp",
		"../../testdata/origin/rules.lisp", "../../testdata/rulebooks/*.lisp", "../../testdata/rulebooks/*/*.lisp"} {
		files, err := filepath.Glob(p)
		require.NoError(t, err)
		out = append(out, files...)
	}
	return out
}

func TestShippedRulesHaveNoFindings(t *testing.T) {
	for _, f := range shipped(t) {
		if name := filepath.Base(f); name == "script.lisp" || name == "menu.lisp" {
			continue // messages, and a plan
		}
		if testing.Short() && strings.Count(filepath.ToSlash(f), "/examples/") > 1 {
			continue // cases of rules, and long ones; rules are all linted
		}
		b, err := reason.Loader(rules.Loader{Functions: functions(), Tools: []*skills.Tool{shellTool()}}).Load(
			rules.Root{FS: os.DirFS("../.."), Files: []string{strings.TrimPrefix(filepath.ToSlash(f), "../../")}})
		if !assert.NoError(t, err, f) {
			continue
		}
		draft, found := strings.HasSuffix(f, ".draft.lisp"), Run(b)
		assert.True(t, !draft || len(found) > 0, "%s has no guess", f)
		for _, x := range found {
			if draft && x.ID == guessed {
				continue // this is what a draft is
			}
			t.Errorf("%s: %v\n  %s\n  %s", f, x, x.Witness, x.Answer)
		}
	}
}

// tools are what the rules of these tests are about.
const tools = `
(deftool pay :params (:to string :amount (number 0 1000) :note string :currency (enum "EUR" "USD") :days (integer 1 30))
  :required (:to :amount) :tier :ask)
(deftool shell :params (:cmd command :timeout (integer 1 300)) :required (:cmd) :tier :ask)
(deftool fetch :params (:url url) :required (:url) :tier :allow)
(deftool read :params (:path path) :required (:path) :tier :ask)
(deflist roots "/srv" "/home")
(defcondition large? (x) (> x 500))
`

// on is a skill about one tool.
func on(tool, clauses string) string {
	return "(defskill s :trigger (= action.tool \"" + tool + "\")\n :gate (" + clauses + "))"
}

func run1(t testing.TB, text string) []string {
	t.Helper()
	b, err := book(t, fstest.MapFS{"a.lisp": {Data: []byte(tools + text)}})
	require.NoError(t, err, text)
	var out []string
	for _, f := range Run(b) {
		out = append(out, f.ID)
		assert.NotZero(t, f.Line, f)
		assert.NotEmpty(t, f.Right, f)
		if f.ID != noReason && f.ID != idle {
			assert.NotEmpty(t, f.Answer+f.Condition, f)
		}
	}
	return out
}

func TestClasses(t *testing.T) {
	for text, want := range map[string]string{
		on("pay", `(deny a :when (and (> action.args.amount 100) (< action.args.amount 50)))`):                  dead,
		on("pay", `(deny a :when (> action.args.amount 1000))`):                                                 dead,
		on("pay", `(deny a :when (and (large? action.args.amount) (<= action.args.amount 500)))`):               dead,
		on("pay", `(deny a :when (and (has? action.args.currency) (= action.args.currency "GBP")))`):            dead,
		on("pay", `(deny a :when (= action.tool "shell"))`):                                                     dead,
		on("pay", `(deny a :when (missing? action.args.amount))`):                                               dead,
		on("pay", `(deny a :when (and (has? action.args.days) (> action.args.days 4) (< action.args.days 5)))`): dead,
		on("pay", `(deny a :when (and (starts-with? action.args.to "ab") (starts-with? action.args.to "b")))`):  dead,
		on("shell", `(deny a :when (some (shell action.args.cmd) (and (= it.name "rm") (= it.name "mv"))))`):    dead,
		on("shell", `(deny a :when (and (none (shell action.args.cmd) (= it.name "rm"))
			(some (shell action.args.cmd) (and (= it.name "rm") (flag? it "r")))))`): dead,
		on("read", `(deny a :when (and (under? action.args.path "/srv/a") (not (under? action.args.path "/srv"))))`): dead,
		on("pay",
			`(ask a :when (>= action.args.amount 0))`): always,
		on("pay",
			`(ask a :when (or (< action.args.amount 10) (> action.args.amount 5)))`): always,
		on("pay",
			`(deny a) (ask b :when (> action.args.amount 5))`): shadowed,
		on("pay",
			`(deny a :when (> action.args.amount 5)) (ask b :when (> action.args.amount 50))`): shadowed,
		on("pay",
			`(deny a :when (in action.args.to ("x" "y"))) (deny b :when (= action.args.to "x"))`): shadowed,
		on("pay",
			`(deny a :when (starts-with? action.args.to "x")) (ask b :when (starts-with? action.args.to "xy"))`): shadowed,
		on("pay", `(ask a :when (> action.args.amount 5)) (allow b :when (> action.args.amount 50))`): contradictory,
		on("pay", `(allow a :when (= action.args.to "x")) (deny b :when (= action.args.to "x"))`):     contradictory,
		on("pay", `(ask a :when (> action.args.amount 5)) (ask b :when (> action.args.amount 50))`):   overlapping,
		on("shell", `(rewrite a :when (missing? action.args.timeout) :set (:timeout 5))
			(rewrite b :when (missing? action.args.timeout) :set (:timeout 6))`): "",
		on("shell", `(rewrite a :when (starts-with? action.args.cmd "ls") :set (:timeout 5))
			(rewrite b :when (contains? action.args.cmd "s") :set (:timeout 6))`): overlapping,
		on("fetch", `(allow a :when (= action.args.url "https://x.org/"))`):                                               vain,
		on("shell", `(deny a :when (some (shell action.args.cmd) (some it.operands (= it "--force"))))`):                  flagOperand,
		on("shell", `(deny a :when (some (shell action.args.cmd) (in "--force" it.operands)))`):                           flagOperand,
		on("read", `(deny a :when (some (paths action) (glob-any? it ("*.env"))))`):                                       relative,
		on("read", `(deny a :when (not (under? action.args.path "/srv")))`):                                               written,
		on("read", `(deny a :when (glob-any? (get action.args.path "") ("**/.env")))`):                                    written,
		on("shell", `(ask a :when (some (shell action.args.cmd) (some it.redirects (glob-any? it.target ("/etc/**")))))`): written,
		on("read", `(deny a :when (some (leads action.args.path) (under? it "/srv")))`):                                   "",
		on("fetch", `(deny a :when (= (host action.args.url) "Evil.net"))`):                                               letterCase,
		on("pay", `(deny a :when (= (upper action.args.to) "Bob"))`):                                                      letterCase,
		on("fetch", `(deny a :when (domain-in? (host action.args.url) ("evil.net" "evil.org")))
			(ask b :when (domain-in? (host action.args.url) ("api.evil.net")))`): shadowed,
		on("fetch", `(deny a :when (some (hosts action) (domain-in? it ("evil.net" "evil.org"))))
			(ask b :when (some (hosts action) (domain-in? it ("evil.org"))))`): shadowed,
		on("fetch", `(deny a :when (domain-in? (host action.args.url) ("api.evil.net")))
			(ask b :when (domain-in? (host action.args.url) ("evil.net")))`): "",
		on("fetch", `(deny a :when (and (domain-in? (host action.args.url) ("evil.net"))
			(domain-in? (host action.args.url) ("good.net"))))`): dead,
		on("pay", `(deny a :when (cidr-in? action.args.to ("10.0.0.0/8"))) (ask b :when (cidr-in? action.args.to ("10.9.0.0/16")))`): shadowed,
		on("read", `(deny a :when (glob-any? action.args.path ("**/.env" "/etc/**")))
			(ask b :when (glob-any? action.args.path ("/etc/**")))`): shadowed,
		on("read", `(deny a :when (some (paths action) (under? it "/srv")))
			(ask b :when (some (paths action) (under? it "/srv/a")))`): shadowed,
		on("shell", `(deny a :when (some (shell action.args.cmd) (or (flag? it "f") (flag? it "force"))))
			(ask b :when (some (shell action.args.cmd) (and (= it.name "git") (flag? it "force"))))`): shadowed,
		on("shell", `(deny a :when (some (shell action.args.cmd) (and (= it.name "git") (flag? it "force"))))
			(ask b :when (some (shell action.args.cmd) (flag? it "force")))`): "",
		on("pay", `(deny a :when (matches? action.args.to "([a-z]+ ){500,900}!"))`):   costly,
		on("pay", `(deny a :when (matches? action.args.to "^[a-z]{2,40}@x[.]org$"))`): "",
		on("shell", `(deny a :when (> action.args.timeout 60))`):                      missing,
		on("pay", `(deny a :when (> action.args.amount 5)) ; lint: dead-clause because I say so
`): idle,
		on("pay", `(ask a :when (> action.args.amount 500)) (ask b :when (> action.args.amount 500) :quorum 2)`): "",
		on("pay", `(ask a :when t) (deny b :when (= action.args.to "x"))`):                                       "",
		on("pay", `(deny a :when (/= action.args.to "x")) (allow b :when (/= action.args.to "y"))`):              "",
		on("shell", `(deny a :when (and (has? action.args.timeout) (> action.args.timeout 60)))`):                "",
		on("shell", `(deny a :when (> (get action.args.timeout 60) 60))`):                                        "",
		on("shell", `(deny a :when (some (shell action.args.cmd) (some it.operands (= it "-1"))))`):              "",
	} {
		got := run1(t, text)
		if want == "" {
			assert.Empty(t, got, text)
		} else {
			assert.Contains(t, got, want, text)
		}
	}
}

func TestSilence(t *testing.T) {
	fault := `(deny a :when (> action.args.amount 1000))`
	for text, want := range map[string][]string{
		fault + " ; lint: dead-clause because the schema will grow":   nil,
		"; lint: dead-clause because the schema will grow\n " + fault: nil,
		"; lint: dead-clause because far\n\n " + fault:                {idle, dead},
		fault + " ; lint: dead-clause\n":                              {dead, noReason},
		fault + " ; lint: shadowed-clause because so\n":               {dead, idle},
	} {
		assert.ElementsMatch(t, want, run1(t, on("pay", text+"\n")), text)
	}
	assert.Equal(t, []string{dead}, run1(t, on("pay",
		fault+` (deny c :when (= action.args.to "; lint: dead-clause because it is text"))`)))
}

// actionOf is a call with arguments in the notation.
func actionOf(t testing.TB, tool, args string) *skills.Action {
	t.Helper()
	v, err := sexpr.Read("args", args)
	require.NoError(t, err, args)
	a, err := skills.NewAction(tool, v, "to see what happens")
	require.NoError(t, err, args)
	return a
}
