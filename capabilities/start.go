package capabilities

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/sexpr"
)

// patience is how long a start waits for its run to come to rest, before it answers that it runs.
const patience = 30 * time.Second

// start is the actuator of every capability: it records that the run has begun, waits until it rests,
// and answers with its Result. The log of the run is named after the intent of the start, so that a
// start that is tried again begins no second run.
func (c *Capabilities) start(ctx context.Context, call act.Call) (act.Receipt, error) {
	v, ok := c.book.Load().version(call.Action)
	if !ok {
		return act.Receipt{State: act.Nothing, Error: "the plan that was judged may not be started any more"}, nil
	}
	log := logOf(call.Key)
	e, err := entry(kindStarted, "", started{Capability: v.ID, Version: v.Version, Plan: v.hash,
		Inputs: inputsOf(call.Action), Ctx: c.host.Ctx(), Requester: call.Asker.Requester, At: time.Now().Unix()})
	if err != nil {
		return act.Receipt{State: act.Nothing, Error: err.Error()}, nil
	}
	_, err = c.logs.Append(ctx, logs.Write{Log: log, Family: family, By: call.Asker.Principal}, func(tx *logs.Tx) error {
		tx.Acts(call.Session, call.Approval)
		tx.Wake(call.Asker.Roles...)
		_, err := tx.Event(e)
		return err
	})
	if err != nil {
		return act.Receipt{State: act.Nothing, Error: err.Error()}, nil
	}
	return c.await(ctx, log)
}

// await waits for a run to rest, and says how it stands.
func (c *Capabilities) await(ctx context.Context, log string) (act.Receipt, error) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := c.host.Rest(waiting, log); err != nil && !errors.Is(err, context.DeadlineExceeded) &&
		!errors.Is(err, context.Canceled) {
		return act.Receipt{}, err
	}
	r, err := readRun(context.WithoutCancel(ctx), c.logs, log)
	if err != nil {
		return act.Receipt{}, err
	}
	return r.receipt(), nil
}

// receipt is what a start is answered.
func (r *Run) receipt() act.Receipt {
	result := sexpr.Plist("run", sexpr.Str(r.Log), "status", sexpr.Str(r.Status))
	if len(r.Outputs.Items()) > 0 {
		result = result.With("outputs", r.Outputs)
	}
	rc := act.Receipt{State: act.Done, Result: result, Text: r.Result()}
	if r.Ended() && r.Status != statusOK {
		rc.State, rc.Error = act.Failed, r.end.Why
	}
	return rc
}

// logOf names the log of the run that an intent starts.
func logOf(key string) string { return "run-" + key }

// clip cuts a text to some bytes, at a character.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 3 && !utf8.RuneStart(text[most-3]) {
		most--
	}
	return text[:most-3] + "..."
}

// Show returns a run by the name of its log.
func (c *Capabilities) Show(ctx context.Context, log string) (*Run, error) {
	return readRun(ctx, c.logs, log)
}
