package rules_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/facts/origin"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
	"github.com/opencortex-go/cortex/skills/facts/sql"
	"github.com/opencortex-go/cortex/skills/facts/sql/mysql"
	"github.com/opencortex-go/cortex/skills/rules"
)

// specimen is a condition that asks one function about the text X, or about the command C.
type specimen struct {
	name, form string
	usual      string // what X is on an ordinary day
	worst      string // a text, repeated, that is dear to ask about; "" for letters
	line       string // of which the function sees a word itself; it is not asked about X
	patterns   bool   // what a shell pattern stands for may do for an answer
	closed     bool   // it reads nothing that may be unknown
}

// specimens are all functions of the language; a test says so.
func specimens() []specimen {
	command := "git push --force origin main"
	return []specimen{
		{name: "shell", form: `(> (len (shell X)) 9)`, usual: command, worst: "a; "},
		{name: "commands", form: `(> (len (commands X)) 9)`, usual: command, worst: "a $(b) "},
		{name: "flag?", form: `(flag? C X)`, usual: "force"},
		{name: "fits?", form: `(fits? C ("git push [--force] TEXT TEXT") X)`, usual: "/workspace", worst: "/a"},
		{name: "paths", form: `(some (paths action) (under? it "/none"))`, usual: command, worst: "/a ", line: "cat X",
			patterns: true},
		{name: "hosts", form: `(some (hosts action) (= it "none"))`, usual: "curl https://api.example.com/a",
			worst: "curl a.b; ", line: "curl X"},
		{name: "under?", form: `(under? X "/workspace")`, usual: "/workspace/a.txt", worst: "/a/..", patterns: true},
		{name: "glob-any?", form: `(glob-any? X ("**/*.pem" "**/.ssh/**"))`, usual: "/workspace/a.txt", worst: "/a.ssh",
			patterns: true},
		{name: "leads", form: `(in "/none" (leads X))`, usual: "/workspace/a.txt", worst: "/a/..",
			patterns: true},
		{name: "redirected", form: `(> (len (redirected C)) 9)`, closed: true},
		{name: "search", form: `(under? (search X "/workspace") "/workspace")`, usual: "*.go", worst: "{a,"},
		{name: "host", form: `(= (host X) "a")`, usual: "https://api.example.com/a", worst: "http://a.b/"},
		{name: "domain-in?", form: `(domain-in? X ("example.com" "a.org"))`, usual: "api.example.com", worst: "a.b"},
		{name: "cidr-in?", form: `(cidr-in? X ("10.0.0.0/8" "::1"))`, usual: "10.1.2.3", worst: "1."},
		{name: "calls", form: `(> (len (calls X)) 9)`, usual: "look"},
		{name: "calls-since", form: `(> (len (calls-since X 3600)) 9)`, usual: "look"},
		{name: "spent", form: `(> (spent "money" :day) 10)`, closed: true},
		{name: "replace", form: `(= (replace X "[a-z]+" "-") "-")`, usual: "a mail to ann@example.com", worst: "a "},
		{name: "semver?", form: `(semver? X "^1.4.0 || 3.x")`, usual: "1.4.7", worst: "1."},
		{name: "hour", form: `(= (hour now X) 3)`, usual: "Europe/Berlin"},
		{name: "weekday", form: `(= (weekday now X) "monday")`, usual: "Europe/Berlin"},
		{name: "date", form: `(= (date now X) "2026-01-01")`, usual: "Europe/Berlin"},
		{name: "secrets", form: `(> (len (secrets X)) 9)`, usual: "a mail to ann@example.com", worst: "api_key=AKIA"},
		{name: "redact", form: `(= (redact X) "-")`, usual: "a mail to ann@example.com", worst: "api_key=AKIA"},
		{name: "sql", form: `(> (len (sql X "mysql")) 9)`,
			usual: "select name from people where id = 3", worst: "select 1; "},
		{name: "origin", form: `(= (origin X) :alien)`, usual: "ann@example.com", worst: "a b "},
		{name: "trusted?", form: `(trusted? X)`, usual: "ann@example.com", worst: "a b "},
		{name: "said?", form: `(said? X)`, usual: "ann@example.com", worst: "a b "},
		{name: "named?", form: `(named? X)`, usual: "ann@example.com", worst: "a b "},
		{name: "meant?", form: `(meant? X)`, usual: "/workspace/a.txt", worst: "a b "},
		{name: "pointed?", form: `(pointed? X)`, usual: "ann@example.com", worst: "a b "},
		{name: "delegated?", form: `(delegated? X)`, usual: "ann@example.com", worst: "a b "},
		{name: "vouched?", form: `(vouched? X)`, usual: "ann@example.com", worst: "a b "},
		{name: "singled?", form: `(singled? X)`, usual: "ann@example.com", worst: "a b "},
		{name: "alien?", form: `(alien? X)`, usual: "ann@example.com", worst: "a b "},
		{name: "elsewhere?", form: `(elsewhere? X)`, usual: "ann@example.com", worst: "a b "},
		{name: "gave-another?", form: `(gave-another? X)`, usual: "ann@example.com", worst: "a b "},
		{name: "chose-another?", form: `(chose-another? X)`, usual: "ann@example.com", worst: "a b "},
		{name: "carries", form: `(= (carries X) :alien)`, usual: "pay ann@example.com now", worst: "a@b.c "},
		{name: "fit", form: `(< (fit) 1)`, closed: true},
		{name: "commanded", form: `(> (commanded) 1)`, closed: true},
		{name: "read-untrusted?", form: `(read-untrusted?)`, closed: true},
		{name: "delegates?", form: `(delegates?)`, closed: true},
		{name: "read-text?", form: `(read-text?)`, closed: true},
		{name: "reads?", form: `(reads?)`, closed: true},
		{name: "covered?", form: `(covered?)`, closed: true},
		{name: "classes", form: `(in :pay (classes))`, closed: true},
		{name: "arguments", form: `(some (arguments) it.strong)`, closed: true},
		{name: "readable?", form: `(not (readable? X))`, usual: command, worst: "a $(b) "},
	}
}

