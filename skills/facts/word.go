package facts

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// word is one word of a command after bash's expansions, as far as they can be
// told from the text.
type word struct {
	text    string // if known; the text of a pattern as it was written, unquoted
	glob    string // the same as a glob
	known   bool
	pattern bool   // has an unquoted metacharacter
	tilde   bool   // begins with a ~ that nothing resolves
	many    bool   // unknown, and may turn out as none or several words
	why     string // what is unknown: "the value of $X"
}

func known(text string) word { return word{text: text, glob: escape(text), known: true} }

func unknownWord(why string, many bool) word { return word{why: why, many: many} }

// maxWords bounds what braces make of one line.
const maxWords = 256

// braces applies brace expansion, the first of the expansions.
func braces(w *syntax.Word) ([]*syntax.Word, error) {
	if !strings.Contains(litText(w), "{") {
		return []*syntax.Word{w}, nil
	}
	split := *w
	split.Parts = append([]syntax.WordPart(nil), w.Parts...)
	if !syntax.SplitBraces(&split) {
		return []*syntax.Word{w}, nil
	}
	if braceCount(&split) > maxWords { // before the work, which grows faster
		return nil, fmt.Errorf("braces make more than %d words", maxWords)
	}
	var out []*syntax.Word
	for x, err := range expand.BracesSeq(nil, &split) {
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

// braceCount returns how many words braces make, or a number above maxWords. It
// recurses as deep as brackets may nest.
func braceCount(w *syntax.Word) int {
	n := 1
	for _, p := range w.Parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			continue
		}
		sum := 0
		if b.Sequence {
			sum = sequenceLen(b)
		} else {
			for _, e := range b.Elems {
				sum = min(sum+braceCount(e), maxWords+1)
			}
		}
		n = min(n*sum, maxWords+1)
	}
	return n
}

// sequenceLen returns how many words {from..to..step} makes, at most. A step is
// taken for 1.
func sequenceLen(b *syntax.BraceExp) int {
	from, err1 := strconv.ParseInt(b.Elems[0].Lit(), 10, 32)
	to, err2 := strconv.ParseInt(b.Elems[1].Lit(), 10, 32)
	if err1 != nil || err2 != nil {
		a, z := b.Elems[0].Lit(), b.Elems[1].Lit()
		if len(a) != 1 || len(z) != 1 {
			return maxWords + 1
		}
		from, to = int64(a[0]), int64(z[0])
	}
	return int(min(max(from-to, to-from)+1, maxWords+1))
}

func litText(w *syntax.Word) string {
	var b strings.Builder
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			b.WriteString(l.Value)
		}
	}
	return b.String()
}

// resolver resolves words without looking at the host.
type resolver struct {
	env   env
	vars  *vars
	dirs  []string // what $PWD may be
	posix bool     // the line goes to a shell that may not be bash
}

// build collects a word character by character.
type build struct {
	text, glob strings.Builder
	pattern    bool
	tilde      bool
	quoted     bool // something was quoted, so that the empty word stays
	unknown    bool
	many       bool
	why        string
}

func (b *build) quote(s string) {
	b.text.WriteString(s)
	b.glob.WriteString(escape(s))
	b.quoted = true
}

func (b *build) fail(why string, many bool) {
	if !b.unknown {
		b.why = why
	}
	b.unknown = true
	b.many = b.many || many
	b.text.Reset()
}

// word resolves one word that brace expansion has left. dropped words, which
// expand to nothing, come back as many without why.
func (r *resolver) word(w *syntax.Word) word {
	var b build
	for i, p := range w.Parts {
		r.part(&b, p, i == 0, i == len(w.Parts)-1)
	}
	return b.done()
}

func (b *build) done() word {
	text := b.text.String()
	switch {
	case b.unknown:
		return word{why: b.why, many: b.many}
	case text == "" && !b.quoted:
		return word{many: true}
	case b.pattern && !strings.ContainsAny(b.glob.String(), "*?") && !strings.Contains(text[strings.IndexByte(text, '['):], "]"):
		return word{text: text, glob: escape(text), known: true, tilde: b.tilde} // a lone [, as in [ -f x ]
	case b.pattern:
		return word{text: text, glob: closeBrackets(b.glob.String()), known: true, pattern: true, tilde: b.tilde}
	}
	return word{text: text, glob: b.glob.String(), known: true, tilde: b.tilde}
}

func (r *resolver) part(b *build, p syntax.WordPart, first, last bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		r.lit(b, p.Value, first, last)
	case *syntax.SglQuoted:
		s, ok := p.Value, true
		if p.Dollar {
			s, ok = ansiC(p.Value)
		}
		if !ok || p.Dollar && r.posix {
			b.fail("the text $'"+p.Value+"'", false)
			return
		}
		b.quote(s)
	case *syntax.DblQuoted:
		b.quoted = true
		for _, q := range p.Parts {
			r.quotedPart(b, q)
		}
	case *syntax.ParamExp:
		r.param(b, p, false)
	default:
		b.fail(partName(p), true)
	}
}

