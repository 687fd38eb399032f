// Package globtest is what package glob is tested against: a reference that is slow
// and obvious, and the patterns and paths that tests draw.
package globtest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
)

// The reference compiles both globs to single characters whenever it is asked, and
// knows no index.

// Token matches: one given character, one of a class, any one but a slash
// (wild), any run without a slash (star), or any run (deep).
type Token struct {
	kind  kind
	r     rune
	class class
}

type kind uint8

const (
	literal kind = iota
	oneOf
	wild
	star
	deep
)

// Matches reports whether a path that glob may name matches pattern: both could
// match one path.
func Matches(g, pattern string) (bool, error) {
	if text, ok := glob.Unescape(g); ok {
		return doublestar.Match(pattern, text)
	}
	a, err := Compile(g)
	if err != nil {
		return true, nil // a word that we cannot read as a glob may match anything
	}
	b, err := Compile(pattern)
	if err != nil {
		return false, err
	}
	for _, x := range a {
		for _, y := range b {
			if Meet(x, y) {
				return true, nil
			}
		}
	}
	return false, nil
}

// Meet reports whether some text matches both rows. It walks all pairs of
// places in the two rows that one text can lead to, each pair once.
func Meet(a, b []Token) bool {
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
		runA, runB := i < len(a) && a[i].kind >= star, j < len(b) && b[j].kind >= star
		if runA {
			push(i+1, j)
		}
		if runB {
			push(i, j+1)
		}
		if i < len(a) && j < len(b) && Overlap(a[i], b[j]) {
			push(i+advance(runA), j+advance(runB))
		}
	}
	return false
}

// advance is how far one character takes us: a run stays where it is.
func advance(run bool) int {
	if run {
		return 0
	}
	return 1
}

// Overlap reports whether one character can match both tokens, by trying each that
// could make a difference. Where the product is unsure it says yes: it does not take
// apart what a negated class leaves out, and takes every class to hold something.
func Overlap(a, b Token) bool {
	for _, r := range append(a.edges(), b.edges()...) {
		if a.takes(r) && b.takes(r) {
			return true
		}
	}
	if a.kind == literal || b.kind == literal {
		return false
	}
	return a.kind != oneOf || b.kind != oneOf || a.class.not || b.class.not
}

// edges are characters between which what a token takes does not change: those at, just
// below and just above every bound, and some that no pattern here names.
func (t Token) edges() []rune {
	all := []rune{'/', 1, '\U000effff', utf8.MaxRune}
	if t.kind == literal {
		all = append(all, t.r)
	}
	for _, x := range t.class.ranges {
		for _, r := range x {
			all = append(all, max(r-1, 0), r, min(r+1, utf8.MaxRune))
		}
	}
	return all
}

// class is what stands between brackets.
type class struct {
	not    bool
	ranges [][2]rune
}

func (t Token) takes(r rune) bool {
	switch t.kind {
	case literal:
		return r == t.r
	case deep:
		return true
	case oneOf:
		inside := slices.ContainsFunc(t.class.ranges, func(x [2]rune) bool { return r >= x[0] && r <= x[1] })
		return r != '/' && inside != t.class.not
	case wild, star:
	}
	return r != '/'
}

// named is a named class such as [:alpha:], and what stands behind it.
var named = regexp.MustCompile(`(?s)^\[(:.*?:|\..*?\.|=.*?=)\][^\]]*\]`)

// brackets reads a class as the shell does: a "]" that comes first is one of its
// characters, a backslash makes the next one ordinary, and a dash stands between two
// bounds unless it is the last. A named class makes it one of anything.
func brackets(s string) (c class, n int, ok bool) {
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
		name := named.FindString(rest)
		switch {
		case rest[0] == ']' && !first:
			return c, len(s) - len(rest) + 1, true
		case name != "":
			return class{not: true}, len(s) - len(rest) + len(name), true
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

// Compile reads the syntax of doublestar, which the shell's is part of.
func Compile(text string) ([][]Token, error) {
	texts, err := glob.Alternatives(text)
	if err != nil {
		return nil, err
	}
	out := make([][]Token, 0, len(texts))
	for _, t := range texts {
		rows, err := Flat(t)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}

// Flat compiles a glob without braces. "**/" also matches nothing, which
// makes two rows of one; a final "/**" also matches without its slash.
func Flat(text string) ([][]Token, error) {
	rows := [][]Token{nil}
	add := func(t Token) {
		for i := range rows {
			rows[i] = append(rows[i], t)
		}
	}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case strings.HasPrefix(text[i:], "**"):
			n := len(text[i:]) - len(strings.TrimLeft(text[i:], "*"))
			whole := (i == 0 || text[i-1] == '/') && (i+n == len(text) || text[i+n] == '/')
			i += n
			if !whole {
				add(Token{kind: star})
				continue
			}
			if len(rows) > glob.MaxAlts/2 {
				return nil, fmt.Errorf("the path pattern %q has too many **", text)
			}
			rows = withDeep(rows, i == len(text))
			if i < len(text) {
				i++ // the slash is part of what may be absent
			}
		case c == '*':
			add(Token{kind: star})
			i++
		case c == '?':
			add(Token{kind: wild})
			i++
		case c == '[':
			cl, n, ok := brackets(text[i:])
			if !ok {
				return nil, fmt.Errorf("the path pattern %q has a bracket that never closes", text)
			}
			add(Token{kind: oneOf, class: cl})
			i += n
		default:
			if c == '\\' && i+1 < len(text) {
				i++
			}
			r, n := utf8.DecodeRuneInString(text[i:])
			add(Token{kind: literal, r: r})
			i += n
		}
	}
	return rows, nil
}

func withDeep(rows [][]Token, last bool) [][]Token {
	out := make([][]Token, 0, 2*len(rows))
	for _, r := range rows {
		if last {
			out = append(out, append(r[:len(r):len(r)], Token{kind: deep}))
			if n := len(r); n > 0 && r[n-1].kind == literal && r[n-1].r == '/' {
				out = append(out, r[:n-1:n-1])
			}
			continue
		}
		out = append(out, r, append(r[:len(r):len(r)], Token{kind: deep}, Token{kind: literal, r: '/'}))
	}
	return out
}
