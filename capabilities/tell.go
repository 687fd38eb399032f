package capabilities

import (
	"context"
	"errors"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// A run tells its Result once: in the receipt of its start, or as a text of the session if the start was
// answered before there was a Result, or was cut off. Which of the two is entered in the log wherever both
// could be, and what was entered first holds.

// awaited says how the Result is told.
type awaited struct {
	Answered bool `json:"answered,omitempty"` // by the receipt of a start that was cut off; else later
}

var errEnded = errors.New("the run has ended")

// answers is the receipt of a start. cut says that the engine which began it died, so that the driver of
// the run may be about to tell the Result.
func (c *Capabilities) answers(ctx context.Context, r *Run, cut bool) (act.Receipt, error) {
	var err error
	if !r.Ended() {
		if err = c.tells(ctx, r, false); errors.Is(err, errEnded) {
			r, err = readRun(ctx, c.logs, r.Log)
		}
	}
	if err == nil && cut && r.Ended() && r.told == nil {
		err = c.tells(ctx, r, true)
	}
	if err != nil {
		return act.Receipt{}, err
	}
	if r.told != nil && !r.told.Answered {
		return r.running().receipt(), nil
	}
	return r.receipt(), nil
}

// running is a run as it stood before it had its Result.
func (r *Run) running() *Run {
	if !r.Ended() {
		return r
	}
	before := *r
	before.end, before.Outputs, before.Status = nil, sexpr.Value{}, "running"
	return &before
}

// tells enters how the Result of a run is told, and notes in r what holds. Before the Result is there it
// can only be told later: if it is there by now, the error is [errEnded].
func (c *Capabilities) tells(ctx context.Context, r *Run, answered bool) error {
	e, err := entry(kindAwaited, "", awaited{answered})
	if err != nil {
		return err
	}
	was, said := r.Ended(), logs.Event{}
	_, err = c.logs.Append(ctx, logs.Write{Log: r.Log, Family: family, By: r.Owner}, func(tx *logs.Tx) error {
		h, err := tx.Head()
		if err == nil && h.Over && !was {
			err = errEnded
		}
		if err != nil {
			return err
		}
		tx.Over(was)
		said, err = tx.Event(e)
		return err
	})
	if err == nil {
		err = r.apply(said)
	}
	return err
}

// tell tells the session of a run its Result, unless the start has it. It stays due until one of them has
// it on record.
func (c *Capabilities) tell(ctx context.Context, r *Run) (engine.Rest, error) {
	if r.told == nil {
		open, err := c.opened(r)
		if err != nil || !open {
			c.answering.Delete(r.Log)
			return engine.Rest{}, err
		}
		if _, ok := c.answering.Load(r.Log); ok {
			return engine.Rest{Why: "its start is being answered", Later: true}, nil
		}
		if err := c.tells(ctx, r, false); err != nil {
			return engine.Rest{}, err
		}
	}
	if r.told.Answered {
		return engine.Rest{}, nil
	}
	_, err := c.host.Hear(ctx, engine.Signal{Sensor: perceive.TextRead, Source: perceive.Run, Key: "result:" + r.Log,
		Session: r.Session, Text: r.Result(), Payload: sexpr.Plist("sensor", sexpr.Str(perceive.TextRead),
			"name", sexpr.Str(r.Capability))})
	return engine.Rest{}, err
}

// opened reports whether the start of a run has no receipt.
func (c *Capabilities) opened(r *Run) (bool, error) {
	open, err := c.host.Open(r.Session)
	for _, in := range open {
		if logOf(in.Key) == r.Log {
			return true, err
		}
	}
	return false, err
}
