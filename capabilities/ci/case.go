package ci

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// tester starts the capability and answers the cards. It is an operator of the engine of the case alone.
const tester = "capability-test"

// rounds bounds how often the cards of one case are answered.
const rounds = 2*form.MaxSteps + 2

// bench runs the cases of one capability, each in an engine in which nothing has happened.
type bench struct {
	host  Host
	v     *form.Capability
	clean *running // no step was taken in it; nil for none
}

// run runs a case.
func (b *bench) run(ctx context.Context, m made) (out outcome, err error) {
	c := b.clean
	if c == nil || c.test != m.test { // facts are those of the unit case
		if err := b.close(); err != nil {
			return out, err
		}
		if c, err = b.open(ctx, m.test); err != nil {
			return out, err
		}
	}
	b.clean = c
	c.cases++
	out, err = c.run(ctx, m)
	if len(out.steps) > 0 || err != nil {
		err = errors.Join(err, b.close())
	}
	return out, err
}

// close closes the engine that is open, if there is one.
func (b *bench) close() error {
	c := b.clean
	if b.clean = nil; c == nil {
		return nil
	}
	return c.e.Close()
}

// open opens an engine with the capability on trial, and the facts of a unit case.
func (b *bench) open(ctx context.Context, t *form.Test) (c *running, err error) {
	c = &running{v: b.v, test: t, caps: capabilities.New()}
	opt := b.host.Options
	opt.Capabilities, opt.Heartbeat = c.caps, 24*time.Hour
	for _, tool := range b.host.Tools {
		opt.Tools = append(opt.Tools, act.Tool{Schema: tool, Actuator: act.Func(c.stub)})
	}
	if env, ok := t.Facts.Get("env"); ok {
		opt.Env = env
	}
	if c.e, err = cortex.Open(ctx, opt); err != nil {
		return nil, err
	}
	if err := c.prepare(ctx); err != nil {
		return nil, errors.Join(err, c.e.Close())
	}
	return c, nil
}

// running is an engine that cases run in.
type running struct {
	v     *form.Capability
	test  *form.Test
	e     *cortex.Engine
	caps  *capabilities.Capabilities
	cases int // so far; each has a session of its own
}

// run runs a case.
func (c *running) run(ctx context.Context, m made) (outcome, error) {
	a, err := skills.NewAction(c.v.ID, m.inputs, "")
	if err != nil {
		return outcome{status: refusal, why: err.Error()}, nil
	}
	f := c.facts()
	if text := c.says(m); text != "" {
		_, err := c.e.Hosts().Hear(ctx, cortex.Signal{Type: perceive.Event, Sensor: perceive.UserInput, Source: tester,
			Principal: tester, Session: f.Session.ID, Text: text})
		if err != nil {
			return outcome{}, err
		}
	}
	log, why, err := c.start(ctx, a, f)
	if log == "" || err != nil {
		return outcome{status: refusal, why: why}, err
	}
	return c.end(ctx, log)
}

// prepare puts the capability on trial and sets the facts of the case.
func (c *running) prepare(ctx context.Context) error {
	who := cortex.Approver{Name: tester, Classes: []string{skills.DefaultClass}}
	for _, part := range []string{"ctx", "policy"} {
		facts, _ := c.test.Facts.Get(part)
		for kv := facts.Items(); len(kv) > 1; kv = kv[2:] {
			err := c.e.Operations().SetFact(ctx, "facts."+part+"."+kv[0].Text(), kv[1], who)
			if err != nil {
				return err
			}
		}
	}
	err := c.caps.Register(ctx, c.v, tester)
	for _, s := range []capabilities.State{capabilities.Tested, capabilities.OnTrial} {
		if err == nil {
			err = c.caps.Move(ctx, c.v.ID, c.v.Version, s, tester, "")
		}
	}
	return err
}

// facts are those of the start.
func (c *running) facts() *cortex.Facts {
	f := &cortex.Facts{}
	f.Session.ID, f.Session.Principal, f.Session.Roles = fmt.Sprintf("case-%d", c.cases), tester, c.v.Roles
	return f
}

// says is what the user has said: the goal of the case. One that sets none has every cue of the plan, since
// it is the plan that is tested, and not when it is offered.
func (c *running) says(m made) string {
	work, _ := c.test.Facts.Get("work")
	if goal := work.GetText("goal"); goal != "" {
		return goal
	}
	words := slices.Concat(c.v.Offer.Goals, c.v.Offer.Keywords)
	for kv := m.inputs.Items(); len(kv) > 1; kv = kv[2:] {
		if kv[1].Kind() == sexpr.String {
			words = append(words, kv[1].Text())
		}
	}
	return strings.Join(words, " ")
}

// start starts the capability, and answers what it asks. It returns the log of its run; "" if it was
// refused.
func (c *running) start(ctx context.Context, a *skills.Action, f *cortex.Facts) (log, why string, err error) {
	for range rounds {
		r, err := c.e.Do(ctx, a, f)
		var held *cortex.Held
		var no *cortex.NotAllowed
		switch {
		case errors.As(err, &no):
			return "", no.Error(), nil
		case errors.As(err, &held):
			if err := c.yes(ctx, held.Approval); err != nil {
				return "", "", err
			}
		case err != nil:
			return "", "", err
		default:
			return r.Result.GetText("run"), r.Error, nil
		}
	}
	return "", "", errEndless
}

// end answers what the steps ask until the run has its Result.
func (c *running) end(ctx context.Context, log string) (outcome, error) {
	for range rounds {
		if err := c.e.Hosts().Rest(ctx, log); err != nil {
			return outcome{}, err
		}
		r, err := c.caps.Show(ctx, log)
		if err != nil {
			return outcome{}, err
		}
		if r.Ended() {
			out := outcome{status: r.Status, outputs: r.Outputs, why: r.Why, steps: []string{}}
			for _, s := range r.Steps {
				if s.Intent != 0 {
					out.steps = append(out.steps, s.Name)
				}
			}
			return out, nil
		}
		for a, err := range c.e.Pending(ctx) {
			if err == nil {
				err = c.yes(ctx, a)
			}
			if err != nil {
				return outcome{}, err
			}
		}
	}
	return outcome{}, errEndless
}

// yes fills every slot of a card, as many people as it takes.
func (c *running) yes(ctx context.Context, a *cortex.Approval) error {
	for i := range a.Slots {
		s := &a.Slots[i]
		for n := len(s.By); n < s.Quorum; n++ {
			who := cortex.Approver{Name: fmt.Sprintf("person-%d", n+1), Classes: []string{s.Class}}
			err := c.e.Approve(ctx, a.Token, who)
			if over := new(cortex.StateError); errors.As(err, &over) {
				return nil // others have filled it with theirs
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// stub is behind every tool: it returns what the case says of the step that calls it. What makes up for
// a step works.
func (c *running) stub(ctx context.Context, call act.Call) (act.Receipt, error) {
	rec, err := c.e.Journal().Read(call.Decision)
	if err != nil {
		return act.Receipt{}, err
	}
	step, _ := record.StepFrom(rec.Body)
	for _, s := range c.test.Stubs {
		switch {
		case s.Step != step.ID:
		case s.Error != "":
			return act.Receipt{State: act.Failed, Error: s.Error}, nil
		default:
			return act.Receipt{State: act.Done, Text: s.Text, Result: s.Result}, nil
		}
	}
	return act.Receipt{State: act.Done}, nil
}
