// Package glob holds a path that may be several against patterns of paths: could
// both name one path?
//
// A [Subject] is what a path may be: an absolute place, or one below a home or a
// folder that is not known, as a glob whose plain text is escaped. [Compile] reads
// a glob into [Rows], the subject answers whether it meets them or lies below a
// folder, and a [Set] holds it against many patterns at once. [From] and [Places]
// make the globs of what was written, and [Clean] resolves the .. in them. The
// disk is never looked at.
package glob

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// A glob is compiled to alternatives, each a row of segments, to answer whether
// two globs could match one path. doublestar answers for a glob and a path; the
// tests hold the two against each other.

// The bounds of a pattern in a rule file.
const (
	maxGlob  = 1024 // bytes
	MaxAlts  = 64   // alternatives that {a,b} may make of one
	maxDeeps = 6    // times that one may say **
)

// row is a glob without braces, cut at its slashes.
type row []segment

// Rows are the alternatives that a glob stands for, made ready.
type Rows []row

// segment matches one segment of a path: its text alone if it has no tokens,
// and otherwise what they match. A deep one matches any segments, also none.
type segment struct {
	deep   bool
	text   string
	tokens []token
	end    string // what every match of the tokens ends with
}

// token matches: one given character, one of a class, any one (wild), or any
// run (star).
type token struct {
	kind  tokenKind
	r     rune
	class class
}

type tokenKind uint8

const (
	literal tokenKind = iota
	oneOf
	wild
	star
)

// Check is the load-time check of a pattern in a rule file.
func Check(v any) error {
	items, ok := v.([]any)
	if !ok {
		items = []any{v}
	}
	for _, x := range items {
		p, ok := x.(string)
		switch {
		case !ok:
			return fmt.Errorf("a path pattern is a string")
		case len(p) > maxGlob:
			return fmt.Errorf("a path pattern of %d bytes, expected at most %d", len(p), maxGlob)
		case p == "" || len(p) > 1 && strings.HasSuffix(p, "/") || strings.Contains(p, "//"):
			return fmt.Errorf("the path pattern %q matches no path: paths have no empty segment and end in no slash", p)
		case !doublestar.ValidatePattern(p):
			return fmt.Errorf("%q is not a path pattern, expected one like \"**/*.pem\"", p)
		}
		if _, err := Compile(p); err != nil {
			return err
		}
	}
	return nil
}

// Compile reads the syntax of doublestar, which the shell's is part of.
func Compile(glob string) (Rows, error) {
	texts, err := Alternatives(glob)
	if err != nil {
		return nil, err
	}
	out := make(Rows, 0, len(texts))
	for _, t := range texts {
		r, err := compileFlat(t)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// compileFlat compiles a glob without braces.
func compileFlat(glob string) (row, error) {
	var out row
	var at []token // of the segment that we are in
	deeps, done := 0, false
	add := func(t token) {
		if t.kind == literal && t.r == '/' {
			out, at = append(out, newSegment(at)), nil
		} else {
			at = append(at, t)
		}
	}
	for i := 0; i < len(glob); {
		if at == nil {
			if text, n := plainSegment(glob[i:]); n > 0 {
				out = append(out, segment{text: text})
				i += n
				done = i == len(glob) && glob[i-1] != '/'
				continue
			}
		}
		switch c := glob[i]; {
		case strings.HasPrefix(glob[i:], "**"):
			n := len(glob[i:]) - len(strings.TrimLeft(glob[i:], "*"))
			whole := (i == 0 || glob[i-1] == '/') && (i+n == len(glob) || glob[i+n] == '/')
			i += n
			if !whole {
				add(token{kind: star})
				continue
			}
			if deeps++; deeps > maxDeeps {
				return nil, fmt.Errorf("the path pattern %q has too many **", glob)
			}
			out = append(out, segment{deep: true})
			done = i == len(glob)
			i++ // the slash is part of what may be absent
		case c == '*':
			add(token{kind: star})
			i++
		case c == '?':
			add(token{kind: wild})
			i++
		case c == '[':
			cl, n, ok := readClass(glob[i:])
			if !ok {
				return nil, fmt.Errorf("the path pattern %q has a bracket that never closes", glob)
			}
			add(token{kind: oneOf, class: cl})
			i += n
		default:
			if c == '\\' && i+1 < len(glob) {
				i++
			}
			r, n := utf8.DecodeRuneInString(glob[i:])
			add(token{kind: literal, r: r})
			i += n
		}
	}
	if !done {
		out = append(out, newSegment(at))
	}
	return out, nil
}

// plainSegment reads the segment that glob begins with, and the slash behind it,
// if it is nothing but text; most are.
func plainSegment(glob string) (text string, n int) {
	for n < len(glob) && glob[n] != '/' {
		switch glob[n] {
		case '*', '?', '[':
			return "", 0
		case '\\':
			if n++; n < len(glob) && glob[n] == '/' {
				return "", 0
			}
		}
		n++
	}
	n = min(n, len(glob))
	if !utf8.ValidString(glob[:n]) {
		return "", 0
	}
	return Unescaped(glob[:n]), min(n+1, len(glob))
}

// newSegment keeps tokens as text where they are nothing but that.
func newSegment(tokens []token) segment {
	from := len(tokens)
	for from > 0 && tokens[from-1].kind == literal {
		from--
	}
	var b strings.Builder
	for _, t := range tokens[from:] {
		b.WriteRune(t.r)
	}
	if from == 0 {
		return segment{text: b.String()}
	}
	return segment{tokens: tokens, end: b.String()}
}

// rowOf is the row that matches a text alone. Bytes that are no characters all
// count as the same one, as they do in a glob.
func rowOf(text string) row {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	out := make(row, 0, 1+strings.Count(text, "/"))
	for part := range strings.SplitSeq(text, "/") {
		out = append(out, segment{text: part})
	}
	return out
}

// MustCompile reads an escaped glob of ours, in which nothing can be wrong.
func MustCompile(glob string) Rows {
	out, err := Compile(glob)
	if err != nil {
		panic(err)
	}
	return out
}
