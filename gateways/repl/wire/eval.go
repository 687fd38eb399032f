package wire

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/gateways/internal/protocol"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/internal/fair"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/sexpr"
)

// evaluation is a form that is being evaluated.
type evaluation struct {
	c       *conn
	id      sexpr.Value
	session string
	form    sexpr.Value
	lasts   bool // it goes on without its client, and takes no turn: most of it is waiting for models
	parts   bool // the client takes a long answer in parts
	stop    context.CancelCauseFunc

	turn *fair.Turn // nil while it has none
}

// eval evaluates the form and answers it. It ends with the client, with the
// server, when its time is over and when its client interrupts; what [repl.Lasts]
// does not end with the client.
func (x *evaluation) eval(ctx context.Context) {
	c := x.c
	ctx, cancel := context.WithTimeout(ctx, c.s.opt.EvalTimeout)
	defer cancel()
	ctx, x.stop = context.WithCancelCause(ctx)
	defer x.stop(nil)
	defer context.AfterFunc(c.s.work, func() { x.stop(context.Cause(c.s.work)) })()
	ev, err := c.evaluator(x.session)
	if err != nil {
		c.failed(x.id, 0, err)
		return
	}
	c.mu.Lock()
	c.evals[x] = true
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.evals, x)
		c.mu.Unlock()
	}()
	defer x.leave(0) // where the evaluator panics
	var r repl.Result
	if err = x.enter(ctx); err == nil {
		r, err = ev.Eval(x.within(ctx), x.form)
	}
	if err != nil {
		x.leave(0)
		c.failed(x.id, 0, x.broken(ctx, err))
		return
	}
	x.answer(true, r)
}

// enter waits for a turn.
func (x *evaluation) enter(ctx context.Context) (err error) {
	if x.lasts {
		return nil
	}
	in, most := x.c.s.opt.laneOf(x.form), x.c.s.opt.MaxAnswer
	if x.parts || in == fair.Acting {
		most = fair.Floor
	}
	x.turn, err = x.c.hears.Enter(ctx, in, most)
	return err
}

// leave gives the turn back, of whose room n bytes are still held.
func (x *evaluation) leave(n int) {
	if x.turn != nil {
		x.turn.Leave(n)
		x.turn = nil
	} else {
		x.c.hears.Must(n)
	}
}

// idle gives the turn back while a form waits for people or models.
func (x *evaluation) idle(ctx context.Context, wait func() error) error {
	x.leave(0)
	if err := wait(); err != nil {
		return err
	}
	return x.enter(ctx)
}

// within tells the evaluator how much room there is. An action is done whatever
// its answer takes.
func (x *evaluation) within(ctx context.Context) context.Context {
	if x.turn == nil {
		return ctx
	}
	return repl.Idling(x.bounded(ctx), func(wait func() error) error { return x.idle(ctx, wait) })
}

func (x *evaluation) bounded(ctx context.Context) context.Context {
	switch {
	case x.parts:
		return repl.InParts(ctx, fair.Floor, func(r repl.Result) error {
			x.answer(false, r)
			return x.enter(ctx)
		})
	case x.c.s.opt.laneOf(x.form) == fair.Acting:
		return ctx
	}
	return repl.Within(ctx, x.turn.Room)
}

// answer sends the answer, or a part of it, and gives the turn back: the client may
// take its time to read.
func (x *evaluation) answer(whole bool, r repl.Result) {
	var b plist.Builder
	b.Add("value", r.Value)
	b.Text("out", r.Out)
	b.True("quiet", r.Quiet)
	v := respond(x.id, true, b.Done())
	if !whole {
		v = v.With("status", sexpr.Key(protocol.Part))
	}
	frame, err := x.c.out.encode(v)
	if err != nil {
		x.c.s.opt.Logger.Error("an answer could not be written", "error", err)
		return
	}
	x.leave(len(frame))
	x.c.out.add(frame)
}

// broken is why an evaluation failed. If its context ended, the evaluator only
// knows that it was interrupted, and here it is known by what.
func (x *evaluation) broken(ctx context.Context, err error) error {
	var of *repl.Error
	switch {
	case ctx.Err() == nil, errors.As(err, &of) && of.Code != repl.CodeInterrupted:
		return err
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("the evaluation took %w, expected at most %s", errTooLong, x.c.s.opt.EvalTimeout)
	}
	return context.Cause(ctx)
}
