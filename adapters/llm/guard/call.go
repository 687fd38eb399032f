package guard

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

// Result is the outcome of one call.
type Result struct {
	// Message is the result message of the call, whatever came of it.
	Message model.Message
	// Held is set while people have to answer. Then Message says that the call waits, for
	// programs that tell the model so and go on.
	Held *Held

	ran      *cortex.Action // as it was allowed and done
	rejected string         // what the model is told of words that were refused
	final    bool           // no retry can mend it
}

// Call judges one call and runs it if it is allowed, for programs that ask their model
// themselves. Of the chat it needs who speaks, and for rules that look at it the newest
// words of the user; it adds nothing to it. A call whose id the session has seen before,
// with the same arguments, is the same call: it gets the result on record. The id must not
// be empty.
func (g *Guard) Call(ctx context.Context, c *Chat, call model.NativeCall) (Result, error) {
	if call.ID == "" {
		return Result{}, errors.New("guard: a call has an ID, by which it is known when it comes again")
	}
	t, leave, err := g.take(ctx, c.Session)
	if err != nil {
		return Result{}, err
	}
	defer leave()
	r, err := g.call(ctx, t, c, call, "")
	if err == nil && r.Held != nil && g.opt.Wait != 0 {
		return g.await(ctx, r.Held.Token, func() (Result, error) { return g.call(ctx, t, c, call, "") })
	}
	return r, err
}

// calling is one call on its way.
type calling struct {
	g    *Guard
	chat *Chat
	id   string // the model's
	key  string // by which the record knows it
}

// call brings one call of the model's as far as it gets now. said is what the model said beside it. The user sees
// what it says in words, so it calls no tool to speak: that would be on record as said.
func (g *Guard) call(ctx context.Context, t *turn, c *Chat, call model.NativeCall, said string) (Result, error) {
	if strings.EqualFold(call.Name, skills.ReplyTool) {
		x := calling{g: g, chat: c, id: call.ID}
		return x.broken(errors.New("to speak to the user, answer in plain text, and call no tool")), nil
	}
	return g.bring(ctx, t, c, call, said)
}

// bring brings a call as far as it gets now.
func (g *Guard) bring(ctx context.Context, t *turn, c *Chat, call model.NativeCall, said string) (Result, error) {
	x := calling{g: g, chat: c, id: call.ID}
	p := call.Proposal(said)
	if p.Err != nil {
		return x.refused(model.Judged{Proposal: p}), nil
	}
	tool, err := g.named(call.Name)
	if err != nil {
		return x.broken(err), nil
	}
	args, _ := p.Form.Get("args")
	action, err := cortex.NewAction(tool, args, strings.TrimSpace(said))
	if err != nil {
		return x.broken(err), nil
	}
	if err := context.Cause(ctx); err != nil {
		return Result{}, err // the call stays open
	}
	steps, key, err := t.past.of(call.ID, action.Digest())
	if err != nil {
		return Result{}, fmt.Errorf("guard: the record of session %q: %w", c.Session, err)
	}
	x.key = key
	if len(steps) == 0 {
		return x.decide(ctx, action)
	}
	return x.takeUp(ctx, steps)
}

// named finds a tool by a model's name for it, case aside.
func (g *Guard) named(name string) (string, error) {
	var all []string
	known := g.tools.Tools()
	for _, t := range g.engine.Rules().Policy().Tools() {
		if form.IsTool(t) {
			known = append(known, t)
		}
	}
	for _, t := range known {
		if t.Name == name { // a capability may have come since, whose name another case apart is a tool's
			return name, nil
		}
	}
	for _, t := range known {
		if strings.EqualFold(t.Name, name) {
			return t.Name, nil
		}
		all = append(all, t.Name)
	}
	return "", fmt.Errorf("the tool %q is unknown, expected one of %s", name, strings.Join(all, ", "))
}

// decide has the engine decide on an action, and goes on from there.
func (x calling) decide(ctx context.Context, a *cortex.Action) (Result, error) {
	d, err := x.g.engine.Hosts().Decide(ctx, a, x.chat.facts(x.key))
	if err != nil {
		return Result{}, fmt.Errorf("guard: %w", err)
	}
	return x.decided(ctx, d)
}

func (x calling) decided(ctx context.Context, d *cortex.Decision) (Result, error) {
	switch {
	case d.Kind == reason.Allow, d.Would:
		return x.perform(ctx, d)
	case d.Kind == reason.Ask && d.Approval != "":
		return x.held(d, d.Approval), nil
	}
	return x.refused(model.Judged{Decision: &d.Decision}), nil
}

// perform runs what is allowed.
func (x calling) perform(ctx context.Context, d *cortex.Decision) (Result, error) {
	perform := x.g.perform
	if d.Action != nil && x.g.capability(d.Action.Tool()) {
		perform = x.g.engine.Hosts().Perform
	}
	a, rc, err := perform(ctx, d.ID)
	if no := (*cortex.NotAllowed)(nil); errors.As(err, &no) && no.Decision.ID != d.ID {
		return x.decided(ctx, no.Decision) // things have changed since: it may ask now
	}
	if err != nil {
		return Result{}, fmt.Errorf("guard: %w", err)
	}
	return x.told(a, rc), nil
}

