package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// place is where a word stands, as far as that changes how it is read.
type place uint8

const (
	inList   place = iota // an operand, or an item of for
	asName                // the name of a command
	asValue               // behind NAME=
	asTarget              // behind a redirection
)

// word checks one word: its parts, and what its unquoted text may hold.
func (p *plain) word(w *syntax.Word, where place) error {
	dollar, open := false, false
	for i, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			has, err := p.lit(part, where, i == 0, i == len(w.Parts)-1)
			if err != nil {
				return err
			}
			open = open || has
		case *syntax.SglQuoted:
			if part.Dollar {
				return p.off(rAnsi, part.Pos())
			}
		case *syntax.DblQuoted:
			has, err := p.quoted(part)
			if err != nil {
				return err
			}
			dollar = dollar || has
		case *syntax.ExtGlob:
			return p.off(rExtGlob, part.Pos())
		default:
			dollar = true
			if err := p.expansion(part); err != nil {
				return err
			}
		}
	}
	if dollar && open {
		return p.off(rBrace, w.Pos())
	}
	if !p.deep(w) {
		return p.off(rStars, w.Pos())
	}
	return nil
}

// quoted checks what stands in double quotes, and reports whether anything in
// them is expanded.
func (p *plain) quoted(q *syntax.DblQuoted) (dollar bool, err error) {
	if q.Dollar {
		return false, p.off(rLocale, q.Pos())
	}
	for _, part := range q.Parts {
		l, ok := part.(*syntax.Lit)
		if !ok {
			dollar = true
			if err := p.expansion(part); err != nil {
				return false, err
			}
			continue
		}
		if int(l.ValueEnd.Offset()-l.ValuePos.Offset()) != len(l.Value) {
			return false, p.off(rContinued, l.Pos())
		}
		if i := p.loneDollar(l); i >= 0 {
			return false, p.off(rDollar, p.pos(i))
		}
	}
	return dollar, nil
}

// loneDollar returns where text in double quotes has a $ that some shell may read
// otherwise than as itself, or -1.
func (p *plain) loneDollar(l *syntax.Lit) int {
	for i := 0; i < len(l.Value); i++ {
		switch at := l.ValuePos.Offset() + uint(i); l.Value[i] {
		case '\\':
			i++
		case '$':
			if strings.IndexByte("\" /|,.", p.at(at+1)) < 0 {
				return int(at)
			}
		}
	}
	return -1
}

// expansion is the list of expansions.
func (p *plain) expansion(part syntax.WordPart) error {
	switch x := part.(type) {
	case *syntax.ParamExp:
		return p.param(x)
	case *syntax.CmdSubst:
		return p.subst(x)
	case *syntax.ArithmExp:
		return p.off(rArithmetic, x.Pos())
	case *syntax.ProcSubst:
		return p.off(rProcess, x.Pos())
	}
	return p.off(rDollar, part.Pos())
}

