package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/opencortex-go/cortex/skills/facts/internal/words"
)

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
