package lint

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// seed is a fault that was written into a rulebook.
type seed struct {
	text string // the skill to add
	id   string // what finds it; "" where the load refuses it
	rule string
}

// grower writes faults of one class about a tool; false if the tool has no fit argument.
type grower func(r *rand.Rand, t *skills.Tool, name string) (seed, bool)

// about is a skill with these clauses for a tool.
func about(t *skills.Tool, name, clauses string) string {
	return fmt.Sprintf("\n(defskill %s :trigger (= action.tool %q) :gate (%s))\n", name, t.Name, clauses)
}

// atoms are tests of a required argument: one that implies the other, and one that
// excludes the first.
func atoms(r *rand.Rand, t *skills.Tool) (narrow, wide, other string, ok bool) {
	var fit []skills.Param
	for _, p := range t.Params {
		switch p.Type.Kind {
		case skills.KindInteger, skills.KindNumber, skills.KindString, skills.KindPath, skills.KindEnum:
			if slices.Contains(t.Required, p.Name) && !p.Type.Nullable && len(p.Type.Enum) != 1 {
				fit = append(fit, p)
			}
		}
	}
	if len(fit) == 0 {
		return "", "", "", false
	}
	p := fit[r.IntN(len(fit))]
	path := spelled(p)
	switch p.Type.Kind {
	case skills.KindInteger, skills.KindNumber:
		lo, hi := 0, 1000
		if p.Type.Bounded {
			lo, hi = int(p.Type.Lo), int(p.Type.Hi)
		}
		k := lo + (hi-lo)/3 + r.IntN(max(1, (hi-lo)/3))
		if r.IntN(2) == 0 {
			return fmt.Sprintf("(< %s %d)", path, k), fmt.Sprintf("(<= %s %d)", path, k+r.IntN(3)),
				fmt.Sprintf("(>= %s %d)", path, k), true
		}
		return fmt.Sprintf("(> %s %d)", path, k), fmt.Sprintf("(>= %s %d)", path, k-r.IntN(2)),
			fmt.Sprintf("(<= %s %d)", path, k), true
	case skills.KindEnum:
		w := p.Type.Enum
		return fmt.Sprintf("(= %s %q)", path, w[0]), fmt.Sprintf("(in %s (%q %q))", path, w[0], w[1]),
			fmt.Sprintf("(= %s %q)", path, w[1]), true
	}
	switch word := fmt.Sprintf("/w%d", r.IntN(100)); r.IntN(3) {
	case 0:
		return fmt.Sprintf("(= %s %q)", path, word), fmt.Sprintf("(in %s (%q \"/b\"))", path, word),
			fmt.Sprintf("(= %s \"/c\")", path), true
	case 1:
		return fmt.Sprintf("(starts-with? %s %q)", path, word+"/x"), fmt.Sprintf("(starts-with? %s %q)", path, word),
			fmt.Sprintf("(starts-with? %s \"~\")", path), true
	default:
		return fmt.Sprintf("(ends-with? %s %q)", path, "x"+word), fmt.Sprintf("(contains? %s %q)", path, word),
			fmt.Sprintf("(ends-with? %s \"zz\")", path), true
	}
}

// spelled is an argument as rules name it: in bars if it has capitals.
func spelled(p skills.Param) string { return "action.args." + sexpr.Sym(p.Name).String() }

// argument is the name of an argument of a kind.
func argument(t *skills.Tool, required bool, kinds ...skills.ParamKind) (string, bool) {
	for _, p := range t.Params {
		if slices.Contains(kinds, p.Type.Kind) && slices.Contains(t.Required, p.Name) == required && !p.Type.Nullable {
			return spelled(p), true
		}
	}
	return "", false
}

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

