package runs

import (
	"fmt"

	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/tools"
)

// write makes the events of a closing, in their order: the outcome, what goes with it, the node,
// its edge, the outputs.
func (c *closing) write() error {
	outcome := &event.AdvanceRecorded{Attempt: c.attempt, Intent: "ack_pending",
		Outcome: event.Outcome{Kind: "advanced", To: c.to}}
	acted := c.onNode(c.p.node.ID, outcome)
	c.extras()
	c.context()
	issues := c.validation()
	cause := event.Cause{Kind: event.IntentionalFork, Event: acted.ID}
	if forks(c.p.log, c.p.node) {
		cause.Kind = event.NonTipAdvance
		c.trace = append(c.trace, advance.Entry{Kind: advance.DetectedNonTip,
			Summary: "Another way goes on from this node already."})
	}
	if len(c.trace) > 0 {
		c.onNode(c.p.node.ID, event.NewTrace(event.Derive[event.TraceID](string(c.attempt)), c.trace))
	}
	if err := c.node(issues, cause); err != nil {
		return err
	}
	list, keep := c.h.outputs(c.to)
	c.keep = append(c.keep, keep...)
	for _, o := range list {
		c.onNode(c.p.node.ID, o)
	}
	text, ref, err := keepReply(c.reply)
	if err != nil {
		return err
	}
	outcome.Reply, c.keep = ref, append(c.keep, text)
	return nil
}

// onNode enters an event about a node.
func (c *closing) onNode(node event.NodeID, data event.Data) *event.Event {
	e := event.New(c.session, event.Scope{Run: c.run, Node: node}, data)
	c.events = append(c.events, e)
	return e
}

// extras enters gaps, observations, and what the agent declared.
func (c *closing) extras() {
	if len(c.reasons) > 0 && !c.fails { // gaps of an attempt that is tried again are not gaps yet
		c.gaps = c.personal()
	}
	for i, g := range c.gaps {
		c.onNode(c.p.node.ID, gapOf(string(c.attempt), i, g))
	}
	for _, o := range c.observed {
		c.onNode(c.p.node.ID, o)
	}
	for _, d := range c.declared() {
		c.onNode(c.p.node.ID, d)
	}
}

// declared reads where an agent says that it left the plan. What does not fit is an artifact like
// any other. No agent resolves a gap: a person does.
func (c *closing) declared() (out []event.Data) {
	for i, a := range c.h.artifacts {
		if a.v.GetText("kind") != "cortex.divergence" {
			continue
		}
		d := &event.DivergenceRecorded{ID: event.Derive[event.DivergenceID](string(c.attempt), fmt.Sprint(i)),
			Reason: a.v.GetText("reason"), Summary: canon.Truncate(a.v.GetText("summary"), event.MaxSummary), Step: c.step.ID}
		if event.New(c.session, event.Scope{Run: c.run, Node: c.p.node.ID}, d).Check() == nil {
			out = append(out, d)
		}
	}
	return out
}

// context enters work, if the attempt changed it.
func (c *closing) context() {
	if !c.merged {
		return
	}
	d, keep := contextSet(c.set, c.sources)
	d.ID, d.Source, d.Attempt = event.Derive[event.ContextID](string(c.attempt)), "agent_delta", c.attempt
	c.events = append(c.events, event.New(c.session, event.Scope{Run: c.run}, d))
	c.keep = append(c.keep, keep)
}

// validation enters how the output fared against its contract, if a contract blocks.
func (c *closing) validation() *tools.Validation {
	if len(c.reasons) == 0 || c.step.Output == nil {
		return nil
	}
	var issues, fixes []string
	for _, r := range c.reasons {
		if r.Pointer.Kind != state.AtContract {
			continue
		}
		issues = append(issues, r.Message)
		if r.Fix != "" {
			fixes = append(fixes, r.Fix)
		}
	}
	if len(issues) == 0 {
		return nil
	}
	i, err := event.SortedList(issues)
	f, err2 := event.SortedList(fixes)
	if err != nil || err2 != nil { // reasons are within their budgets
		return nil
	}
	d := &event.ValidationPerformed{ID: event.Derive[event.ValidationID](string(c.attempt)), Attempt: c.attempt,
		Contract: c.step.Output.ContractRef, Result: event.Validation{Issues: i, Suggestions: f}}
	c.onNode(c.p.node.ID, d)
	return &tools.Validation{Issues: i, Suggestions: f}
}

// node enters the node that the attempt leads to, and makes the reply.
func (c *closing) node(issues *tools.Validation, cause event.Cause) error {
	kind, at, a := event.StepNode, c.next.State, &answer{run: refOf(c.p.log), prefs: c.p.node.Preferences(), due: c.next,
		text: c.text, issues: issues, confirm: len(c.reasons) == 0 && confirms(c.next)}
	c.held, c.wakes = a.confirm, engineTakes(a.due) || a.confirm || c.p.log.Tip() != c.p.node
	if len(c.reasons) > 0 {
		b, err := c.block()
		if err != nil {
			return err
		}
		if !b.Reason.Terminal() {
			retry, err := c.retry(c.first + uint64(len(c.events)))
			if err != nil {
				return err
			}
			b.Retry = string(retry)
		}
		if issues != nil {
			b.Validation = string(event.Derive[event.ValidationID](string(c.attempt)))
		}
		pos, _ := position(c.p.at)
		kind, at, a.blocked = event.BlockedNode, state.Blocked{Position: pos, Block: *b}, b
		a.due, a.text = advance.Due{Step: c.step}, title(c.p, c.step)
		c.held = b.Reason.Category() == state.UserOnly
	}
	a.at = at
	ref, err := c.snapshot(at)
	if err != nil {
		return err
	}
	_, c.over = at.(state.Complete)
	parent := c.p.node.ID
	c.onNode(c.to, &event.NodeCreated{NodeKind: kind, Parent: &parent, Hash: c.p.log.Started.Hash, Snapshot: ref})
	c.events = append(c.events, event.New(c.session, event.Scope{Run: c.run},
		&event.EdgeCreated{EdgeKind: event.AckedStep, From: parent, To: c.to, Cause: cause}))
	if c.left && len(c.reasons) == 0 {
		c.onNode(c.to, &event.DivergenceRecorded{ID: event.Derive[event.DivergenceID](string(c.attempt), "left"),
			Reason: "policy_constraint", Summary: canon.Truncate(c.gaps[0].Summary, event.MaxSummary), Step: c.step.ID})
	}
	if a.confirm {
		c.onNode(c.to, toConfirm(string(c.attempt), c.next.Step))
	}
	c.reply = a.reply()
	return nil
}
