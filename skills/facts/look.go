package facts

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// look reads what stands inside words, tests and arithmetic: the substitutions,
// whose commands run too, and the constructs that evaluate text as code.
func (r *reader) look(n syntax.Node, at scope) error {
	var failed error
	at.input = word{}
	syntax.Walk(n, func(n syntax.Node) bool {
		if failed != nil {
			return false
		}
		switch n := n.(type) {
		case *syntax.CmdSubst:
			if n.TempFile || n.ReplyVar {
				failed = errors.New("${ command; } is read differently by different versions of bash")
				return false
			}
			_, failed = r.stmts(n.Stmts, at)
			return false
		case *syntax.ProcSubst:
			_, failed = r.stmts(n.Stmts, at)
			return false
		case *syntax.ExtGlob:
			failed = errors.New("patterns like @(a|b) are read differently when extglob is off; write them another way")
			return false
		case *syntax.ParamExp:
			r.lookParam(n, at)
		case *syntax.ArithmExp:
			r.lookArithm(n.X, at)
		case *syntax.ArithmCmd:
			r.lookArithm(n.X, at)
		case *syntax.LetClause:
			for _, x := range n.Exprs {
				r.lookArithm(x, at)
			}
		case *syntax.CStyleLoop:
			r.lookArithm(n.Init, at)
			r.lookArithm(n.Cond, at)
			r.lookArithm(n.Post, at)
		case *syntax.Assign:
			if n.Index != nil {
				r.lookArithm(n.Index, at)
			}
		case *syntax.ArrayElem:
			if n.Index != nil {
				r.lookArithm(n.Index, at)
			}
		case *syntax.DeclClause:
			r.lookDecl(n, at)
		case *syntax.BinaryTest:
			if n.Op >= syntax.TsEql && n.Op <= syntax.TsGtr {
				r.lookTest(n.X, at)
				r.lookTest(n.Y, at)
			}
		case *syntax.UnaryTest:
			if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
				r.lookName(n.X, at)
			}
		}
		return true
	})
	return failed
}

const evaluated = "what arithmetic on text that is not a number runs"

// lookParam notes expansions that evaluate the text of a variable.
func (r *reader) lookParam(p *syntax.ParamExp, at scope) {
	if p.Excl && p.Names == 0 || p.NestedParam != nil {
		r.unsure("what an indirect expansion runs")
	}
	if p.Exp != nil && p.Exp.Op == syntax.OtherParamOps {
		r.unsure("what a prompt expansion runs")
	}
	if p.Index != nil {
		if w, ok := p.Index.(*syntax.Word); !ok || w.Lit() != "@" && w.Lit() != "*" {
			r.lookArithm(p.Index, at)
		}
	}
	if p.Slice != nil {
		r.lookArithm(p.Slice.Offset, at)
		r.lookArithm(p.Slice.Length, at)
	}
}

// lookArithm notes arithmetic on anything but numbers: bash evaluates the text
// of a variable as an expression, and an index in it may hold a substitution.
func (r *reader) lookArithm(x syntax.ArithmExpr, at scope) {
	if x == nil {
		return
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		if w, ok := n.(*syntax.Word); ok {
			if !r.numeric(w, at) {
				r.unsure(evaluated)
			}
			return false
		}
		return true
	})
}

// numeric reports whether a word of arithmetic is a number for sure.
func (r *reader) numeric(w *syntax.Word, at scope) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if !r.numericLit(p.Value, at) {
				return false
			}
		case *syntax.ParamExp:
			if p.Length && p.Index == nil {
				continue // ${#x} is a number
			}
			if p.Param == nil || p.Excl || p.Index != nil || p.Exp != nil || p.Repl != nil || p.Slice != nil || p.Names != 0 || !at.vars.number(p.Param.Value) {
				return false
			}
		case *syntax.ArithmExp: // looked at on its own
		case *syntax.DblQuoted:
			if !r.numeric(&syntax.Word{Parts: p.Parts}, at) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (r *reader) numericLit(s string, at scope) bool {
	if syntax.ValidName(s) {
		return at.vars.number(s)
	}
	for _, c := range s {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') && !strings.ContainsRune("xX#", c) {
			return false
		}
	}
	return true
}

// lookTest is lookArithm for the sides of -eq and its kin in [[ ]].
func (r *reader) lookTest(x syntax.TestExpr, at scope) {
	if w, ok := x.(*syntax.Word); !ok || !r.numeric(w, at) {
		r.unsure(evaluated)
	}
}

// lookName notes the name of a variable that is computed or has an index: the
// index is evaluated.
func (r *reader) lookName(x syntax.TestExpr, at scope) {
	w, ok := x.(*syntax.Word)
	if !ok {
		r.unsure(evaluated)
		return
	}
	if got := r.resolver(at).word(w); !got.known || strings.Contains(got.text, "[") {
		r.unsure(evaluated)
	}
}

// lookDecl notes declarations that make later assignments evaluate text, or
// whose own arguments are computed.
func (r *reader) lookDecl(d *syntax.DeclClause, at scope) {
	for _, a := range d.Args {
		if a.Name != nil {
			if a.Index != nil {
				r.lookArithm(a.Index, at)
			}
			continue
		}
		got := unknownWord("", false)
		if a.Value != nil {
			got = r.resolver(at).word(a.Value)
		}
		option := got.known && len(got.text) > 1 && (got.text[0] == '-' || got.text[0] == '+')
		if !option || strings.ContainsAny(got.text, "in") {
			r.unsure(evaluated)
		}
	}
}

// risky are variables that make the shell or the loader run other code.
var risky = words("PS4 BASH_ENV ENV PROMPT_COMMAND SHELLOPTS BASHOPTS BASH_LOADABLES_PATH GLOBIGNORE")

func riskyName(name string) bool {
	return risky[name] || strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "BASH_FUNC") || strings.HasPrefix(name, "DYLD_")
}

// evaluating are variables whose values bash evaluates as they are assigned.
var evaluating = words("RANDOM SRANDOM SECONDS LINENO HISTCMD OPTIND BASHPID EPOCHSECONDS DIRSTACK GROUPS UID EUID PPID")

func riskyNames(v *vars) bool {
	for name, number := range v.assigned {
		if riskyName(name) || evaluating[name] && !number {
			return true
		}
	}
	return false
}
