package shell

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
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
