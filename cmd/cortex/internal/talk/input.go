package talk

import (
	"errors"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/lines"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
)

// place says where in all of the input an error is: where it says itself, else at
// the form it is about.
func place(c lines.Chunk, err error, form sexpr.Pos) (sexpr.Pos, error) {
	var read *sexpr.Error
	var of *repl.Error
	switch {
	case errors.As(err, &read) && read.Pos.Line > 0:
		form, err = read.Pos, &repl.Error{Code: repl.CodeSyntax, Err: errors.New(read.Msg)}
	case errors.As(err, &of) && of.Pos.Line > 0:
		form = of.Pos
	}
	form.Line += int32(c.First - 1)
	return form, err
}
