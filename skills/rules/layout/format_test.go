package layout_test

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules"
	"github.com/opencortex-go/cortex/skills/rules/layout"
)

func TestFormat(t *testing.T) {
	for _, c := range []struct{ name, in, out string }{
		{"nothing", " \n\n", ""},
		{"a comment alone", "  ; so  \r\n", "; so\n"},
		{"blanks", "( defaults\t:unknown-tool   :ask )", "(defaults :unknown-tool :ask)\n"},
		{"one form a line", "(a) (b)", "(a)\n(b)\n"},
		{"one empty line at most", "(a)\n\n\n\n(b)\n(c)\n\n", "(a)\n\n(b)\n(c)\n"},
		{"no end of a list on a line of its own", "(a\n b\n )", "(a\n b)\n"},
		{"unless a comment ends it", "(deflist a \"b\" ; c\n)", "(deflist a \"b\" ; c\n  )\n"},
		{"the name stands beside the kind", "(deftool\n  pay\n:tier :ask)", "(deftool pay\n  :tier :ask)\n"},
		{"what a definition holds", "(defskill a\n:gate\n((deny b\n:when x)\n(ask c)))",
			"(defskill a\n  :gate\n  ((deny b\n     :when x)\n   (ask c)))\n"},
		{"what a loop holds", "(some (paths action)\n(under? it \"/\"))", "(some (paths action)\n  (under? it \"/\"))\n"},
		{"arguments", "(and (a)\n(b)\n(c))", "(and (a)\n     (b)\n     (c))\n"},
		{"arguments below their operator", "(and\n(a)\n(b))", "(and\n (a)\n (b))\n"},
		{"elements", "((a)\n(b)\n\"c\"\n2)", "((a)\n (b)\n \"c\"\n 2)\n"},
		{"let", "(let ((a 1)\n(b 2))\n(+ a b))", "(let ((a 1)\n      (b 2))\n  (+ a b))\n"},
		{"a quote", "' \n x '(a\n b) '; why\n y", "'x\n'(a\n  b)\n' ; why\n y\n"},
		{"words as they are written",
			`(A :|userId| |b c| +1.50e3 "\u{67}\t" "ü")`, `(A :|userId| |b c| +1.50e3 "\u{67}\t" "ü")` + "\n"},
		{"strings over lines",
			"(defskill a\n   :doc \"one\n  two\"   :priority 1)", "(defskill a\n  :doc \"one\n  two\" :priority 1)\n"},
		{"comments between", "(a\n; b\n  ; c\n\n\n  d)", "(a\n ; b\n ; c\n\n d)\n"},
		{"comments at the ends of lines", "(deflist a\n \"b\"; one\n \"cccc\"     ; two\n\n \"d\"   ; three\n)",
			"(deflist a\n  \"b\"    ; one\n  \"cccc\" ; two\n\n  \"d\" ; three\n  )\n"},
		{"block comments", "(a #| b\n     c |#   d)", "(a #| b\n     c |# d)\n"},
		{"a comment before all", "(; first\na)", "( ; first\n a)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := layout.Format("x.lisp", c.in)
			require.NoError(t, err)
			assert.Equal(t, c.out, out)
			sameMeaning(t, c.in, out)
		})
	}
}