// growers are all classes of faults.
func growers() map[string]grower {
	return map[string]grower{
		"misspelled tool in a trigger": func(r *rand.Rand, t *skills.Tool, name string) (seed, bool) {
			wrong := *t
			wrong.Name += pick(r, "x", "_", "s")
			return seed{text: about(&wrong, name, "(deny a)")}, true
		},
		"misspelled budget": func(r *rand.Rand, t *skills.Tool, name string) (seed, bool) {
			return seed{text: about(t, name, "(deny a :when (> (spent :"+pick(r, "monney", "mony", "monei")+" :day) 10))")}, true
		},
		flagOperand: func(r *rand.Rand, t *skills.Tool, name string) (seed, bool) {
			cmd, ok := argument(t, true, skills.KindCommand)
			flag := pick(r, "--force", "-f", "--recursive", "--hard", "-rf")
			test := pick(r, `(some it.operands (= it "`+flag+`"))`, `(in "`+flag+`" it.operands)`,
				`(some it.operands (in it ("x" "`+flag+`")))`)
			who := pick(r, "", `(= it.name "git") `, `(in it.name ("rm" "git")) `)
			return seed{about(t, name, "(deny a :when (some (shell "+cmd+") (and "+who+test+")))"), flagOperand, name + "/a"}, ok
		},
		relative: func(r *rand.Rand, t *skills.Tool, name string) (seed, bool) {
			p := pick(r, "*.env", ".env", "secrets/*", "id_*", "./*.pem", "conf/**")
			return seed{about(t, name,
				`(`+pick(r, "deny", "ask")+` a :when (some (paths action) (glob-any? it ("/x" "`+p+`"))))`),
				relative, name + "/a"}, true
		},
		letterCase: func(r *rand.Rand, t *skills.Tool, name string) (seed, bool) {
			if url, ok := argument(t, true, skills.KindURL); ok {
				return seed{about(t, name, `(deny a :when (`+pick(r, "=", "ends-with?")+` (host `+url+`) "Evil.net"))`),
					letterCase, name + "/a"}, true
			}
			if r.IntN(2) == 0 {
				return seed{about(t, name, `(deny a :when (some (hosts action) (in it ("a.org" "Evil.net"))))`),
					letterCase, name + "/a"}, true
			}
			arg, ok := argument(t, true, skills.KindString, skills.KindPath)
			test := pick(r, `(= (lower `+arg+`) "Bob")`, `(in (upper `+arg+`) ("BOB" "Eve"))`,
				`(starts-with? (lower `+arg+`) "Dr")`)
			return seed{about(t, name, `(deny a :when `+test+`)`), letterCase, name + "/a"}, ok
		},
		vain: func(r *rand.Rand, t *skills.Tool, name string) (seed, bool) {
			narrow, _, _, ok := atoms(r, t)
			return seed{about(t, name, "(allow a :when "+narrow+")"), vain, name + "/a"}, ok && t.Tier != skills.TierAsk
		},
		"behind an unconditional deny": func(r *rand.Rand, t *skills.Tool, name string) (seed, bool) {
			narrow, _, _, ok := atoms(r, t)
			return seed{about(t, name, "(deny a "+pick(r, "", ":when t")+") ("+pick(r, "ask", "deny", "allow")+" b :when "+
				narrow+")"), shadowed, name + "/b"}, ok
		},
		dead: func(r *rand.Rand, t *skills.Tool, name string) (seed, bool) {
			narrow, wide, other, ok := atoms(r, t)
			test := pick(r, "(and "+narrow+" "+other+")", "(and "+narrow+" (not "+wide+"))",
				"(not (or "+wide+" (not "+narrow+")))")
			return seed{about(t, name, "("+pick(r, "ask", "deny", "allow")+" a :when "+test+")"), dead, name + "/a"}, ok
		},
		shadowed: func(r *rand.Rand, t *skills.Tool, name string) (seed, bool) {
			narrow, wide, _, ok := atoms(r, t)
			return seed{about(t, name, "(deny a :when "+wide+") ("+pick(r, "ask", "deny")+" b :when "+narrow+")"),
				shadowed, name + "/b"}, ok
		},
		contradictory: func(r *rand.Rand, t *skills.Tool, name string) (seed, bool) {
			narrow, wide, _, ok := atoms(r, t)
			no, yes := "("+pick(r, "ask", "ask", "ask")+" n :when "+wide+")", "(allow y :when "+narrow+")"
			if r.IntN(2) == 0 {
				no, yes = yes, strings.Replace(no, "ask", "deny", 1)
			}
			return seed{about(t, name, no+" "+yes), contradictory, name + "/y"}, ok
		},
		overlapping: func(r *rand.Rand, t *skills.Tool, name string) (seed, bool) {
			narrow, wide, _, ok := atoms(r, t)
			if r.IntN(2) == 0 {
				narrow, wide = wide, narrow
			}
			return seed{about(t, name, "(ask a :when "+narrow+") (ask b :when "+wide+")"), overlapping, name + "/b"}, ok
		},
		always: func(r *rand.Rand, t *skills.Tool, name string) (seed, bool) {
			narrow, wide, other, ok := atoms(r, t)
			test := pick(r, "(or "+wide+" (not "+narrow+"))", "(not (and "+narrow+" "+other+"))",
				"(if "+narrow+" "+wide+" t)")
			return seed{about(t, name, "("+pick(r, "ask", "deny")+" a :when "+test+")"), always, name + "/a"}, ok
		},
		"behind a broader list": func(r *rand.Rand, t *skills.Tool, name string) (seed, bool) {
			wide, narrow := `(domain-in? X ("evil.net" "bad.org"))`, `(domain-in? X (`+pick(r, `"evil.net"`, `"a.evil.net"`,
				`"bad.org" "x.bad.org"`)+`))`
			if url, ok := argument(t, true, skills.KindURL); ok {
				form := pick(r, "X", "(some (hosts action) X)")
				with := func(test string) string {
					if form == "X" {
						return strings.ReplaceAll(test, "X", "(host "+url+")")
					}
					return strings.ReplaceAll(form, "X", strings.ReplaceAll(test, "X", "it"))
				}
				return seed{about(t, name, "(deny a :when "+with(wide)+") (ask b :when "+with(narrow)+")"), shadowed, name + "/b"},
					true
			}
			cmd, ok := argument(t, true, skills.KindCommand)
			flags := pick(r, `(flag? it "force")`, `(flag? it "f")`, `(and (= it.name "git") (flag? it "f"))`)
			return seed{about(t, name, "(deny a :when (some (shell "+cmd+`) (or (flag? it "f") (flag? it "force")))) (ask b `+
				":when (some (shell "+cmd+") "+flags+"))"), shadowed, name + "/b"}, ok
		},
		costly: func(r *rand.Rand, t *skills.Tool, name string) (seed, bool) {
			arg, ok := argument(t, true, skills.KindString, skills.KindPath, skills.KindCommand, skills.KindURL)
			p := pick(r, "([a-z]+ ){500,900}!", "(a|b|[c-e]{3}){200}", "[^x]{600}x", "([0-9]{9}-){99}")
			return seed{about(t, name, "(deny a :when (matches? "+arg+` "`+p+`"))`), costly, name + "/a"}, ok
		},
		missing: func(r *rand.Rand, t *skills.Tool, name string) (seed, bool) {
			if arg, ok := argument(t, false, skills.KindInteger, skills.KindNumber); ok {
				return seed{about(t, name, "("+pick(r, "ask", "deny")+" a :when (> "+arg+" 3))"), missing, name + "/a"}, true
			}
			arg, ok := argument(t, false, skills.KindString)
			return seed{about(t, name, "(deny a :when (= "+arg+` "x"))`), missing, name + "/a"}, ok
		},
	}
}

