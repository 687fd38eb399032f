package runs

import (
	"fmt"
	"maps"
	"slices"

	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/prompt"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/runs/binding"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/shelf"
	"github.com/opencortex-go/cortex/runs/ticket"
	"github.com/opencortex-go/cortex/runs/tools"
	"github.com/opencortex-go/cortex/sexpr"
)

// closing is an attempt that is being closed: what it comes to, and the events that say so. It is
// the only code that moves a run, for agents, people and the engine, and it writes nothing itself.
type closing struct {
	p       *place
	h       handed
	step    *plans.Step
	session event.SessionID
	run     event.RunID
	attempt event.AttemptID
	to      event.NodeID

	fixed       []binding.Confirmation // what people confirmed on the way here, where an agent changes work
	work        sexpr.Value            // after the attempt
	sources     work.Sources
	unconfirmed bool   // a person has not confirmed the step, as it is before the attempt
	refusal     string // what a person said who refused it
	merged      bool   // the context that was handed in was taken
	set         []byte // work after it, as canonical JSON
	observed    []*event.CapabilityObserved
	reasons     []state.Reason // that block
	gaps        []state.Gap
	fails       bool
	left        bool        // the step is left out
	next        advance.Due // if nothing blocks
	text        prompt.Text // of the step that is due next
	trace       []advance.Entry

	first  uint64 // index of the first event
	events []*event.Event
	keep   []shelf.Content
	reply  *tools.Reply
	over   bool
	held   bool
	wakes  bool // the engine goes on
	leaves *engine.Step
}

// close says what an output comes to at a place.
func (r *Runs) close(p *place, h handed) (*closing, error) {
	pos, ok := position(p.at)
	if !ok {
		return nil, tools.Failed(tools.PreconditionFailed, "the run is complete at this place: no step is pending",
			"start a new run, or go back to an earlier place of this one")
	}
	if err := p.released(); err != nil {
		return nil, err
	}
	c := &closing{p: p, h: h, session: p.log.Session, run: p.log.Run, attempt: h.attempt, first: p.log.Next(),
		to: event.Derive[event.NodeID](string(p.log.Session), string(h.attempt))}
	due, err := p.due()
	if err != nil {
		return nil, corrupt(err)
	}
	c.step = due.Step
	if c.fixed, err = r.confirmations(p, h); err != nil {
		return nil, err
	}
	if !h.engine && due.Step.By != plans.ByPrompt {
		return nil, tools.Failed(tools.PreconditionFailed, fmt.Sprintf("step %s is not an agent's: %s takes it", due.Step.ID,
			taker(due.Step.By)), readAgain)
	}
	if c.unconfirmed = p.unconfirmed(due); c.unconfirmed {
		if c.refusal, err = r.refusal(p); err != nil {
			return nil, err
		}
	}
	c.take(due)
	if len(c.reasons) == 0 && !c.fails {
		if err := c.onward(r, pos); err != nil {
			return nil, err
		}
	}
	if len(c.reasons) > 0 {
		if err := c.limit(r); err != nil {
			return nil, err
		}
	}
	return c, c.write()
}

// taker is who takes a step that the holder of a ticket does not.
func taker(by plans.By) string {
	switch by {
	case plans.ByTool:
		return "the engine"
	case plans.ByPerson:
		return "a person"
	case plans.ByRole, plans.ByPrompt:
	}
	return "another agent"
}

func corrupt(err error) error {
	return tools.Failed(tools.InvariantViolation, "the run does not fit its plan",
		"ask an operator to look at the run: cortex run show").Because(err)
}

// released refuses to go on from a block that no retry can end, until a person has released it.
func (p *place) released() error {
	b, ok := p.at.(state.Blocked)
	if !ok || !b.Block.Reason.Terminal() || p.log.Released(p.node) {
		return nil
	}
	return tools.Failed(tools.PreconditionFailed, "the run is blocked at this step until a person releases it",
		"ask an operator: cortex run release")
}

// merge lays what changes in work over it. An agent changes no key that another owns.
func (c *closing) merge() (sexpr.Value, work.Sources, error) {
	delta, was, from := c.h.context, c.p.work, c.p.sources
	if c.h.engine || c.h.from != work.FromAgent {
		return work.Merge(was, from, delta, c.h.from)
	}
	delta, err := work.Yield(was, from, delta, c.step.Gives)
	if err != nil {
		return was, from, err
	}
	merged, sources, err := work.Merge(was, from, delta, c.h.from)
	if err == nil {
		err = binding.Keep(c.fixed, was, merged, c.step.Gives)
	}
	return merged, sources, err
}