func TestFormatBreaksLongLines(t *testing.T) {
	long := `"` + strings.Repeat("x", 60) + `"`
	for _, c := range []struct{ name, in, out string }{
		{"before keys", `(defexample "a" :action (:tool "b" :args (:c ` + long + `)) :expect (deny d/e))`,
			`(defexample "a"
  :action (:tool "b" :args (:c ` + long + `))
  :expect (deny d/e))
`},
		{"not between words that belong together",
			`(deftool pay :doc ` + long + ` :params (:to string) :tier :ask :effect :local)`,
			`(deftool pay
  :doc ` + long + `
  :params (:to string)
  :tier :ask :effect :local)
`},
		{"before an argument that does not fit", `(and (= a "b") (= c "d") (contains? e ` + long + `) (= a "b"))`,
			`(and (= a "b") (= c "d")
     (contains? e ` + long + `) (= a "b"))
`},
		{"in a loop", `(every (shell action.args.cmd) (and (= it.name ` + long + `) (none it.via t)))`,
			`(every (shell action.args.cmd)
  (and (= it.name ` + long + `) (none it.via t)))
`},
		{"both ways of an if", `(if (= a ` + long + `) (contains? b "c") (contains? "d" e.f.g))`,
			`(if (= a ` + long + `)
    (contains? b "c")
    (contains? "d" e.f.g))
`},
		{"between the clauses of a gate", `(defskill a :gate ((deny b :reason ` + long + `) (ask c :reason "d") (ask e)))`,
			`(defskill a
  :gate ((deny b :reason ` + long + `)
         (ask c :reason "d")
         (ask e)))
`},
		{"in lists of words", "(deflist a " + long + " " + long + ` "b" "c")`,
			"(deflist a " + long + "\n  " + long + " \"b\" \"c\")\n"},
		{"and not where it does not help", "(deny a\n  :when (matches? b \"" + strings.Repeat("x", 120) + "\"))",
			"(deny a\n  :when (matches? b \"" + strings.Repeat("x", 120) + "\"))\n"},
		{"nor for a comment", "(deny a :when t) ; " + long + long, "(deny a :when t) ; " + long + long + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := layout.Format("x.lisp", c.in)
			require.NoError(t, err)
			assert.Equal(t, c.out, out)
			sameMeaning(t, c.in, out)
		})
	}
}

func TestFormatRefusesWhatNoReaderTakes(t *testing.T) {
	for in, at := range map[string]string{
		"(a": "x.lisp:1:3", "a)": "x.lisp:1:2", `"a`: "x.lisp:1:3", "#(1)": "x.lisp:1:1", "\n 12abc": "x.lisp:2:2",
		`"\q"`:   "x.lisp:1:2",
		"a#|b|#": "x.lisp:1:2", "[a]": "x.lisp:1:1", strings.Repeat("(", 65) + strings.Repeat(")", 65): "x.lisp:1:65",
	} {
		_, err := layout.Format("x.lisp", in)
		var e *sexpr.Error
		require.ErrorAs(t, err, &e, in)
		assert.True(t, strings.HasPrefix(e.Error(), at+":"), e.Error())
	}
}

// The operators that the style knows are operators.
func TestStylesAreOfOperators(t *testing.T) {
	book, err := rules.Load()
	require.NoError(t, err)
	for _, op := range append(layout.Loops(), "let", "if") {
		_, _, ok := book.Calculator().Operator(op)
		assert.True(t, ok, op)
	}
	for _, op := range book.Calculator().Operators() {
		_, doc, _ := book.Calculator().Operator(op)
		if strings.Contains(doc, "which is it") {
			assert.Contains(t, layout.Loops(), op)
		}
	}
}

// sameMeaning sees that out holds the words of in, its comments among them, in their
// order, that both read as the same forms, and that formatting out changes nothing.
func sameMeaning(t *testing.T, in, out string) {
	t.Helper()
	assert.Equal(t, words(in), words(out))
	r := sexpr.Reader{Code: true}
	was, err := r.ReadAll("", in)
	require.NoError(t, err)
	is, err := r.ReadAll("", out)
	require.NoError(t, err)
	assert.True(t, sexpr.Equal(sexpr.ListOf(was...), sexpr.ListOf(is...)))
	again, err := layout.Format("", out)
	require.NoError(t, err)
	assert.Equal(t, out, again, "formatting it again changes it")
}

// words are the tokens of a text without the blanks between them.
func words(src string) []string {
	var out []string
	for off := 0; off < len(src); {
		t := sexpr.NextToken(src, off)
		switch off = t.To; t.Kind {
		case sexpr.Blanks:
		case sexpr.LineComment:
			out = append(out, strings.TrimRight(src[t.From:t.To], " \t\r\f"))
		default:
			out = append(out, src[t.From:t.To])
		}
	}
	return out
}

