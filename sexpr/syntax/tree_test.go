package syntax_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/sexpr/syntax"
)

// sketch draws a tree: lists in ( ), or ( ! where they have no end, and !x for what is Bad.
func sketch(src string, n *syntax.Node) string {
	var b strings.Builder
	var draw func(n *syntax.Node)
	draw = func(n *syntax.Node) {
		if n.Lines > 0 {
			fmt.Fprintf(&b, "%d~", n.Lines)
		}
		switch n.Kind {
		case syntax.Root, syntax.List, syntax.Quote:
			b.WriteString(map[syntax.Kind]string{syntax.Root: "", syntax.List: "(", syntax.Quote: "'"}[n.Kind])
			for i, k := range n.Kids {
				if i > 0 {
					b.WriteString(" ")
				}
				draw(k)
			}
			b.WriteString(map[bool]string{true: "!", false: map[syntax.Kind]string{syntax.List: ")"}[n.Kind]}[n.Open])
		case syntax.Bad:
			b.WriteString("!" + n.Text(src))
		default:
			b.WriteString(n.Text(src))
		}
	}
	draw(n)
	return b.String()
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ name, in, out string }{
		{"nothing", " \n", ""},
		{"forms and comments", "; a\n(b #| c\n |# \"d\ne\")\n\n'f", "; a 1~(b #| c\n |# \"d\ne\") 2~'f"},
		{"a quote of a quote", "''(a)", "''(a)"},
		{"a quote of nothing", "(a ')", "(a '!)"},
		{"a list without its end", "(a (b", "(a (b!!"},
		{"an end too many", "(a)) (b)", "(a) !) (b)"},
		{"a definition behind one without its end", "(deny a\n  (b c\n(ask d)\n", "(deny a 1~(b c!! 1~(ask d)"},
		{"a string without its end", "(a \"b\n  c)\n(d)", "(a !\"b 1~c) 1~(d)"},
		{"a string that ends in the next definition", "(a \"b)\n(c \"d\")\n", "(a !\"b)! 1~(c \"d\")"},
		{"a comment without its end", "(a) #| b", "(a) !#| b"},
		{"what begins no datum", "(a [b] #c é)", "(a ![ b !] !# c !é)"},
		{"a name with #", "a#b |c d", "!a# b !|c d"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.out, sketch(c.in, syntax.Read(c.in))) })
	}
}

func TestAt(t *testing.T) {
	src := "(deny a (b \"c\") 'd)"
	root := syntax.Read(src)
	for off, innermost := range map[int]string{0: src, 1: "deny", 5: "deny", 6: "a", 8: "(b \"c\")", 9: "b", 13: "\"c\"",
		14: "\"c\"",
		15: src, 16: "'d", 17: "d", 18: "d", 19: src} {
		path := root.At(off)
		assert.Equal(t, innermost, path[len(path)-1].Text(src), off)
	}
	half := "(deny a (b "
	path := syntax.Read(half).At(len(half))
	assert.Equal(t, "(b", path[len(path)-1].Text(half), "behind the last word of a list without its end")
}

func TestNames(t *testing.T) {
	src := `(Deny :Tool :|userId| "a\n" 5 x.|Y| #|c|# 'q)`
	list := syntax.Read(src).Kids[0]
	assert.Equal(t, "deny", list.Head(src))
	data := list.Data()
	require.Len(t, data, 7)
	name, ok := data[1].Keyword(src)
	assert.Equal(t, "tool", name)
	assert.True(t, ok)
	name, _ = data[2].Keyword(src)
	assert.Equal(t, "userId", name)
	v, _ := data[3].Value(src)
	assert.Equal(t, "a\n", v.Text())
	assert.Empty(t, data[4].Symbol(src))
	assert.Equal(t, "x.Y", data[5].Symbol(src))
	_, ok = data[6].Value(src)
	assert.False(t, ok)
}

// values makes of a tree the values that a reader makes of its text.
func values(t *testing.T, src string, nodes []*syntax.Node) []sexpr.Value {
	t.Helper()
	var out []sexpr.Value
	for _, n := range nodes {
		switch n.Kind {
		case syntax.Comment, syntax.Block:
		case syntax.List:
			out = append(out, sexpr.ListOf(values(t, src, n.Kids)...))
		case syntax.Quote:
			out = append(out, sexpr.ListOf(append([]sexpr.Value{sexpr.Sym("quote")}, values(t, src, n.Kids)...)...))
		default:
			v, ok := n.Value(src)
			require.True(t, ok, n.Text(src))
			out = append(out, v)
		}
	}
	return out
}

// covers sees that what stands between nodes is blank, so that nothing is left out.
func covers(t *testing.T, src string, n *syntax.Node) {
	t.Helper()
	at := n.From
	for _, k := range n.Kids {
		between := strings.Trim(src[at:k.From], " \t\n\r\f")
		if at == n.From {
			between = strings.TrimLeft(between, "('")
		}
		require.Empty(t, between)
		require.Less(t, k.From, k.To)
		covers(t, src, k)
		at = k.To
	}
	if n.Kind == syntax.Root {
		require.Empty(t, strings.Trim(src[at:], " \t\n\r\f"))
	}
}

// What a reader takes, the tree has as the same values; and it leaves out nothing of any text.
func FuzzTreeIsWhatTheReaderReads(f *testing.F) {
	files, err := filepath.Glob("../../examples/skills/*.lisp")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, path := range files {
		src, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(string(src))
		f.Add(string(src[:len(src)/3]))
	}
	for _, src := range []string{"(a \"b\n(c",
		"''", "|a\\|b|c:|d|", "(((", ")))", "#|#|", "a#|b|#", "( ; c\n)", "\"\\", "12abc", ":", "'\n)"} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		root := syntax.Read(src)
		covers(t, src, root)
		read, err := sexpr.Reader{Code: true}.ReadAll("", src)
		if err != nil {
			return
		}
		require.True(t, sexpr.Equal(sexpr.ListOf(read...), sexpr.ListOf(values(t, src, root.Kids)...)))
	})
}

// Walkers can bear the depth of every tree, and hostile texts take no time.
func TestHostileTexts(t *testing.T) {
	for _, src := range []string{
		strings.Repeat("(", 1<<16), strings.Repeat("'", 1<<16), strings.Repeat(")", 1<<16),
		strings.Repeat("\n(", 1<<15), strings.Repeat("\"\n(", 1<<15), strings.Repeat("#|", 1<<15),
		"\"" + strings.Repeat("\n\\\"", 1<<18),
	} {
		var deepest func(n *syntax.Node) int
		deepest = func(n *syntax.Node) int {
			most := 0
			for _, k := range n.Kids {
				most = max(most, deepest(k))
			}
			return most + 1
		}
		assert.LessOrEqual(t, deepest(syntax.Read(src)), 300)
	}
}