// take judges what was handed in.
func (c *closing) take(due advance.Due) {
	merged, sources, err := c.merge()
	c.work, c.sources = merged, sources
	reasons := c.h.reasons
	if err == nil {
		maps.Copy(sources, c.h.sources)
		c.set, err = work.Measure(merged)
	}
	if err != nil {
		reasons = append(reasons, advance.Refused(c.step, err))
		c.work, c.sources = c.p.work, c.p.sources
	} else {
		c.merged = c.h.context.Len() > 0
	}
	c.observe()
	has := c.p.capabilities()
	for _, o := range c.observed {
		has[o.Capability] = advance.Capability(o.Status)
	}
	seen := c.work
	if due.Loop != nil {
		pos, _ := position(c.p.at)
		seen, _ = work.InLoop(c.work, nil, due.Loop, pos.Loops[0].Iteration)
	}
	if len(c.h.reasons) == 0 { // a step that was not done has no output to judge
		reasons = append(reasons, advance.Check(c.p.plan, c.step, advance.Output{Notes: c.h.notes, Artifacts: c.h.values(),
			Work: seen, Measured: err == nil && due.Loop == nil}, has)...)
	}
	due.Work = seen
	if c.done() {
		c.gaps = append(c.gaps, gapsOf(reasons)...)
		return
	}
	if !c.h.engine {
		reasons = append(reasons, c.people()...)
	}
	c.decide(reasons)
}

// done says whether the engine has done the step. Then what its output lacks is a gap and does not
// block: a block would have the step done again.
func (c *closing) done() bool { return c.h.engine && len(c.h.reasons) == 0 }

// fallShort records what the next step lacks after one that the engine has done. An agent is shown
// that step with what is unset in it; a step of the engine says itself what it lacks.
func (c *closing) fallShort(reasons []state.Reason) {
	if c.next.Step.By == plans.ByPrompt {
		c.gaps = append(c.gaps, gapsOf(reasons)...)
	}
}

func gapsOf(reasons []state.Reason) (out []state.Gap) {
	for _, r := range reasons {
		out = append(out, r.Gap())
	}
	return out
}

// decide sorts reasons by what they mean in the run's mode.
func (c *closing) decide(reasons []state.Reason) {
	for _, r := range reasons {
		switch advance.Decide(c.p.mode(), r.Code, c.step.By) {
		case advance.Block:
			c.reasons = append(c.reasons, r)
		case advance.LeaveOut:
			c.left = true
			c.gaps = append(c.gaps, r.Gap())
		case advance.RecordGap:
			c.gaps = append(c.gaps, r.Gap())
		case advance.Fail:
			c.fails = true
			c.reasons = append(c.reasons, r)
			c.gaps = append(c.gaps, r.Gap())
		}
	}
}

// onward finds the step that is due after this one, and renders it.
func (c *closing) onward(r *Runs, pos state.Position) error {
	controls, err := r.controls(c.p)
	if err != nil {
		return err
	}
	key := pos.Pending.Key()
	if d, ok := advance.ControlOf(c.p.plan, c.step, c.h.values()); ok {
		controls[key] = d
	}
	at := state.Running{Position: pos.With(key)}
	c.next, err = advance.Next(c.p.plan, at, advance.Input{Work: c.work, Controls: controls, Mode: c.p.mode()})
	if err != nil {
		return corrupt(err)
	}
	text, reasons := rendered(c.p.plan, c.next)
	c.text = text
	if c.done() && c.next.Step != nil {
		c.fallShort(reasons)
	} else {
		c.decide(reasons)
	}
	if len(c.reasons) == 0 {
		c.gaps, c.trace = append(c.gaps, c.next.Gaps...), c.next.Trace
	}
	return nil
}