// capability reports whether a tool is a capability, which the engine runs.
func (g *Guard) capability(tool string) bool {
	t, ok := g.engine.Rules().Policy().Tool(tool)
	return ok && form.IsTool(t)
}

// perform runs a tool of the program.
func (g *Guard) perform(ctx context.Context, decision uint64) (*cortex.Action, act.Receipt, error) {
	p, err := g.run.Begin(ctx, decision)
	if err != nil {
		return nil, act.Receipt{}, err
	}
	rc, err := g.run.Dispatch(ctx, p)
	return p.Action(), rc, err
}

// told is the result of a call that has a receipt.
func (x calling) told(a *cortex.Action, rc act.Receipt) Result {
	r := x.say(rc.Show(a.Tool()))
	if rc.State == act.Done {
		r.ran = a
	}
	r.final = true
	return r
}

func (x calling) held(d *cortex.Decision, token string) Result {
	r := x.say("Not run: it waits for a person's approval.")
	r.Held = &Held{Call: x.id, Token: token}
	if d.Action != nil {
		r.Held.Tool = d.Action.Tool()
	}
	if len(d.Reasons) > 0 {
		r.Held.Reason = d.Reasons[0].Text
	}
	return r
}

func (x calling) refused(j model.Judged) Result {
	r := x.say(j.NotRun())
	r.rejected, r.final = j.Rejected(), j.Decision != nil && !j.Decision.Retry
	return r
}

// broken is the result of a call that err says is not to be run.
func (x calling) broken(err error) Result {
	return x.refused(model.Judged{Proposal: model.Proposal{Err: err}})
}

func (x calling) say(text string) Result {
	return Result{Message: model.Message{Role: model.RoleTool, CallID: x.id, Text: text}}
}

// takeUp goes on with a call that is on record. No step of it is done twice.
func (x calling) takeUp(ctx context.Context, steps []step) (Result, error) {
	for _, s := range steps {
		switch {
		case s.intent == 0:
		case s.receipt == nil:
			return x.told(s.action(), act.Receipt{State: act.Unknown, Error: "it was under way when the program " +
				"ended; it is not known whether it happened, and it is not run again"}), nil
		case s.receipt.State != act.Nothing:
			return x.told(s.action(), *s.receipt), nil
		}
	}
	last := steps[len(steps)-1]
	switch d := last.decision; {
	case last.intent != 0: // and nothing happened
		return x.decide(ctx, last.asked)
	case d.Kind == reason.Ask && !d.Would:
		return x.answered(ctx, last)
	default:
		return x.decided(ctx, d)
	}
}

// answered goes on with a call that people were asked about.
func (x calling) answered(ctx context.Context, s step) (Result, error) {
	all, err := x.g.engine.Approvals().All(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("guard: %w", err)
	}
	var card *cortex.Approval
	for _, a := range all { // the oldest first: the decision made the card, or joined the newest
		if a.Session == x.chat.Session && a.Decision <= s.decision.ID && s.decision.Action != nil &&
			a.Action.Digest() == s.decision.Action.Digest() {
			card = a
		}
	}
	if card == nil {
		return x.decide(ctx, s.asked) // retention took the card: people are asked anew
	}
	switch card.State {
	case cortex.Pending:
		return x.held(s.decision, card.Token), nil
	case cortex.Denied:
		return x.broken(errors.New(strings.TrimSuffix("a person said no: "+card.Why, ": "))), nil
	case cortex.Expired:
		return x.broken(errors.New("no person answered in time")), nil
	case cortex.Withdrawn:
		return x.broken(errors.New("the question to people was withdrawn")), nil
	case cortex.Consumed:
		return x.broken(errors.New("people approved this once, and it has been run for another call")), nil
	default: // approved; or replaced under other rules
		return x.decide(ctx, s.asked)
	}
}

// await waits until people have answered a card, as long as the options say, and goes on.
func (g *Guard) await(ctx context.Context, token string, goOn func() (Result, error)) (Result, error) {
	waiting, cancel := ctx, context.CancelFunc(func() {})
	if g.opt.Wait > 0 {
		waiting, cancel = context.WithTimeout(ctx, g.opt.Wait)
	}
	defer cancel()
	view := g.engine.Journal()
	records := view.Subscribe(waiting, view.Last()+1) // from here on, so that no answer is missed
	pending := func() bool {
		a, err := g.engine.Approvals().Get(waiting, token)
		return err == nil && a.State == cortex.Pending
	}
	if pending() {
		for rec, err := range records {
			if err != nil || rec.Kind == record.KindApproval && !pending() {
				break // the call says what there is to say
			}
		}
	}
	return goOn()
}
