package facts

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/opencortex-go/cortex/skills"
)

// The reference that globs are tested against: slow and obvious. It compiles
// both globs to single characters whenever it is asked, and knows no index.

// slowToken matches: one given character, one of a class, any one but a slash
// (wild), any run without a slash (star), or any run (deep).
type slowToken struct {
	kind  slowKind
	r     rune
	class slowClass
}

type slowKind uint8

const (
	slowLiteral slowKind = iota
	slowOneOf
	slowWild
	slowStar
	slowDeep
)

// slowMatches reports whether a path that glob may name matches pattern: both could
// match one path.
func slowMatches(glob, pattern string) (bool, error) {
	if text, ok := unescape(glob); ok {
		return doublestar.Match(pattern, text)
	}
	a, err := slowCompile(glob)
	if err != nil {
		return true, nil // a word that we cannot read as a glob may match anything
	}
	b, err := slowCompile(pattern)
	if err != nil {
		return false, err
	}
	for _, x := range a {
		for _, y := range b {
			if slowMeet(x, y) {
				return true, nil
			}
		}
	}
	return false, nil
}

// slowMeet reports whether some text matches both rows. It walks all pairs of
// places in the two rows that one text can lead to, each pair once.
func slowMeet(a, b []slowToken) bool {
	width := len(b) + 1
	seen := make([]bool, (len(a)+1)*width)
	todo := []int{0}
	push := func(i, j int) {
		if k := i*width + j; !seen[k] {
			seen[k] = true
			todo = append(todo, k)
		}
	}
	for len(todo) > 0 {
		i, j := todo[len(todo)-1]/width, todo[len(todo)-1]%width
		todo = todo[:len(todo)-1]
		if i == len(a) && j == len(b) {
			return true
		}
		runA, runB := i < len(a) && a[i].kind >= slowStar, j < len(b) && b[j].kind >= slowStar
		if runA {
			push(i+1, j)
		}
		if runB {
			push(i, j+1)
		}
		if i < len(a) && j < len(b) && slowOverlap(a[i], b[j]) {
			push(i+slowStep(runA), j+slowStep(runB))
		}
	}
	return false
}

// slowStep is how far one character takes us: a run stays where it is.
func slowStep(run bool) int {
	if run {
		return 0
	}
	return 1
}

// slowOverlap reports whether one character can match both tokens, by trying each that
// could make a difference. Where the product is unsure it says yes: it does not take
// apart what a negated class leaves out, and takes every class to hold something.
func slowOverlap(a, b slowToken) bool {
	for _, r := range append(a.edges(), b.edges()...) {
		if a.takes(r) && b.takes(r) {
			return true
		}
	}
	if a.kind == slowLiteral || b.kind == slowLiteral {
		return false
	}
	return a.kind != slowOneOf || b.kind != slowOneOf || a.class.not || b.class.not
}

// edges are characters between which what a token takes does not change: those at, just
// below and just above every bound, and some that no pattern here names.
func (t slowToken) edges() []rune {
	all := []rune{'/', 1, '\U000effff', utf8.MaxRune}
	if t.kind == slowLiteral {
		all = append(all, t.r)
	}
	for _, x := range t.class.ranges {
		for _, r := range x {
			all = append(all, max(r-1, 0), r, min(r+1, utf8.MaxRune))
		}
	}
	return all
}

// slowClass is what stands between brackets.
type slowClass struct {
	not    bool
	ranges [][2]rune
}

func (t slowToken) takes(r rune) bool {
	switch t.kind {
	case slowLiteral:
		return r == t.r
	case slowDeep:
		return true
	case slowOneOf:
		inside := slices.ContainsFunc(t.class.ranges, func(x [2]rune) bool { return r >= x[0] && r <= x[1] })
		return r != '/' && inside != t.class.not
	case slowWild, slowStar:
	}
	return r != '/'
}

// slowNamed is a named class such as [:alpha:], and what stands behind it.
var slowNamed = regexp.MustCompile(`(?s)^\[(:.*?:|\..*?\.|=.*?=)\][^\]]*\]`)