// scribble writes a random form with random blanks.
func scribble(r *rand.Rand, b *strings.Builder, depth int) {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	gap := func() {
		b.WriteString(pick(" ", " ", " ", "  ", "\n", "\n\n\n", " ; note\n", "\n ;; own\n", " #| in\nside |# ", "\t\r\n"))
	}
	if depth == 0 || r.IntN(4) == 0 {
		b.WriteString(pick("action.args.cmd", "it", ":doc", ":when", "12", "-0.5", `"text"`, `"long `+
			strings.Repeat("text ", r.IntN(24))+`"`,
			`"two`+"\n"+`lines"`, "|a B|", "t", "'x", `"ü→"`))
		return
	}
	b.WriteString(pick("(", "(", "(", "(", "'("))
	if r.IntN(3) > 0 {
		b.WriteString(pick("defskill", "deftool", "deny", "ask", "and", "or", "some", "every", "let", "if", "in", "deflist",
			"object", "quote"))
		gap()
	}
	for range r.IntN(7) {
		if r.IntN(3) == 0 {
			b.WriteString(pick(":reason", ":gate", ":params"))
			gap()
		}
		scribble(r, b, depth-1)
		gap()
	}
	b.WriteString(")")
}

// Whatever stands in a text stays, and formatting ends.
func TestFormatKeepsMeaning(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 7))
	for range 300 {
		var b strings.Builder
		for range 1 + r.IntN(3) {
			scribble(r, &b, 1+r.IntN(5))
			b.WriteString("\n")
		}
		out, err := layout.Format("", b.String())
		require.NoError(t, err, b.String())
		sameMeaning(t, b.String(), out)
		if t.Failed() {
			t.Fatalf("%q", b.String())
		}
	}
}

// A line ends by the width where one of its lists could have been broken.
func TestFormatKeepsTheWidth(t *testing.T) {
	forms := []string{"(and (= HOLE 1) (= b HOLE) (= c 3))",
		`(defexample "a" :action (:tool "b" :args (:c HOLE)) :expect (deny d/e))`,
		"(some (shell HOLE) (and (= it.name HOLE) (flag? it \"r\")))", `(deny a :when (= b HOLE) :reason "d" :quorum 3)`,
		"(in HOLE (\"ls\" \"cat\" HOLE))", "(if HOLE (not HOLE) action.args.cmd)", "((ask a) HOLE (allow b :when HOLE))"}
	r := rand.New(rand.NewPCG(3, 17))
	for range 200 {
		form := "HOLE"
		for range 9 {
			form = strings.Replace(form, "HOLE", forms[r.IntN(len(forms))], 1)
		}
		form = strings.ReplaceAll(form, "HOLE", "x")
		out, err := layout.Format("", form)
		require.NoError(t, err)
		for _, line := range strings.Split(out, "\n") {
			if indent := len(line) - len(strings.TrimLeft(line, " ")); indent < 40 {
				assert.LessOrEqual(t, utf8.RuneCountInString(line), layout.Width, out)
			}
		}
	}
}

// shipped calls f with every rule file that ships.
func shipped(tb testing.TB, f func(path, src string)) {
	tb.Helper()
	n := 0
	require.NoError(tb, filepath.WalkDir("../../../examples", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".lisp" || filepath.Base(path) == "script.lisp" {
			return err
		}
		n++
		src, err := os.ReadFile(path)
		f(path, string(src))
		return err
	}))
	require.Positive(tb, n)
}

func TestShippedRulesAreFormatted(t *testing.T) {
	shipped(t, func(path, src string) {
		out, err := layout.Format(path, src)
		require.NoError(t, err)
		assert.Equal(t, out, src, "%s: cortex rules fmt -w writes it in the one style", path)
	})
}

func FuzzFormat(f *testing.F) {
	shipped(f, func(_, src string) { f.Add(src) })
	f.Add("(a ; b\n 'c #| d |# \"e\nf\")")
	f.Fuzz(func(t *testing.T, src string) {
		out, err := layout.Format("", src)
		if _, bad := (sexpr.Reader{Code: true}).ReadAll("", src); bad != nil {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		sameMeaning(t, src, out)
	})
}

func BenchmarkFormat(b *testing.B) {
	var all strings.Builder
	shipped(b, func(_, src string) { all.WriteString(src + "\n") })
	src := strings.Repeat(all.String(), 1+3000/strings.Count(all.String(), "\n"))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		_, err := layout.Format("", src)
		require.NoError(b, err)
	}
}
