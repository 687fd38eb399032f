package facts

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// A glob is compiled to alternatives, each a row of tokens, to answer whether
// two globs could match one path. doublestar answers for a glob and a path; the
// tests hold the two against each other.

const (
	maxGlob = 1024 // bytes of a pattern in a rule file
	maxAlts = 64   // alternatives that {a,b} may make of one
)

// token matches: one given character, one of a class, any one but a slash
// (wild), any run without a slash (star), or any run (deep).
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
	deep
)

// class is what stands in brackets. Slashes are in no class.
type class struct {
	not    bool
	ranges [][2]rune
}

func (c class) has(r rune) bool {
	if r == '/' {
		return false
	}
	for _, x := range c.ranges {
		if x[0] <= r && r <= x[1] {
			return !c.not
		}
	}
	return c.not
}

// checkGlob is the load-time check of a pattern in a rule file.
func checkGlob(v any) error {
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
		if _, err := compileGlob(p); err != nil {
			return err
		}
	}
	return nil
}

// matches reports whether a path that glob may name matches pattern: both could
// match one path.
func matches(glob, pattern string) (bool, error) {
	if text, ok := unescape(glob); ok {
		return doublestar.Match(pattern, text)
	}
	a, err := compileGlob(glob)
	if err != nil {
		return true, nil // a word that we cannot read as a glob may match anything
	}
	b, err := compileGlob(pattern)
	if err != nil {
		return false, err
	}
	for _, x := range a {
		for _, y := range b {
			if meet(x, y) {
				return true, nil
			}
		}
	}
	return false, nil
}

// meet reports whether some text matches both rows. It walks all pairs of
// places in the two rows that one text can lead to, each pair once.
func meet(a, b []token) bool {
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
		if i < len(a) && j < len(b) && overlap(a[i], b[j]) {
			push(i+step(runA), j+step(runB))
		}
	}
	return false
}

// step is how far one character takes us: a run stays where it is.
func step(run bool) int {
	if run {
		return 0
	}
	return 1
}

// overlap reports whether one character can match both tokens.
func overlap(a, b token) bool {
	if a.kind == literal {
		return b.takes(a.r)
	}
	if b.kind == literal {
		return a.takes(b.r)
	}
	if a.kind != oneOf || b.kind != oneOf {
		return true // both take some character that is not a slash
	}
	for _, x := range a.class.ranges {
		if b.class.has(x[0]) && a.class.has(x[0]) || b.class.has(x[1]) && a.class.has(x[1]) {
			return true
		}
	}
	for _, x := range b.class.ranges {
		if a.class.has(x[0]) && b.class.has(x[0]) || a.class.has(x[1]) && b.class.has(x[1]) {
			return true
		}
	}
	return a.class.not || b.class.not // may be; unsure counts as yes
}

func (t token) takes(r rune) bool {
	switch t.kind {
	case literal:
		return t.r == r
	case oneOf:
		return t.class.has(r)
	case deep:
		return true
	case wild, star:
	}
	return r != '/'
}

// compileGlob reads the syntax of doublestar, which the shell's is part of.
func compileGlob(glob string) ([][]token, error) {
	texts, err := alternatives(glob)
	if err != nil {
		return nil, err
	}
	out := make([][]token, 0, len(texts))
	for _, t := range texts {
		rows, err := compileFlat(t)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}

// alternatives writes {a,b} out. Braces do not nest deeper than the input is
// long, and the number of texts is bounded.
func alternatives(glob string) ([]string, error) {
	todo, done := []string{glob}, []string(nil)
	for len(todo) > 0 {
		g := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		open, parts, end := firstBrace(g)
		if open < 0 {
			done = append(done, g)
		}
		for _, p := range parts {
			todo = append(todo, g[:open]+p+g[end+1:])
		}
		if len(todo)+len(done) > maxAlts {
			return nil, fmt.Errorf("the path pattern %q has more than %d alternatives", glob, maxAlts)
		}
	}
	return done, nil
}

// firstBrace finds the first group in braces and what stands between its commas.
func firstBrace(g string) (open int, parts []string, end int) {
	open, depth, last := -1, 0, 0
	for i := 0; i < len(g); i++ {
		switch g[i] {
		case '\\':
			i++
		case '{':
			if depth++; depth == 1 {
				open, last = i, i+1
			}
		case ',':
			if depth == 1 {
				parts = append(parts, g[last:i])
				last = i + 1
			}
		case '}':
			if depth == 0 {
				continue
			}
			if depth--; depth == 0 {
				return open, append(parts, g[last:i]), i
			}
		}
	}
	return -1, nil, 0
}

// compileFlat compiles a glob without braces. "**/" also matches nothing, which
// makes two rows of one; a final "/**" also matches without its slash.
func compileFlat(glob string) ([][]token, error) {
	rows := [][]token{nil}
	add := func(t token) {
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
				add(token{kind: star})
				continue
			}
			if len(rows) > maxAlts/2 {
				return nil, fmt.Errorf("the path pattern %q has too many **", glob)
			}
			rows = withDeep(rows, i == len(glob))
			if i < len(glob) {
				i++ // the slash is part of what may be absent
			}
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
	return rows, nil
}

func withDeep(rows [][]token, last bool) [][]token {
	out := make([][]token, 0, 2*len(rows))
	for _, r := range rows {
		if last {
			out = append(out, append(r[:len(r):len(r)], token{kind: deep}))
			if n := len(r); n > 0 && r[n-1].kind == literal && r[n-1].r == '/' {
				out = append(out, r[:n-1:n-1])
			}
			continue
		}
		out = append(out, r, append(r[:len(r):len(r)], token{kind: deep}, token{kind: literal, r: '/'}))
	}
	return out
}

// readClass reads [abc], [!a-z], [^x] and the shell's []x]. Named classes such
// as [:alpha:] become "anything", which errs towards a match.
func readClass(s string) (c class, n int, ok bool) {
	i := 1
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		c.not = true
		i++
	}
	for first := true; i < len(s); first = false {
		if s[i] == ']' && !first {
			return c, i + 1, true
		}
		if strings.HasPrefix(s[i:], "[:") || strings.HasPrefix(s[i:], "[.") || strings.HasPrefix(s[i:], "[=") {
			end := strings.Index(s[i+2:], s[i+1:i+2]+"]")
			if end < 0 {
				return c, 0, false
			}
			i += end + 4
			j := strings.IndexByte(s[i:], ']')
			if j < 0 {
				return c, 0, false
			}
			return class{not: true}, i + j + 1, true
		}
		lo, w := classRune(s[i:])
		i += w
		hi := lo
		if i+1 < len(s) && s[i] == '-' && s[i+1] != ']' {
			hi, w = classRune(s[i+1:])
			i += 1 + w
		}
		c.ranges = append(c.ranges, [2]rune{lo, hi})
	}
	return c, 0, false
}

func classRune(s string) (rune, int) {
	if s[0] == '\\' && len(s) > 1 {
		r, n := utf8.DecodeRuneInString(s[1:])
		return r, n + 1
	}
	return utf8.DecodeRuneInString(s)
}
