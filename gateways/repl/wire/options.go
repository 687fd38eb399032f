package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/internal/protocol"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/internal/fair"
	"github.com/opencortex-go/cortex/sexpr"
)

// Options says what a server serves, where, and how much of it.
type Options struct {
	// Engine takes the signals. It must outlive the server.
	Engine *cortex.Engine
	// Repl evaluates forms.
	Repl *repl.Repl

	// Socket is the path of the plain socket, Approvals that of the approval
	// socket. "" leaves one out.
	Socket, Approvals string
	// Record is the folder of the engine's record. Clients are told a hash of it,
	// by which they find the pairing secret; "" for a record in memory.
	Record string
	// Operator is the uid of the person who answers approvals, where it is another
	// than the server's: then the approval socket serves it and root alone, and so
	// nothing that has the server's uid. nil means the server's own.
	Operator *int
	// Degraded says what does not work as it should beside the engine, for health checks. nil means
	// that there is nothing else.
	Degraded func() error
	// Version is Cortex's, for the handshake.
	Version string

	// Pool is what all clients share: bytes, and turns to evaluate. nil means one
	// with the defaults of [fair.Options].
	Pool *fair.Pool
	// MaxClients is how many clients the plain socket serves at a time; 0 means
	// 256. The approval socket has an eighth of that, at least 8, of its own.
	MaxClients int
	// Requests is how many requests of one client are worked on at a time; 0
	// means 64. More wait.
	Requests int
	// Queue is how many answers wait for one client to read them; 0 means 64.
	// While it is full, nothing more is read from that client.
	Queue int
	// Limits bound each message from a client.
	Limits sexpr.Limits
	// MaxAnswer bounds the text of one answer, in bytes; 0 means 4 MiB. A client
	// that leaves twice as much unread is cut off.
	MaxAnswer int

	// FrameTimeout is how long a frame may take to arrive once it has begun; 0
	// means 10 s.
	FrameTimeout time.Duration
	// WriteTimeout is how long a client may take to read anything of an answer;
	// 0 means 20 s.
	WriteTimeout time.Duration
	// AuthTimeout is how long a client of the approval socket may stay without
	// showing the secret; 0 means one minute.
	AuthTimeout time.Duration
	// EvalTimeout bounds the work on one form; 0 means 10 minutes.
	EvalTimeout time.Duration
	// Grace is how long Close waits for what is being answered; 0 means 5 s. A
	// signal that is not answered by then is taken up by the next engine that is
	// opened on the record.
	Grace time.Duration

	// Logger hears what an operator should know; nil discards it.
	Logger *slog.Logger

	// pause waits between a wrong secret and the answer to it.
	pause func(context.Context, time.Duration) error
}

// withDefaults fills in zero fields and reports every contradiction at once.
func (o Options) withDefaults() (Options, error) {
	var errs []error
	if o.Engine == nil {
		errs = append(errs, errors.New("wire: Options.Engine is missing"))
	}
	if o.Socket == "" && o.Approvals == "" {
		errs = append(errs,
			errors.New("wire: Options.Socket and Options.Approvals are both empty: there is nothing to serve"))
	}
	for _, f := range []struct {
		name string
		v    *int
		def  int
	}{{"MaxClients", &o.MaxClients, 256}, {"Requests", &o.Requests, 64}, {"Queue", &o.Queue, 64},
		{"MaxAnswer", &o.MaxAnswer, 4 << 20}} {
		errs = append(errs, fill(f.name, f.v, f.def))
	}
	for _, f := range []struct {
		name string
		v    *time.Duration
		def  time.Duration
	}{
		{"FrameTimeout", &o.FrameTimeout, 10 * time.Second}, {"WriteTimeout", &o.WriteTimeout, 20 * time.Second},
		{"AuthTimeout", &o.AuthTimeout, time.Minute}, {"EvalTimeout", &o.EvalTimeout, 10 * time.Minute},
		{"Grace", &o.Grace, 5 * time.Second},
	} {
		errs = append(errs, fill(f.name, f.v, f.def))
	}
	if o.MaxAnswer > protocol.MaxFrame-frameRoom {
		errs = append(errs, fmt.Errorf("wire: Options.MaxAnswer is %d, expected at most %d: longer frames cannot be written",
			o.MaxAnswer, protocol.MaxFrame-frameRoom))
	}
	if o.Pool == nil {
		o.Pool = fair.New(fair.Options{})
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.pause == nil {
		o.pause = pause
	}
	return o, errors.Join(errs...)
}

// laneOf is the kind of work that a form is.
func (o Options) laneOf(form sexpr.Value) fair.Lane {
	if o.Repl == nil {
		return fair.Computing
	}
	return o.Repl.LaneOf(form)
}

// fill sets a field that is zero, and refuses one that is negative.
func fill[T int | time.Duration](name string, field *T, def T) error {
	if *field < 0 {
		return fmt.Errorf("wire: Options.%s is negative", name)
	}
	if *field == 0 {
		*field = def
	}
	return nil
}

// pause waits, unless ctx ends before.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