// slowBrackets reads a class as the shell does: a "]" that comes first is one of its
// characters, a backslash makes the next one ordinary, and a dash stands between two
// bounds unless it is the last. A named class makes it one of anything.
func slowBrackets(s string) (c slowClass, n int, ok bool) {
	rest := s[1:]
	take := func() rune {
		if len(rest) > 1 {
			rest = strings.TrimPrefix(rest, `\`)
		}
		r, n := utf8.DecodeRuneInString(rest)
		rest = rest[n:]
		return r
	}
	if c.not = strings.IndexAny(rest, "!^") == 0; c.not {
		rest = rest[1:]
	}
	for first := true; rest != ""; first = false {
		named := slowNamed.FindString(rest)
		switch {
		case rest[0] == ']' && !first:
			return c, len(s) - len(rest) + 1, true
		case named != "":
			return slowClass{not: true}, len(s) - len(rest) + len(named), true
		case len(rest) > 1 && rest[0] == '[' && strings.ContainsRune(":.=", rune(rest[1])):
			return c, 0, false
		}
		lo := take()
		hi := lo
		if len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			rest = rest[1:]
			hi = take()
		}
		c.ranges = append(c.ranges, [2]rune{lo, hi})
	}
	return c, 0, false
}

// slowCompile reads the syntax of doublestar, which the shell's is part of.
func slowCompile(glob string) ([][]slowToken, error) {
	texts, err := alternatives(glob)
	if err != nil {
		return nil, err
	}
	out := make([][]slowToken, 0, len(texts))
	for _, t := range texts {
		rows, err := slowFlat(t)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}

// slowFlat compiles a glob without braces. "**/" also matches nothing, which
// makes two rows of one; a final "/**" also matches without its slash.
func slowFlat(glob string) ([][]slowToken, error) {
	rows := [][]slowToken{nil}
	add := func(t slowToken) {
		for i := range rows {
			rows[i] = append(rows[i], t)
		}
	}
	for i := 0; i < len(glob); {
		switch c := glob[i]; {
		case strings.HasPrefix(glob[i:], "**"):
			n := len(glob[i:]) - len(strings.TrimLeft(glob[i:], "*"))
			whole := (i == 0 || glob[i-1] == '/') && (i+n == len(glob) || glob[i+n] == '/')
			i += n
			if !whole {
				add(slowToken{kind: slowStar})
				continue
			}
			if len(rows) > maxAlts/2 {
				return nil, fmt.Errorf("the path pattern %q has too many **", glob)
			}
			rows = slowWithDeep(rows, i == len(glob))
			if i < len(glob) {
				i++ // the slash is part of what may be absent
			}
		case c == '*':
			add(slowToken{kind: slowStar})
			i++
		case c == '?':
			add(slowToken{kind: slowWild})
			i++
		case c == '[':
			cl, n, ok := slowBrackets(glob[i:])
			if !ok {
				return nil, fmt.Errorf("the path pattern %q has a bracket that never closes", glob)
			}
			add(slowToken{kind: slowOneOf, class: cl})
			i += n
		default:
			if c == '\\' && i+1 < len(glob) {
				i++
			}
			r, n := utf8.DecodeRuneInString(glob[i:])
			add(slowToken{kind: slowLiteral, r: r})
			i += n
		}
	}
	return rows, nil
}

func slowWithDeep(rows [][]slowToken, last bool) [][]slowToken {
	out := make([][]slowToken, 0, 2*len(rows))
	for _, r := range rows {
		if last {
			out = append(out, append(r[:len(r):len(r)], slowToken{kind: slowDeep}))
			if n := len(r); n > 0 && r[n-1].kind == slowLiteral && r[n-1].r == '/' {
				out = append(out, r[:n-1:n-1])
			}
			continue
		}
		out = append(out, r, append(r[:len(r):len(r)], slowToken{kind: slowDeep}, slowToken{kind: slowLiteral, r: '/'}))
	}
	return out
}

// slowGlobAny answers glob-any? pattern by pattern.
func slowGlobAny(c *skills.Case, args []any) (any, error) {
	globs, err := pathGlobs(c, args[0])
	if err != nil {
		return nil, err
	}
	patterns, _ := args[1].([]any)
	fold := len(args) > 2
	home := environment(c).home
	for _, p := range patterns {
		pattern, ok := p.(string)
		if !ok {
			return nil, errors.New("a path pattern is a string")
		}
		if home != "" && (pattern == "~" || strings.HasPrefix(pattern, "~/")) {
			pattern = escape(home) + pattern[1:]
		}
		for i := range globs {
			g := globs[i].glob
			if fold {
				g, pattern = strings.ToLower(g), strings.ToLower(pattern)
			}
			yes, err := slowMatches(g, pattern)
			if yes || err != nil {
				return yes, err
			}
		}
	}
	return false, nil
}
