package shell

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/opencortex-go/cortex/skills/facts/internal/words"
)

// plain holds a parsed line against the list in plain.go. It goes over the tree
// once, and looks into the text wherever the tree is silent about it.
type plain struct {
	src      string
	assigned map[string]bool // the names that the line assigns, and whether more than once
	names    []string        // the same, in the order of the line
	commands int             // simple commands
	words    int             // theirs
	stars    bool            // one of them may be a pattern with *
	heres    int             // here-documents so far
	inside   int             // substitutions around the current node
	back     bool            // one of them is in backquotes
	moves    bool            // a command may change the folder
	exports  bool            // commands may see what is assigned outside of them
}

// text checks what holds for a line whatever its tree is.
func (p *plain) text() error {
	for i := 0; i < len(p.src); {
		c := p.src[i]
		if c < utf8.RuneSelf {
			p.stars = p.stars || c == '*'
			if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
				return p.off(rControl, p.pos(i))
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(p.src[i:])
		if r == utf8.RuneError && n == 1 || r >= 0x80 && r < 0xa0 {
			return p.off(rControl, p.pos(i))
		}
		i += n
	}
	return nil
}

// pos is the position of a byte, for errors about what is in no tree.
func (p *plain) pos(i int) syntax.Pos {
	before := p.src[:i]
	line := strings.Count(before, "\n")
	return syntax.NewPos(uint(i), uint(line+1), uint(i-strings.LastIndexByte(before, '\n')))
}

// at returns the byte at an offset, and a newline behind the end.
func (p *plain) at(i uint) byte {
	if i < uint(len(p.src)) {
		return p.src[i]
	}
	return '\n'
}

func (p *plain) stmts(list []*syntax.Stmt, last []syntax.Comment) error {
	for _, s := range list {
		if err := p.stmt(s); err != nil {
			return err
		}
	}
	return p.comments(last)
}

func (p *plain) comments(list []syntax.Comment) error {
	for _, c := range list {
		i := c.Hash.Offset()
		if p.inside > 0 || i > 0 && strings.IndexByte(" \t\n", p.src[i-1]) < 0 {
			return p.off(rComment, c.Hash)
		}
		if strings.HasSuffix(c.Text, `\`) || strings.Contains(c.Text, "\n") {
			return p.off(rContinued, c.Hash)
		}
	}
	return nil
}

func (p *plain) stmt(s *syntax.Stmt) error {
	if err := p.comments(s.Comments); err != nil {
		return err
	}
	switch {
	case s.Coprocess:
		return p.off(rPipeAll, s.Semicolon)
	case s.Disown, s.Background && strings.IndexByte("!|&>;", p.at(s.Semicolon.Offset()+1)) >= 0:
		return p.off(rBackground, s.Semicolon)
	case s.Negated && !blank(p.at(s.Position.Offset()+1)):
		return p.off(rBang, s.Position)
	case s.Cmd == nil:
		return p.off(rRedirectAlone, s.Position)
	}
	here := false
	for _, r := range s.Redirs {
		if r.Hdoc != nil && here {
			return p.off(rHere, r.OpPos)
		}
		here = here || r.Hdoc != nil
		if err := p.redirect(r); err != nil {
			return err
		}
	}
	if call, ok := s.Cmd.(*syntax.CallExpr); ok && len(call.Args) == 0 && len(s.Redirs) > 0 {
		return p.off(rRedirectAlone, s.Redirs[0].OpPos)
	}
	return p.command(s.Cmd)
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// command is the list of commands.
func (p *plain) command(c syntax.Command) error {
	switch c := c.(type) {
	case *syntax.CallExpr:
		return p.call(c)
	case *syntax.DeclClause:
		return p.declare(c)
	case *syntax.BinaryCmd:
		return p.binary(c)
	case *syntax.Block:
		return p.stmts(c.Stmts, c.Last)
	case *syntax.Subshell:
		return p.stmts(c.Stmts, c.Last)
	case *syntax.IfClause:
		return p.ifClause(c)
	case *syntax.WhileClause:
		if err := p.stmts(c.Cond, c.CondLast); err != nil {
			return err
		}
		return p.stmts(c.Do, c.DoLast)
	case *syntax.ForClause:
		return p.forClause(c)
	case *syntax.CaseClause:
		return p.off(rCase, c.Pos())
	case *syntax.TestClause:
		return p.off(rTest, c.Pos())
	case *syntax.ArithmCmd:
		return p.off(rArithmetic, c.Pos())
	case *syntax.LetClause:
		return p.off(rLet, c.Pos())
	case *syntax.FuncDecl:
		return p.off(rFunction, c.Pos())
	case *syntax.TimeClause:
		return p.off(rTime, c.Pos())
	case *syntax.CoprocClause:
		return p.off(rCoproc, c.Pos())
	}
	return p.off(rReserved, c.Pos())
}

func (p *plain) binary(c *syntax.BinaryCmd) error {
	switch c.Op {
	case syntax.AndStmt, syntax.OrStmt, syntax.Pipe:
	default:
		return p.off(rPipeAll, c.OpPos)
	}
	if err := p.stmt(c.X); err != nil {
		return err
	}
	return p.stmt(c.Y)
}

func (p *plain) ifClause(c *syntax.IfClause) error {
	for ; c != nil; c = c.Else {
		if err := p.stmts(c.Cond, c.CondLast); err != nil {
			return err
		}
		if err := p.stmts(c.Then, c.ThenLast); err != nil {
			return err
		}
		if err := p.comments(c.Last); err != nil {
			return err
		}
	}
	return nil
}

func (p *plain) forClause(c *syntax.ForClause) error {
	loop, ok := c.Loop.(*syntax.WordIter)
	switch {
	case c.Select:
		return p.off(rSelect, c.Pos())
	case !ok || c.Braces || !loop.InPos.IsValid() || len(loop.Items) == 0:
		return p.off(rLoop, c.Pos())
	case specialVariable(loop.Name.Value):
		return p.off(rAssign, loop.Pos())
	}
	p.assigns(loop.Name.Value)
	for _, w := range loop.Items {
		if err := p.word(w, inList); err != nil {
			return err
		}
	}
	return p.stmts(c.Do, c.DoLast)
}

func (p *plain) assigns(name string) {
	if p.assigned == nil {
		p.assigned = map[string]bool{}
	}
	_, again := p.assigned[name]
	if p.assigned[name] = again; !again {
		p.names = append(p.names, name)
	}
}

func (p *plain) call(c *syntax.CallExpr) error {
	p.commands++
	p.words += len(c.Args)
	for _, a := range c.Assigns {
		if err := p.assign(a); err != nil {
			return err
		}
	}
	for i, w := range c.Args {
		where := inList
		if i == 0 {
			where = asName
			if first := p.at(w.Pos().Offset()); first == '-' || first == '+' {
				return p.off(rSign, w.Pos()) // sh -c '+x' takes the line for an option
			}
			if lit, ok := w.Parts[0].(*syntax.Lit); ok && numberIs(lit.Value) {
				return p.off(rAssign, w.Pos()) // 1=x is an assignment to zsh
			}
		}
		if err := p.word(w, where); err != nil {
			return err
		}
	}
	if len(c.Args) == 0 {
		p.exports = p.exports ||
			slices.ContainsFunc(c.Assigns, func(a *syntax.Assign) bool { return !lowerName(a.Name.Value) })
	} else {
		l, ok := c.Args[0].Parts[0].(*syntax.Lit)
		p.moves = p.moves || !ok || len(c.Args[0].Parts) > 1 || strings.Contains(l.Value, `\`) || moving[l.Value]
	}
	return nil
}

// numberIs reports whether text begins like an assignment to a number.
func numberIs(text string) bool {
	rest := strings.TrimLeft(text, "0123456789")
	return len(rest) < len(text) && rest != "" && strings.IndexByte("=+[", rest[0]) >= 0
}

// lowerName reports whether a name is spelled like a variable of a script, not of
// the environment.
func lowerName(s string) bool {
	return strings.ToLower(s) == s && !strings.HasSuffix(s, "_proxy")
}

// moving are the commands behind which another folder may be the current one.
var moving = words.Of("cd chdir pushd popd command builtin eval")

func (p *plain) assign(a *syntax.Assign) error {
	switch {
	case a.Array != nil || a.Index != nil:
		return p.off(rArray, a.Pos())
	case a.Append:
		return p.off(rAppend, a.Pos())
	case a.Name == nil || a.Naked || !syntax.ValidName(a.Name.Value): // ./x=[a] is a command
		return p.off(rDecl, a.Pos())
	case specialVariable(a.Name.Value) && !setsLocale(a):
		return p.off(rAssign, a.Pos())
	}
	p.assigns(a.Name.Value)
	if a.Value == nil {
		return nil
	}
	return p.word(a.Value, asValue)
}

// setsLocale reports whether an assignment chooses a common locale, which changes
// what programs print and nothing that a line runs.
func setsLocale(a *syntax.Assign) bool {
	if a.Value == nil || a.Name.Value != "LANG" && !strings.HasPrefix(a.Name.Value, "LC_") {
		return false
	}
	switch a.Value.Lit() {
	case "C", "POSIX", "C.UTF-8", "C.utf8", "en_US.UTF-8", "en_US.utf8":
		return true
	}
	return false
}

// declare takes export, and what the others declare as far as it can be read:
// special notes that nothing is known behind them.
func (p *plain) declare(d *syntax.DeclClause) error {
	p.exports = true
	for _, a := range d.Args {
		if a.Naked && a.Array == nil && a.Index == nil {
			if a.Value != nil {
				if err := p.word(a.Value, inList); err != nil {
					return err
				}
				if lit := a.Value.Lit(); len(lit) < 2 || lit[0] != '-' {
					return p.off(rDecl, a.Pos())
				}
			} else if specialVariable(a.Name.Value) {
				return p.off(rAssign, a.Pos())
			} else {
				p.assigns(a.Name.Value)
			}
			continue
		}
		if err := p.assign(a); err != nil {
			return err
		}
		if a.Value != nil && strings.HasPrefix(p.src[a.Value.Pos().Offset():], "~") {
			return p.off(rTilde, a.Value.Pos()) // dash resolves it only in front of a command
		}
	}
	return nil
}

// redirect takes < > >> >| <> to one plain word, n>&m, and here-documents.
func (p *plain) redirect(r *syntax.Redirect) error {
	if r.N != nil && (len(r.N.Value) != 1 || r.N.Value[0] < '0' || r.N.Value[0] > '9') {
		return p.off(rRedirect, r.Pos())
	}
	switch r.Op {
	case syntax.RdrIn, syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrInOut:
		if p.numberGlob(r) {
			return p.off(rNumberGlob, r.OpPos)
		}
		return p.word(r.Word, asTarget)
	case syntax.DplIn, syntax.DplOut:
		to := r.Word.Lit()
		if r.Word.Pos().Offset() != r.OpPos.Offset()+2 || len(to) != 1 || to != "-" && (to[0] < '0' || to[0] > '9') {
			return p.off(rRedirectAll, r.OpPos)
		}
		if !strings.ContainsRune(" \t\n;&|<>)`", rune(p.at(r.Word.End().Offset()))) {
			return p.off(rRedirect, r.OpPos)
		}
		return nil
	case syntax.Hdoc:
		return p.hereDoc(r)
	case syntax.WordHdoc:
		return p.off(rHereString, r.OpPos)
	case syntax.RdrAll, syntax.AppAll:
		return p.off(rRedirectAll, r.OpPos)
	}
	return p.off(rHere, r.OpPos)
}

// numberGlob reports whether zsh would take <1-5> for a pattern.
func (p *plain) numberGlob(r *syntax.Redirect) bool {
	rest := strings.TrimLeft(p.src[r.OpPos.Offset()+1:], "0123456789")
	return r.Op == syntax.RdrIn && strings.HasPrefix(rest, "-") &&
		strings.HasPrefix(strings.TrimLeft(rest[1:], "0123456789"), ">")
}

// hereDoc takes <<END and <<'END' where END is a plain word, and what follows the
// text is a line with that word alone.
func (p *plain) hereDoc(r *syntax.Redirect) error {
	p.heres++
	end, quoted := "", false
	if len(r.Word.Parts) == 1 {
		switch d := r.Word.Parts[0].(type) {
		case *syntax.Lit:
			if end = d.Value; d.ValueEnd.Offset()-d.ValuePos.Offset() != uint(len(end)) {
				end = ""
			}
		case *syntax.SglQuoted:
			end, quoted = d.Value, true
			if d.Dollar {
				end = ""
			}
		case *syntax.DblQuoted:
			quoted = true
			if len(d.Parts) == 1 && !d.Dollar {
				if l, ok := d.Parts[0].(*syntax.Lit); ok {
					end = l.Value
				}
			}
		}
	}
	if end == "" || p.back || strings.Trim(end, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return p.off(rHere, r.OpPos)
	}
	if r.Hdoc == nil || len(r.Hdoc.Parts) == 0 {
		return p.off(rHere, r.OpPos)
	}
	// The parser ends the text with the line of the delimiter.
	start, stop := r.Hdoc.Pos().Offset(), r.Hdoc.End().Offset()
	text, found := strings.CutSuffix(p.src[start:stop], "\n"+end)
	if !found || p.at(start-1) != '\n' || p.at(stop) != '\n' || strings.HasPrefix(text+"\n", end+"\n") ||
		strings.Contains(text, "\n"+end+"\n") {
		return p.off(rHere, r.OpPos)
	}
	if quoted {
		return nil
	}
	if strings.ContainsAny(text, "\\`") {
		return p.off(rHere, r.OpPos)
	}
	for _, part := range r.Hdoc.Parts {
		if l, ok := part.(*syntax.Lit); ok {
			if i := strings.IndexByte(l.Value, '$'); i >= 0 {
				return p.off(rDollar, r.OpPos)
			}
			continue
		}
		if err := p.expansion(part); err != nil {
			return err
		}
	}
	return nil
}