// whole is the functions that a program has, beyond the core.
func whole() []facts.Function {
	return append(secrets.Functions(), sql.Functions(map[string]sql.Reader{mysql.Dialect: mysql.Read})...)
}

// world are the tools that specimens know.
const world = `
(deftool look :params (:text string :cmd command) :required (:text))
(deftool run :params (:cmd command) :required (:cmd) :tier :ask)
(deftool pay :params (:amount number) :required (:amount) :spends (:money :amount))
`

func worldOf(t testing.TB, text string, limit int) *rules.Rulebook {
	t.Helper()
	book, err := rules.Loader{Functions: whole(),
		Limits: rules.Limits{Cost: limit}}.Load(rules.Root{FS: fstest.MapFS{"a.lisp": {Data: []byte(world + text)}}})
	require.NoError(t, err)
	return book
}

// Each function of the language is among the specimens, so that what is tested, measured
// and written of specimens holds for all.
func TestEveryFunctionHasASpecimen(t *testing.T) {
	var have, want []string
	for _, s := range specimens() {
		have = append(have, s.name)
	}
	for _, f := range slices.Concat(facts.Core(), origin.Functions(nil), whole()) {
		want = append(want, f.Name)
	}
	assert.ElementsMatch(t, want, have)
}

// No function answers about what is not known.
func TestNoFunctionAnswersAboutTheUnknown(t *testing.T) {
	book := worldOf(t, "", 1<<40)
	for _, s := range specimens() {
		for _, unknown := range []string{"$X", `"a$X"`, "$(date)", "*.go", "a?"} {
			if s.closed || s.patterns && !strings.Contains(unknown, "$") {
				continue
			}
			line, form := "echo "+unknown, strings.NewReplacer("X", "it", "C", "c").Replace(s.form)
			text := fmt.Sprintf(`(some (commands action.args.cmd) (let ((c it)) (some it.operands (or %s t))))`, form)
			if s.line != "" {
				line, text = strings.ReplaceAll(s.line, "X", unknown), s.form
			}
			a, err := skills.NewAction("run", sexpr.Plist("cmd", sexpr.Str(line)), "")
			require.NoError(t, err)
			v, err := sexpr.Reader{Code: true}.Read("form", text)
			require.NoError(t, err, text)
			tool, _ := book.Tool("run")
			got, err := book.Calculator().Compute(t.Context(), v, skills.NewCase(a, tool, &skills.Facts{Now: 1}))
			var u facts.Unknown
			if assert.Error(t, err, "%s of %s gave %v", text, line, got) {
				assert.ErrorAs(t, err, &u, "%s of %s", text, line)
			}
		}
	}
}

// session is what was said and done before: so many calls, of a kilobyte each.
func session(calls int) skills.Session {
	s := skills.Session{ID: "s", Principal: "ann", Roles: []string{"user"},
		Turns: []skills.Turn{{User: "Please pay ann@example.com and look at the file."}}}
	for i := range calls {
		mail := fmt.Sprintf("from person%d@corp%d.test: %s", i, i%97, strings.Repeat("please read it ", 60))
		s.Turns = append(s.Turns, skills.Turn{Call: &skills.Call{Tool: "look", Decision: "allow", At: 1_700_000_000,
			Args: sexpr.Plist("text", sexpr.Str("inbox")), Result: sexpr.Str(mail), Happened: true}})
	}
	return s
}

