package condition

import (
	"fmt"
	"reflect"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"github.com/opencortex-go/cortex/sexpr"
)

// code is a piece of expr's syntax tree. The functions below are all that the
// lowerer uses of it: operators that expr gets right, its loops, and calls of
// our own functions for everything that must be checked.
type code = ast.Node

// put gives a node its place. expr carries it along into run-time errors; its
// two offsets hold our line and column.
func put(n code, p sexpr.Pos) code {
	n.SetLocation(file.Location{From: int(p.Line), To: int(p.Col)})
	return n
}

// place is the inverse of put.
func place(l file.Location) sexpr.Pos { return sexpr.Pos{Line: int32(l.From), Col: int32(l.To)} }

func constant(p sexpr.Pos, v any) code {
	switch v := v.(type) {
	case bool:
		return put(&ast.BoolNode{Value: v}, p)
	case string:
		return put(&ast.StringNode{Value: v}, p)
	}
	return put(&ast.ConstantNode{Value: v}, p)
}

// viewCode is the view of the case, the one thing a program is given.
func viewCode(p sexpr.Pos) code { return put(&ast.IdentifierNode{Value: "$env"}, p) }

// itCode is the element that the innermost loop has come to.
func itCode(p sexpr.Pos) code { return put(&ast.PointerNode{}, p) }

func varCode(p sexpr.Pos, name string) code { return put(&ast.IdentifierNode{Value: name}, p) }

// native calls one of our functions. f has one of the types for which expr
// calls without reflection and without a list of arguments: func(any) any,
// func(any) bool, func(any, any) any, func(any, any) bool.
func native(p sexpr.Pos, f any, args ...code) code {
	return put(&ast.CallNode{Callee: constant(p, f), Arguments: args}, p)
}

// lookup calls a registered function of package facts with the view as its
// first argument.
func lookup(p sexpr.Pos, name string, args []code) code {
	args = append([]code{viewCode(p)}, args...)
	return put(&ast.CallNode{Callee: put(&ast.IdentifierNode{Value: name}, p), Arguments: args}, p)
}

func both(p sexpr.Pos, op string, l, r code) code {
	return put(&ast.BinaryNode{Operator: op, Left: l, Right: r}, p)
}

func notCode(p sexpr.Pos, n code) code { return put(&ast.UnaryNode{Operator: "not", Node: n}, p) }

func choose(p sexpr.Pos, cond, yes, no code) code {
	return put(&ast.ConditionalNode{Ternary: true, Cond: cond, Exp1: yes, Exp2: no}, p)
}

func bind(p sexpr.Pos, name string, value, body code) code {
	return put(&ast.VariableDeclaratorNode{Name: name, Value: value, Expr: body}, p)
}

// loop is one of expr's own loops over a list: any, all, none, count, filter, map.
func loop(p sexpr.Pos, name string, list, body code) code {
	return put(&ast.BuiltinNode{Name: name, Arguments: []code{list, put(&ast.PredicateNode{Node: body}, p)}}, p)
}

// emitter turns trees into programs. It is not safe for concurrent use: expr
// caches types in its configuration.
type emitter struct {
	conf    *conf.Config
	checker checker.Checker
}

func newEmitter() *emitter {
	c := conf.CreateNew()
	c.Strict = true // a name we did not declare is an error
	clear(c.Builtins)
	// Of the optimiser only jump threading may run, in the compiler: it merges
	// loops and so changes which error comes first.
	return &emitter{conf: c}
}

// register makes a function known under name. If it answers yes or no, expr's
// checker is told.
func (e *emitter) register(name string, yesNo bool, f func(args ...any) (any, error)) {
	fn := &builtin.Function{Name: name, Func: f}
	if yesNo {
		fn.Types = []reflect.Type{reflect.TypeFor[func(args ...any) (bool, error)]()}
	}
	e.conf.Functions[name] = fn
}

// compile checks and compiles a tree that computes a value of kind want;
// reflect.Invalid is any kind. An error here is a mistake of the lowerer.
func (e *emitter) compile(n code, want reflect.Kind) (*vm.Program, error) {
	tree := &parser.Tree{Node: n, Source: file.NewSource("")}
	t, err := e.checker.PatchAndCheck(tree, e.conf)
	if err != nil {
		return nil, fmt.Errorf("expr's checker: %w", err)
	}
	if want != reflect.Invalid && t.Kind() != want {
		return nil, fmt.Errorf("expr's checker: the condition is a %s", t)
	}
	p, err := compiler.Compile(tree, e.conf)
	if err != nil {
		return nil, fmt.Errorf("expr's compiler: %w", err)
	}
	return p, nil
}
