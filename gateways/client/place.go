package client

import (
	"errors"

	"github.com/opencortex-go/cortex/gateways/internal/protocol"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
)

// inSource moves the place of an error from the message, in which the daemon saw
// it, to where the form was read from.
func inSource(err error, message, form sexpr.Value) error {
	var of *repl.Error
	if !errors.As(err, &of) || of.Pos.Line == 0 {
		return err
	}
	text, printed := sexpr.Print(message)
	seen, read := sexpr.Reader{Limits: protocol.Answers}.Read("", text)
	if printed != nil || read != nil {
		return err
	}
	payload, _ := seen.Get("payload")
	expr, _ := payload.Get("form")
	if at, ok := counterpart(expr, form, of.Pos); ok {
		of.Pos = at
	}
	return err
}

// counterpart is the place, in the same form as it was first read, of what stands
// at a place now.
func counterpart(now, first sexpr.Value, at sexpr.Pos) (sexpr.Pos, bool) {
	if now.Pos() == at {
		return first.Pos(), true
	}
	for i, x := range now.Items() {
		if i >= first.Len() {
			break
		}
		if p, ok := counterpart(x, first.Items()[i], at); ok {
			return p, true
		}
	}
	return sexpr.Pos{}, false
}
