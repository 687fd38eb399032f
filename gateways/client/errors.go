package client

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"

	"github.com/opencortex-go/cortex/gateways/internal/protocol"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// silence is an error of a daemon that is there and says nothing in time.
type silence struct{ cause error }

func (*silence) Error() string {
	return "the daemon does not answer in time: it has too much to do, or hangs; try again later, and look at its log"
}

func (s *silence) Unwrap() error { return s.cause }

// waited is why somebody waits no longer.
func waited(ctx context.Context) error {
	if err := context.Cause(ctx); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &silence{context.Cause(ctx)}
}

// ended is why a connection ended, for people.
func ended(err error) error {
	switch {
	case errors.Is(err, net.ErrClosed):
		return errors.New("the connection to the daemon has been closed here")
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return errors.New("the connection to the daemon broke off: it was stopped or killed")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, sexpr.ErrFrame):
		return errors.New("the daemon closed the connection")
	}
	return err
}

// complaint is the error that a log message carries, or nil.
func complaint(v sexpr.Value) error {
	if protocol.Word(v, "type") != perceive.Log {
		return nil
	}
	p, _ := v.Get("payload")
	return asError(p)
}

// asError reads an error as it stands in a payload.
func asError(p sexpr.Value) error {
	return &repl.Error{
		Code: protocol.Word(p, "code"), Err: errors.New(p.GetText("text")),
		Pos: sexpr.Pos{Line: int32(p.GetInt("line")), Col: int32(p.GetInt("column"))},
	}
}