func (r *resolver) quotedPart(b *build, p syntax.WordPart) {
	switch p := p.(type) {
	case *syntax.Lit:
		b.quote(unescapeDouble(p.Value))
	case *syntax.ParamExp:
		r.param(b, p, true)
	default:
		b.fail(partName(p), false)
	}
}

func partName(p syntax.WordPart) string {
	switch p := p.(type) {
	case *syntax.CmdSubst:
		return "the output of a substitution"
	case *syntax.ProcSubst:
		return "the name of a process substitution"
	case *syntax.ArithmExp:
		return "the value of an arithmetic expansion"
	case *syntax.ParamExp:
		if p.Param != nil {
			return "the value of $" + p.Param.Value
		}
	}
	return "an expansion"
}

// param resolves $X and ${X} by the built environment, and nothing fancier:
// ${X:-rm} would take a default that only the shell knows to be right.
func (r *resolver) param(b *build, p *syntax.ParamExp, quoted bool) {
	many := !quoted || p.Param != nil && (p.Param.Value == "@" || p.Index != nil || p.Names != 0)
	plain := p.Param != nil && p.Flags == nil && !p.Excl && !p.Length && !p.Width && !p.IsSet &&
		p.Index == nil && p.Slice == nil && p.Repl == nil && p.Names == 0 && p.Exp == nil && len(p.Modifiers) == 0
	if !plain {
		b.fail(partName(p), many)
		return
	}
	val, ok := r.vars.value(p.Param.Value)
	if p.Param.Value == "PWD" && len(r.dirs) == 1 {
		if _, set := r.vars.assigned["PWD"]; !set && !r.vars.all {
			val, ok = r.dirs[0], true
		}
	}
	switch {
	case !ok || strings.ContainsRune(val, 0):
		b.fail(partName(p), many)
	case quoted:
		b.quote(val)
	case strings.ContainsAny(val, " \t\n*?[\\"):
		b.fail(partName(p), true) // split into words, or matched against files
	default:
		b.text.WriteString(val)
		b.glob.WriteString(escape(val))
	}
}

// lit resolves unquoted text: escapes, metacharacters and tildes.
func (r *resolver) lit(b *build, s string, first, last bool) {
	start := 0
	if first {
		start = r.tilde(b, s, last, false)
	}
	assignment := first && isAssignment(s)
	for i := start; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			i++
			if i == len(s) {
				b.quote(`\`)
			} else if s[i] != '\n' {
				_, n := utf8.DecodeRuneInString(s[i:])
				b.quote(s[i : i+n])
				i += n - 1
			}
		case '*', '?', '[':
			b.pattern = true
			b.text.WriteByte(c)
			b.glob.WriteByte(c)
		case '=', ':':
			b.text.WriteByte(c)
			b.glob.WriteByte(c)
			if assignment && i+1 < len(s) && s[i+1] == '~' {
				if r.posix {
					b.fail("what ~ inside a word means to a shell that may not be bash", false)
				}
				i += r.tilde(b, s[i+1:], last, true)
			}
		default:
			b.text.WriteByte(c)
			if strings.IndexByte(metas, c) >= 0 {
				if c != ']' {
					b.glob.WriteByte('\\')
				}
			}
			b.glob.WriteByte(c)
		}
	}
}

// tilde resolves a ~ at the start of s and returns how many bytes it took. It
// ends at a slash or, inside an assignment, a colon; where something else than
// this text follows before that, bash leaves it alone, and we do not tell.
func (r *resolver) tilde(b *build, s string, last, inside bool) int {
	if !strings.HasPrefix(s, "~") {
		return 0
	}
	end := strings.IndexAny(s, "/:")
	if end < 0 {
		end = len(s)
		if !last {
			b.fail("where ~ is", false)
			return end
		}
	}
	home, ok := r.env.home, r.env.home != ""
	if _, set := r.vars.assigned["HOME"]; set || r.vars.all {
		b.fail("where ~ is", false)
		return end
	}
	switch prefix := s[:end]; {
	case prefix == "~" && ok:
		b.quote(home)
	case prefix == "~+" || prefix == "~-" || len(prefix) > 1 && prefix[1] >= '0' && prefix[1] <= '9' || strings.ContainsAny(prefix, `\*?[`):
		b.fail("where "+prefix+" is", false)
	default:
		b.tilde = b.tilde || !inside
		b.text.WriteString(prefix)
		b.glob.WriteString(prefix)
	}
	return end
}

// isAssignment reports whether a word looks like name=value: bash resolves
// tildes behind its = and its colons even in an operand.
func isAssignment(s string) bool {
	name, _, ok := strings.Cut(s, "=")
	return ok && syntax.ValidName(name)
}

// unescapeDouble resolves what a backslash means in double quotes.
func unescapeDouble(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch s[i+1] {
			case '$', '`', '"', '\\':
				i++
			case '\n':
				i++
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// closeBrackets replaces every segment of a glob whose [ never closes by *: what
// the shell makes of it is subtle, and * matches all of that.
func closeBrackets(glob string) string {
	segs := strings.Split(glob, "/")
	for i, seg := range segs {
		if _, err := compileFlat(seg); err != nil {
			segs[i] = "*"
		}
	}
	return strings.Join(segs, "/")
}