// limit adds the breaker, once too many tries in a row were blocked.
func (c *closing) limit(r *Runs) error {
	most := r.opt.Attempts
	if most == 0 {
		most = 10
		if c.p.mode() != advance.Guided {
			most = 3
		}
	}
	waits := !slices.ContainsFunc(c.reasons, func(x state.Reason) bool { return x.Code.Category() != state.UserOnly })
	tries := 1
	for at := c.p.node; at != nil && at.Kind == event.BlockedNode && !c.p.log.Released(at); at = at.Parent {
		s, err := r.shelf.Snapshot(at)
		if err != nil {
			return err
		}
		if b, ok := s.(state.Blocked); ok && b.Block.Reason.Category() != state.UserOnly {
			tries++
		}
	}
	if waits || tries < most {
		return nil
	}
	reason := state.Reason{Code: state.AttemptLimit, Pointer: state.Pointer{Kind: state.AtStep, StepID: c.step.ID},
		Message: fmt.Sprintf("%d tries in a row were blocked at step %s.", tries, c.step.ID),
		Fix:     "Tell the user. A person can release the run: cortex run release."}
	c.reasons = append([]state.Reason{reason}, c.reasons[:min(len(c.reasons), state.MaxBlockers-1)]...)
	c.gaps, c.fails = append(c.gaps, reason.Gap()), true
	return nil
}

// block is why the attempt did not pass.
func (c *closing) block() (*state.Block, error) {
	report, err := state.Report(c.reasons)
	if err != nil {
		return nil, tools.Failed(tools.ValidationError, fmt.Sprintf("%d things are wrong with the output, and a report "+
			"holds %d; the first: %s", len(c.reasons), state.MaxBlockers, c.reasons[0].Message), "mend the first ones").
			Because(err)
	}
	b := &state.Block{Reason: c.reasons[0].Code, Blockers: report}
	for _, r := range c.reasons {
		if r.Code.Terminal() {
			b.Reason = r.Code
		}
	}
	return b, nil
}

// retry is the attempt that may try again at the node that this one leads to.
func (c *closing) retry(index uint64) (event.AttemptID, error) {
	try, err := ticket.FirstTry(c.attempt)
	if err != nil {
		return "", err
	}
	t := ticket.Ticket{Kind: ticket.Continue, Node: index, Attempt: try}
	return t.ID(c.session), nil
}

// observe reads what the attempt shows of capabilities: the artifact of a probe, or of a use.
func (c *closing) observe() {
	for i, a := range c.h.artifacts {
		o := &event.CapabilityObserved{ID: event.Derive[event.CapObsID](string(c.attempt), fmt.Sprint(i)),
			Capability: a.v.GetText("capability")}
		result := "success"
		switch a.v.GetText("kind") {
		case "cortex.probe":
			if c.step.Probe == "" || c.step.Probe != o.Capability {
				continue
			}
			if !a.v.GetTrue("available") {
				result = "failure"
			}
			o.Provenance = event.Provenance{Kind: "probe_step", Template: c.step.Probe, Step: c.step.ID, Result: result}
		case "cortex.capability_use":
			if result = a.v.GetText("result"); result == "failure" {
				o.Provenance.Failure = a.v.GetText("failureCode")
			}
			o.Provenance.Kind, o.Provenance.Context, o.Provenance.Result = "attempted_use", "workflow_step", result
		default:
			continue
		}
		o.Status = event.Available
		if result != "success" {
			o.Status = event.Unavailable
		}
		if event.New(c.session, event.Scope{Run: c.run, Node: c.p.node.ID}, o).Check() == nil {
			c.observed = append(c.observed, o)
		}
	}
}

// snapshot keeps a state, and returns its digest.
func (c *closing) snapshot(s state.State) (event.SnapshotRef, error) {
	text, err := state.Encode(s)
	if err != nil {
		return "", err
	}
	c.keep = append(c.keep, shelf.JSON(text))
	return event.DigestOf(text), nil
}

// contextSet keeps work as it is now, in canonical JSON, for the event that sets it.
func contextSet(text []byte, sources work.Sources) (*event.ContextSet, shelf.Content) {
	d := &event.ContextSet{Ref: event.DigestOf(text)}
	for key, from := range sources {
		switch from {
		case work.FromHost, work.FromPerson, work.FromTrusted:
			if d.Sources == nil {
				d.Sources = work.Sources{}
			}
			d.Sources[key] = from
		case work.FromOutput, work.FromAgent:
		}
	}
	return d, shelf.JSON(text)
}

// forks says whether another way goes on from the node already.
func forks(log *fold.State, node *fold.Node) bool { return !log.IsTip(node) }
