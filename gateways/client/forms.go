package client

import (
	"context"

	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
)

// Forms evaluates forms. An error that the evaluator answers is a [repl.Error].
type Forms interface {
	// Eval evaluates one form.
	Eval(ctx context.Context, form sexpr.Value) (repl.Result, error)
	// Stream evaluates a form that answers with a long list, and calls each with
	// each part of the list, in order. An error of each ends Stream.
	Stream(ctx context.Context, form sexpr.Value, each func(repl.Result) error) error
}

// Calls are commands of the REPL. What a caller may do follows from who they are:
// a call that takes an operator is refused for anyone else.
type Calls struct{ forms Forms }

// InProcess returns the calls of a session on an engine that this process holds.
func InProcess(s *repl.Session) Calls { return Calls{local{s}} }

// local is a session in this process.
type local struct{ *repl.Session }

// partSize is about how long a part of a long answer is, in bytes.
const partSize = 64 << 10

// Stream implements [Forms].
func (l local) Stream(ctx context.Context, form sexpr.Value, each func(repl.Result) error) error {
	r, err := l.Eval(repl.InParts(ctx, partSize, each), form)
	if err != nil {
		return err
	}
	return each(r)
}

// call evaluates one command.
func (c Calls) call(ctx context.Context, name string, args ...sexpr.Value) (sexpr.Value, error) {
	r, err := c.forms.Eval(ctx, command(name, args...))
	return r.Value, err
}

func command(name string, args ...sexpr.Value) sexpr.Value {
	return sexpr.ListOf(append([]sexpr.Value{sexpr.Sym(name)}, args...)...)
}

func number(n uint64) sexpr.Value { return sexpr.Int64(int64(n)) }

// texts is a list of texts in a plist; it is never nil.
func texts(v sexpr.Value, key string) []string {
	out := []string{}
	list, _ := v.Get(key)
	for _, x := range list.Items() {
		out = append(out, x.Text())
	}
	return out
}