// generated is a rulebook with tools of all kinds, and rules without faults.
func generated(r *rand.Rand) string {
	var b strings.Builder
	for i, tier := range []string{":ask", ":allow", ":deny"} {
		fmt.Fprintf(&b, `(deftool run%d :params (:cmd command :wait (integer 1 %d)) :required (:cmd) :tier %s)
(deftool pay%d :params (:to string :amount (number 0 %d) :kind (enum "a" "b" "c") :note string)
  :required (:to :amount :kind) :tier %s :spends (:money :amount))
(deftool get%d :params (:url url :tries (integer 0 9)) :required (:url) :tier %s)
(deftool open%d :params (:path path :mode (enum "r" "w")) :required (:path :mode) :tier %s)
(defskill plain%d :priority %d :trigger (= action.tool "pay%d")
  :gate ((ask large :when (> action.args.amount %d)) (deny bad :when (= action.args.to "mallory"))))
`, i, 10+r.IntN(300), tier, i, 900+r.IntN(9000), tier, i, tier, i, tier, i, r.IntN(9), i, 800+r.IntN(50))
	}
	return b.String()
}

// soil are the shipped rulebooks that seeds are written into: those that stand alone.
func soil(t *testing.T) (out []string) {
	for _, f := range shipped(t) {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		_, err = book(t, fstest.MapFS{"a.lisp": {Data: text}})
		if err == nil && strings.Contains(string(text), "(deftool ") && filepath.Base(f) != "script.lisp" {
			out = append(out, string(text))
		}
	}
	require.Greater(t, len(out), 8)
	return out
}

