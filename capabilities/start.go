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

// starter is the actuator of every capability.
type starter struct{ *Capabilities }

var _ act.Prober = starter{}

// Act implements [act.Actuator]: it records that the run has begun, waits until it rests,
// and answers with its Result. The log of the run is named after the intent of the start, so that a
// start that is tried again begins no second run.
func (c starter) Act(ctx context.Context, call act.Call) (act.Receipt, error) {
	v, ok := c.book.Load().version(call.Action)
	if !ok {
		return nothing("the plan that was judged may not be started any more"), nil
	}
	judged, err := c.judged(call.Decision)
	if err != nil {
		return nothing(err.Error()), nil
	}
	log, waiting := logOf(call.Key), ctx
	ctx = context.WithoutCancel(ctx) // a write on its way is entered, whether the caller waits for it or not
	rc, leave, err := c.claim(ctx, v, call, log, judged)
	if err != nil {
		return nothing(err.Error()), nil
	}
	if rc != nil {
		return *rc, nil
	}
	c.answering.Store(log, true)
	err = c.begin(ctx, v, call, log)
	leave()
	if err != nil {
		c.answering.Delete(log)
		return nothing(err.Error()), nil
	}
	answer, err := c.await(waiting, log)
	if err != nil { // it has begun, and how it stands is found out later: see Probe
		return act.Receipt{State: act.Unknown, Error: err.Error()}, nil
	}
	return answer, nil
}

func nothing(why string) act.Receipt { return act.Receipt{State: act.Nothing, Error: why} }

// judged reports whether a decision judged the steps of the plan: it did not if outputs were there.
func (c *Capabilities) judged(decision uint64) (bool, error) {
	d, _, err := c.host.Decision(decision)
	if err != nil {
		return false, err
	}
	for _, l := range d.Lookups {
		if l.Function == lookupRepeat {
			return false, nil
		}
	}
	return true, nil
}

// begin records that a run has begun, and wakes it.
func (c *Capabilities) begin(ctx context.Context, v *version, call act.Call, log string) error {
	why, err := c.begins(ctx, v, log)
	if why != "" {
		err = errors.New(why)
	}
	if err != nil {
		return err
	}
	e, err := entry(kindStarted, "", started{Capability: v.ID, Version: v.Version, Plan: v.hash,
		Inputs: inputsOf(call.Action), Ctx: c.host.Ctx(), Requester: call.Asker.Requester, At: c.now().Unix()})
	if err != nil {
		return err
	}
	if _, err = decode[started](e); err != nil { // no run is kept in a log that cannot be read
		c.never(v.ID, log)
		return err
	}
	_, err = c.logs.Append(ctx, logs.Write{Log: log, Family: family, By: call.Asker.Principal}, func(tx *logs.Tx) error {
		tx.Acts(call.Session, call.Approval)
		tx.Wake(call.Asker.Roles...)
		_, err := tx.Event(e)
		return err
	})
	if err != nil {
		c.never(v.ID, log)
	}
	return err
}

// Probe implements [act.Prober]: a run that an intent began says how it stands. There is none if the
// process died before it was on record.
func (c starter) Probe(ctx context.Context, call act.Call) (act.Receipt, error) {
	r, err := readRun(ctx, c.logs, logOf(call.Key))
	if errors.Is(err, logs.ErrNoLog) {
		return act.Receipt{State: act.Nothing, Error: "the run had not begun"}, nil
	}
	if err != nil {
		return act.Receipt{}, err
	}
	return c.answers(ctx, r, true)
}

// await waits for a run to rest, and says how it stands.
func (c *Capabilities) await(ctx context.Context, log string) (act.Receipt, error) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := c.host.Rest(waiting, log); err != nil && !errors.Is(err, context.DeadlineExceeded) &&
		!errors.Is(err, context.Canceled) {
		return act.Receipt{}, err
	}
	ctx = context.WithoutCancel(ctx)
	r, err := readRun(ctx, c.logs, log)
	if err != nil {
		return act.Receipt{}, err
	}
	return c.answers(ctx, r, false)
}

// receipt is the answer to a start: the Result of its run, or how the run stands so far.
func (r *Run) receipt() act.Receipt {
	result := sexpr.Plist("run", sexpr.Str(r.Log), "status", sexpr.Str(r.Status))
	if len(r.Outputs.Items()) > 0 {
		result = result.With("outputs", r.Outputs)
	}
	rc := act.Receipt{State: act.Done, Result: result, Text: r.Result()}
	if r.Ended() && r.Status != statusOK {
		rc.State, rc.Error = act.Failed, r.Result()
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
	if most = max(most, 3); len(text) <= most {
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
