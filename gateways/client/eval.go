package client

import (
	"context"

	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
)

// Eval has the daemon evaluate one form. What the daemon answers as an error is a
// [repl.Error]; its place is that in the text that the form was read from.
func (c *Conn) Eval(ctx context.Context, form sexpr.Value) (repl.Result, error) {
	return c.eval(ctx, form, &call{})
}

// Stream is Eval of a form that answers with a long list: each is called with each
// part of it, in order, as the daemon reads it. While each is at work nothing else
// arrives for this client, which it must not use. An error of each ends Stream.
func (c *Conn) Stream(ctx context.Context, form sexpr.Value, each func(repl.Result) error) error {
	r, err := c.eval(ctx, form, &call{part: func(v sexpr.Value) error {
		p, _ := v.Get("payload")
		return each(evaluated(p))
	}})
	if err != nil {
		return err
	}
	return each(r)
}

func (c *Conn) eval(ctx context.Context, form sexpr.Value, w *call) (repl.Result, error) {
	b := c.ask("repl", sexpr.Plist("form", form))
	if w.part != nil {
		b.Add("stream", sexpr.T())
	}
	p, err := result(c.roundTrip(ctx, b, w))
	if err != nil {
		return repl.Result{}, inSource(err, b.Done(), form)
	}
	return evaluated(p), nil
}

func evaluated(p sexpr.Value) repl.Result {
	v, _ := p.Get("value")
	return repl.Result{Value: v, Out: p.GetText("out"), Quiet: p.GetTrue("quiet")}
}
