package facts

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// vars is what is known of the shell's variables on one line. A variable that
// the line may change anywhere is unknown everywhere on it: whether a change
// comes before or after a use depends on loops, traps and jobs.
type vars struct {
	known    map[string]string // name -> value, from the built environment
	assigned map[string]bool   // name -> only ever numbers
	all      bool              // anything may be assigned
	exported bool              // what is assigned may reach the commands' environment
}

// changers are builtins that run text which may assign, or assign to names that
// only the text behind an option tells.
var changers = words("mapfile readarray eval source . trap wait let declare typeset local readonly export pushd popd")

// setters are builtins that assign to names among their operands.
var setters = words("read unset getopts")

// scan adds what a line may assign. It runs before any word is resolved.
func (v *vars) scan(f *syntax.File) {
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			v.assign(n)
		case *syntax.WordIter:
			v.set(n.Name, false)
			v.export(n.Name)
		case *syntax.Redirect:
			if n.N != nil && strings.HasPrefix(n.N.Value, "{") {
				v.set(&syntax.Lit{Value: strings.Trim(n.N.Value, "{}")}, true)
			}
		case *syntax.CoprocClause:
			v.set(&syntax.Lit{Value: "COPROC"}, false)
			if n.Name != nil {
				v.set(&syntax.Lit{Value: n.Name.Lit()}, false)
			}
		case *syntax.ParamExp:
			if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				v.set(n.Param, false)
			}
		case *syntax.BinaryArithm:
			if assigns(n.Op) {
				v.setArithm(n.X)
			}
		case *syntax.UnaryArithm:
			if n.Op == syntax.Inc || n.Op == syntax.Dec {
				v.setArithm(n.X)
			}
		case *syntax.DeclClause:
			v.declare(n)
		case *syntax.CallExpr:
			if len(n.Args) == 0 { // before a command, they are that command's alone
				for _, a := range n.Assigns {
					v.export(a.Name)
				}
			} else if v.changes(n.Args) {
				v.all = true
			}
		}
		return true
	})
}

func (v *vars) assign(a *syntax.Assign) {
	if a.Name == nil {
		return // an option or a computed name: see declare
	}
	v.set(a.Name, a.Index == nil && a.Array == nil && !a.Append && !a.Naked && isNumber(a.Value))
}

// isNumber reports whether a word is a number as it stands, or by arithmetic.
func isNumber(w *syntax.Word) bool {
	if w == nil {
		return false
	}
	if len(w.Parts) == 1 {
		if _, ok := w.Parts[0].(*syntax.ArithmExp); ok {
			return true
		}
	}
	return isInteger(w.Lit())
}

func (v *vars) set(name *syntax.Lit, number bool) {
	if name == nil {
		return
	}
	was, ok := v.assigned[name.Value]
	v.assigned[name.Value] = number && (was || !ok)
	if name.Value == "IFS" || name.Value == "" {
		v.all = true
	}
}

func (v *vars) setArithm(x syntax.ArithmExpr) {
	if w, ok := x.(*syntax.Word); ok && syntax.ValidName(w.Lit()) {
		v.set(&syntax.Lit{Value: w.Lit()}, true)
		return
	}
	v.all = true
}

// declare looks at declare, export and the like: -i and -n change what later
// assignments mean, and a computed argument may name any variable.
func (v *vars) declare(d *syntax.DeclClause) {
	for _, a := range d.Args {
		if a.Name != nil {
			v.exported = v.exported || d.Variant.Value == "export"
			v.export(a.Name)
			continue
		}
		opt := ""
		if a.Value != nil {
			opt = a.Value.Lit()
		}
		v.exported = v.exported || strings.Contains(opt, "x")
		if len(opt) < 2 || opt[0] != '-' && opt[0] != '+' || strings.ContainsAny(opt, "inf\\") {
			v.all = true
		}
	}
}

// export notes an assignment that may reach the environment of commands: of a
// name that is there already, or is spelled like one.
func (v *vars) export(name *syntax.Lit) {
	if name == nil {
		return
	}
	_, known := v.known[name.Value]
	v.exported = v.exported || known || !lowerName(name.Value)
}

// changes reports whether a call may assign to variables that it does not name.
func (v *vars) changes(args []*syntax.Word) bool {
	first := flatten(args[0])
	if first == nil {
		return true
	}
	switch name := *first; {
	case name == "builtin", name == "command":
		for i, a := range args[1:] {
			if t := flatten(a); t == nil || !strings.HasPrefix(*t, "-") {
				return v.changes(args[i+1:]) // a chain of these is as long as the line
			}
		}
		return false
	case name == "printf":
		if len(args) == 1 {
			return false
		}
		t := flatten(args[1]) // the format, or the one option there is
		return t == nil || strings.HasPrefix(*t, "-v")
	case setters[name]:
		for _, a := range args[1:] {
			t := flatten(a)
			if t == nil {
				return true
			}
			v.set(&syntax.Lit{Value: *t}, false)
		}
		v.set(&syntax.Lit{Value: "REPLY"}, false)
		return false
	default:
		return changers[name] || name == ""
	}
}

// flatten resolves a word without knowing any variable; nil if it cannot.
func flatten(w *syntax.Word) *string {
	parts, err := braces(w)
	if err != nil {
		return nil
	}
	r := resolver{vars: &vars{all: true}}
	got := r.word(parts[0])
	if len(parts) > 1 || !got.known || got.pattern {
		return nil
	}
	return &got.text
}

// value returns a variable's value, if the line leaves it alone.
func (v *vars) value(name string) (string, bool) {
	if _, set := v.assigned[name]; v.all || set {
		return "", false
	}
	s, ok := v.known[name]
	return s, ok
}

// plainNumber are the variables that bash itself keeps, and that hold numbers.
var plainNumber = words("RANDOM SRANDOM SECONDS LINENO UID EUID PPID EPOCHSECONDS OPTIND SHLVL # ? $ !")

// lowerName reports whether a name is spelled like a variable of a script, not
// of the environment.
func lowerName(s string) bool {
	return syntax.ValidName(s) && s[0] != '_' && strings.ToLower(s) == s
}

// number reports whether a variable holds a number, or nothing, for sure.
// Arithmetic reads anything else as an expression, and runs the commands that
// stand in it.
func (v *vars) number(name string) bool {
	if v.all {
		return false
	}
	if num, set := v.assigned[name]; set {
		return num
	}
	if s, ok := v.known[name]; ok {
		return isInteger(s)
	}
	return plainNumber[name] || lowerName(name)
}

func isInteger(s string) bool {
	_, err := strconv.ParseInt(s, 10, 64)
	return err == nil
}

func assigns(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn,
		syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		return true
	}
	return false
}

// words makes a set of the words in s.
func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}