// generated are n rules of all functions, with connectives, named conditions, orders of
// calls, and rewrites whose values are computed.
func generated(n int) (text string, uses map[string]int) {
	r := rand.New(rand.NewPCG(17, 3)) //nolint:gosec // the same rules each time
	uses = map[string]int{}
	all := specimens()
	var b strings.Builder
	b.WriteString("(defcondition both? (x y) (and (not (not x)) (not (not y))))\n")
	about := func() string {
		s := all[r.IntN(len(all))]
		uses[s.name]++
		form := strings.ReplaceAll(s.form, "X", "action.args.text")
		if strings.Contains(form, "C") {
			form = "(some (shell action.args.cmd) (let ((c it)) " + strings.ReplaceAll(form, "C", "c") + "))"
		}
		return form
	}
	count := func(name string) string {
		uses[name]++
		return name
	}
	for i := range n {
		first, second := about(), about()
		var when string
		switch r.IntN(5) {
		case 0:
			when = fmt.Sprintf("(and (not %s) (not %s))", first, second)
		case 1:
			when = fmt.Sprintf("(or %s %s)", first, second)
		case 2:
			when = fmt.Sprintf("(%s %s %s)", count("both?"), first, second)
		case 3:
			when = fmt.Sprintf(`(if %s %s (%s (= it.tool "pay") (= it.decision "deny")))`, first, second,
				count("some-call-since"))
		case 4:
			when = fmt.Sprintf(`(and (%s (= it.tool "look") (= it.decision "deny")) (not %s))`,
				count("no-call-since"), first)
		}
		verdict, kind := "ask", r.IntN(8)
		if strings.Contains(when, "(covered?)") {
			kind = 7 // it may stand in an ask alone
		}
		switch kind {
		case 0:
			verdict = "deny"
		case 1:
			value := []string{"redact", "replace"}[r.IntN(2)]
			form := map[string]string{"redact": "(redact action.args.text)",
				"replace": `(replace action.args.text "[aeiou]+" "-")`}[value]
			fmt.Fprintf(&b, "(defskill s%d :trigger (= action.tool \"look\") :gate ((rewrite a :when %s :set (:text %s))))\n", i,
				when, form)
			uses[count("computed")+"/"+value]++
			continue
		}
		fmt.Fprintf(&b, "(defskill s%d :trigger (= action.tool \"look\") :gate ((%s a :when %s)))\n", i, verdict, when)
	}
	return b.String(), uses
}

// worstActions are calls of look with a long text of each sort, and a long command.
func worstActions(t testing.TB, size int) (out []*skills.Action) {
	t.Helper()
	texts := map[string]bool{"a": true}
	for _, s := range specimens() {
		texts[s.worst] = s.worst != ""
	}
	for _, text := range slices.Sorted(func(yield func(string) bool) {
		for x, ok := range texts {
			if ok && !yield(x) {
				return
			}
		}
	}) {
		a, err := skills.NewAction("look", sexpr.Plist("text", sexpr.Str(strings.Repeat(text, size/len(text))),
			"cmd", sexpr.Str(strings.Repeat("git push --force; ", 60))), "to see")
		require.NoError(t, err)
		out = append(out, a)
	}
	return out
}

// TestGeneratedRulesOnTheWorstInputs: a thousand rules of all functions load, each within
// its price, and all answer on the longest texts after the most calls: by a verdict or by
// an error that counts against the action, never by a crash, and the same the second time.
func TestGeneratedRulesOnTheWorstInputs(t *testing.T) {
	n, size, calls := 1000, 4<<10, 100
	if testing.Short() {
		n, size, calls = 200, 512, 10
	}
	text, uses := generated(n)
	book := worldOf(t, text, 0)
	for _, name := range append(names(), "both?", "some-call-since", "no-call-since", "computed") {
		assert.Positive(t, uses[name], name)
	}
	tool, _ := book.Tool("look")
	f := &skills.Facts{Now: 1_700_000_100, Session: session(calls)}
	counts := map[string]int{}
	for i, a := range worstActions(t, size) {
		if testing.Short() && i%8 != 0 {
			continue
		}
		once, again := skills.NewCase(a, tool, f), skills.NewCase(a, tool, f)
		for _, s := range book.Skills("look") {
			for _, g := range s.Gates {
				v, err := g.Judge(t.Context(), once)
				require.NoError(t, err, "%s: what crashes or takes too long is an error here", g.Key())
				if !testing.Short() || len(g.Key())%5 == 0 {
					w, err := g.Judge(t.Context(), again)
					require.NoError(t, err)
					assert.Equal(t, v, w, g.Key())
				}
				counts[fmt.Sprintf("%T", v)]++
			}
		}
	}
	t.Logf("%d rules on texts of %d bytes after %d calls: %v", n, size, calls, counts)
	assert.Greater(t, len(counts), 2)
}

func names() (out []string) {
	for _, s := range specimens() {
		out = append(out, s.name)
	}
	return out
}

// BenchmarkGeneratedRules judges one action by a thousand generated rules that are all
// about its tool; an operation is the worst of the texts.
func BenchmarkGeneratedRules(b *testing.B) {
	for _, size := range []int{100, 64 << 10} {
		text, _ := generated(1000)
		book := worldOf(b, text, 0)
		tool, _ := book.Tool("look")
		f := &skills.Facts{Now: 1_700_000_100, Session: session(1000)}
		for _, a := range worstActions(b, size) {
			word, _ := a.Args().Get("text")
			b.Run(fmt.Sprintf("%dKiB/%.8q", size>>10, word.Text()), func(b *testing.B) {
				for b.Loop() {
					c := skills.NewCase(a, tool, f)
					for _, s := range book.Skills("look") {
						for _, g := range s.Gates {
							if _, err := g.Judge(b.Context(), c); err != nil {
								b.Fatal(err)
							}
						}
					}
				}
			})
		}
	}
}
