package wire

import (
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

const (
	frameRoom = 1024 // what stands around a value in an answer, at most
	maxID     = 64   // bytes of an :id that is a string
)

// The codes of errors that this package answers, besides those of [repl.Error].
const (
	codeFrame    = "frame"    // the bytes are no frame, or the frame holds no message
	codeMessage  = "message"  // the message lacks something, or has it wrong
	codeRefused  = "refused"  // this sender may not do this
	codeDenied   = "denied"   // the secret is wrong
	codeLimit    = "limit"    // too much, too many or too long
	codeFailed   = "failed"   // it was tried and did not work out
	codeInternal = "internal" // Cortex has a fault
	codeClosing  = "closing"  // the daemon is stopping
	codeStopped  = "interrupted"
)

// answer begins an answer to the request id; a nil id is left out.
func answer(id sexpr.Value, kind string) plist.Builder {
	var b plist.Builder
	b.Value("id", id)
	b.Add("type", sexpr.Key(kind))
	return b
}

// respond is the answer to a request.
func respond(id sexpr.Value, ok bool, payload sexpr.Value) sexpr.Value {
	b := answer(id, perceive.Response)
	status := "ok"
	if !ok {
		status = "error"
	}
	b.Add("status", sexpr.Key(status))
	b.Add("payload", payload)
	return b.Done()
}

// refuse is the answer to a request that fails.
func refuse(id sexpr.Value, f fault) sexpr.Value { return respond(id, false, f.payload()) }

// logFrame says what is wrong where there is no request to answer.
func logFrame(code, text string) sexpr.Value {
	return sexpr.Plist("type", sexpr.Key(perceive.Log), "payload",
		sexpr.Plist("level", sexpr.Key("error"), "code", sexpr.Key(code), "text", sexpr.Str(text)))
}

// fault is what a client is told about an error.
type fault struct {
	code   string
	text   string
	pos    sexpr.Pos
	signal uint64 // that it is about, or 0
}

func (f fault) payload() sexpr.Value {
	var b plist.Builder
	b.Int("signal", int64(f.signal))
	b.Add("code", sexpr.Key(f.code))
	b.Add("text", sexpr.Str(f.text))
	b.Int("line", int64(f.pos.Line))
	b.Int("column", int64(f.pos.Col))
	return b.Done()
}

// asFault is what a client may hear of an error. Those of the evaluator and of
// perceive are written for clients. Others come from inside and may name files,
// goroutines or what the gates look at: known is false, and they are for the log
// (weakness W24).
func asFault(err error) (f fault, known bool) {
	var of *repl.Error
	text, overloaded := cortex.Overloaded(err)
	switch {
	case errors.As(err, &of):
		return fault{code: of.Code, text: of.Err.Error(), pos: of.Pos}, true
	case errors.Is(err, perceive.ErrRefused), errors.Is(err, cortex.ErrNotOwner):
		return fault{code: codeRefused, text: err.Error()}, true
	case errors.Is(err, cortex.ErrClosed):
		return fault{code: codeClosing,
			text: "the daemon is stopping; what it has accepted it takes up when it starts again"}, true
	case errors.Is(err, cortex.ErrInterrupted):
		return fault{code: codeStopped, text: err.Error()}, true
	case overloaded:
		return fault{code: codeLimit, text: text}, true
	case errors.Is(err, errTooLong):
		return fault{code: codeLimit, text: err.Error()}, true
	}
	return fault{code: codeFailed, text: "this did not work out; the daemon's log says why"}, false
}

// idOf returns the :id of a message: an integer, a short string, or nil.
func idOf(form sexpr.Value) (sexpr.Value, error) {
	id, _ := form.Get("id")
	switch {
	case id.IsNil(), id.Kind() == sexpr.Int:
		return id, nil
	case id.Kind() == sexpr.String && len(id.Text()) <= maxID:
		return id, nil
	case id.Kind() == sexpr.String:
		return sexpr.Nil(), fmt.Errorf("%s: the :id is %d bytes long, expected at most %d", id.Pos(), len(id.Text()), maxID)
	}
	return sexpr.Nil(), fmt.Errorf("%s: the :id is %s, expected an integer or a string", id.Pos(), plist.Kind(id))
}

// outcome is what a client is told of the answer to its signal: what was said, and
// what it waits for. How it was decided is in the journal.
func outcome(out *cortex.Outcome) sexpr.Value {
	var b plist.Builder
	b.Int("signal", int64(out.Signal))
	b.Text("text", out.Text)
	b.Text("notice", out.Notice)
	b.Text("approval", out.Approval)
	b.True("dropped", out.Dropped)
	b.True("repeat", out.Repeat)
	return b.Done()
}

// keys are names as a list of keywords.
func keys(names ...string) sexpr.Value {
	out := make([]sexpr.Value, len(names))
	for i, n := range names {
		out[i] = sexpr.Key(n)
	}
	return sexpr.ListOf(out...)
}