func (p *plain) param(x *syntax.ParamExp) error {
	if x.Param == nil {
		return p.off(rParam, x.Pos())
	}
	name := x.Param.Value
	length := uint(len(name) + 1)
	if !x.Short {
		length += 2
	}
	if x.End().Offset()-x.Pos().Offset() != length || x.Index != nil || x.Excl || x.Length {
		return p.off(rExpansion, x.Pos())
	}
	switch c := name[0]; {
	case c == '?' || c == '$' || c == '@' || c >= '0' && c <= '9':
		if !x.Short || name == "0" {
			return p.off(rParam, x.Pos())
		}
	case !syntax.ValidName(name):
		return p.off(rParam, x.Pos())
	}
	if next := x.End().Offset(); x.Short &&
		(p.at(next) == '[' || p.at(next) == ':' && (letter(p.at(next+1)) || p.at(next+1) == '&')) {
		return p.off(rParam, x.Pos())
	}
	return nil
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func (p *plain) subst(x *syntax.CmdSubst) error {
	start, end := x.Left.Offset(), x.Right.Offset()
	switch {
	case x.TempFile || x.ReplyVar:
		return p.off(rSubst, x.Pos())
	case len(x.Stmts) == 0, len(x.Stmts) == 1 && x.Stmts[0].Cmd == nil:
		return p.off(rReadFile, x.Pos())
	case x.Backquotes && strings.ContainsAny(p.src[start+1:end], "\\\"`"):
		return p.off(rBackquote, x.Pos())
	}
	back, heres := p.back, p.heres
	p.back = p.back || x.Backquotes
	p.inside++
	err := p.stmts(x.Stmts, x.Last)
	p.inside--
	p.back = back
	if _, simple := x.Stmts[0].Cmd.(*syntax.CallExpr); err == nil && p.heres > heres && (!simple || len(x.Stmts) > 1) {
		return p.off(rHere, x.Pos()) // bash 5.2 loses the ; behind it
	}
	return err
}

// lit checks unquoted text. It reports whether braces in it make several words.
func (p *plain) lit(l *syntax.Lit, where place, first, last bool) (braces bool, err error) {
	s := l.Value
	off := func(r refused, i int) (bool, error) { return false, p.off(r, p.pos(int(l.Pos().Offset())+i)) }
	if int(l.ValueEnd.Offset()-l.ValuePos.Offset()) != len(s) {
		return off(rContinued, 0)
	}
	if first {
		if r, bad := badStart(s, where, last); bad {
			return off(r, 0)
		}
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			if i++; i == len(s) {
				return off(rContinued, i-1)
			}
		case '$':
			if i != len(s)-1 || !last || !blank(p.at(l.ValueEnd.Offset())) {
				return off(rDollar, i)
			}
		case '~':
			if i > 0 && (s[i-1] == '=' || s[i-1] == ':') {
				return off(rTilde, i)
			}
		case '=':
			if i > 0 && s[i-1] == ':' && where == asValue {
				return off(rEquals, i)
			}
		case '*':
			if n := len(s[i:]) - len(strings.TrimLeft(s[i:], "*")); n > 1 {
				if n > 2 || i > 0 && s[i-1] != '/' || i == 0 && !first || i+2 < len(s) && s[i+2] != '/' || i+2 == len(s) && !last {
					return off(rStars, i)
				}
				i++
			}
			if where == asTarget {
				return off(rRedirect, i)
			}
		case '?':
			if where == asTarget {
				return off(rRedirect, i)
			}
		case '[':
			if s == "[" && first && last {
				continue
			}
			n := bracketLen(s[i:])
			if n == 0 || where == asTarget {
				return off(rBracket, i)
			}
			i += n - 1
		case '{', '}':
			n, makes := braceLen(s[i:])
			if n == 0 {
				return off(rBrace, i)
			}
			if makes && (where == asValue || where == asTarget) {
				return off(rBrace, i)
			}
			braces = braces || makes
			i += n - 1
		}
	}
	return braces, nil
}

// badStart tells what is wrong with the first text of a word; alone says that it
// is the whole word.
func badStart(s string, where place, alone bool) (refused, bool) {
	switch {
	case s[0] == '=' && (len(s) > 1 || !alone || where != inList):
		return rEquals, true
	case s[0] == '!' && (where == asTarget || where == asName):
		return rBang, true
	case s[0] == '~':
		if len(s) > 1 && s[1] != '/' || len(s) == 1 && !alone {
			return rTilde, true
		}
	case where == asName && alone && reserved[s]:
		return rReserved, true
	case where == asName && (s[0] == '{' || s[0] == '%'):
		return rReserved, true
	}
	return 0, false
}

// bracketLen is the length of a bracket that every shell reads alike, or 0.
func bracketLen(s string) int {
	i := 1
	if i < len(s) && s[i] == '!' {
		i++
	}
	from := i
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c == ']' && i > from:
			return i + 1
		case c == '-' && i > from && i+1 < len(s) && rangeOf(s[i-1], s[i+1]):
			i++
		case c != '.' && c != '_' && !letter(c) && (c < '0' || c > '9'):
			return 0
		}
	}
	return 0
}

// rangeOf reports whether a-b is a range of letters of one case, or of digits.
func rangeOf(a, b byte) bool {
	in := func(lo, hi byte) bool { return lo <= a && a <= b && b <= hi }
	return in('a', 'z') || in('A', 'Z') || in('0', '9')
}

// braceLen is the length of a group in braces that the shells read alike: {} and
// {text}, which stay as they are, or {a,b} and {1..3}, which some shells write
// out. It is 0 for any other.
func braceLen(s string) (n int, makes bool) {
	end := strings.IndexByte(s, '}')
	if s[0] != '{' || end < 0 {
		return 0, false
	}
	in := s[1:end]
	if strings.ContainsAny(in, "{\\*?[]~=$!") {
		return 0, false
	}
	return end + 1, strings.Contains(in, ",") || strings.Contains(in, "..")
}