// TestSeededFaultsAreFound draws the same faults each time. LINT_SEED names another seed, for
// faults that lint was not written with.
func TestSeededFaultsAreFound(t *testing.T) {
	each := 80
	if testing.Short() {
		each = 2 // in a generated rulebook and in a shipped one
	}
	from := uint64(17)
	if s := os.Getenv("LINT_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
		from = n
	}
	grounds := soil(t)
	total, found := 0, 0
	for class, grow := range growers() {
		r := rand.New(rand.NewPCG(from, uint64(len(class)))) //nolint:gosec // the same faults each time
		hits, native := 0, 0
		for i := range each {
			text, one := plant(t, r, grow, grounds, i%2 == 0, i)
			if i%2 == 0 {
				native++
			}
			if uncovered(t, text, one) {
				hits++
			} else {
				t.Logf("%s: not found: %s", class, one.text)
			}
		}
		t.Logf("%-30s %d of %d", class, hits, each)
		assert.GreaterOrEqual(t, float64(hits), 0.95*float64(each), class)
		total, found = total+each, found+hits
	}
	t.Logf("found %d of %d seeded faults", found, total)
}

// plant writes a fault into a rulebook, a generated or a shipped one, that has a tool for
// it.
func plant(t *testing.T, r *rand.Rand, grow grower, grounds []string, native bool, i int) (string, seed) {
	for try := 0; ; try++ {
		text := generated(r)
		if native && try < 100 {
			text = grounds[r.IntN(len(grounds))]
		}
		b, err := unproved(text)
		require.NoError(t, err)
		var tools []*skills.Tool
		for _, x := range b.Tools() {
			if !x.Builtin {
				tools = append(tools, x)
			}
		}
		one, ok := grow(r, tools[r.IntN(len(tools))], fmt.Sprintf("seed%d", i))
		if ok {
			return text + one.text, one
		}
	}
}

// uncovered reports whether lint, or the load, finds a fault.
func uncovered(t *testing.T, text string, one seed) bool {
	b, err := unproved(text)
	if one.id == "" {
		var list rules.ErrorList
		return errors.As(err, &list) && len(list) > 0
	}
	require.NoError(t, err, one.text)
	return slices.ContainsFunc(Run(b), func(f Finding) bool { return f.ID == one.id && f.Rule == one.rule })
}

// unproved loads rules without running their examples, which seeds make untrue.
func unproved(text string) (*rules.Rulebook, error) {
	return rules.Loader{Functions: functions()}.Load(
		rules.Root{FS: fstest.MapFS{"a.lisp": {Data: []byte(text)}}})
}
