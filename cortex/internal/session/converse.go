package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// conversation is the work on one root signal: the model proposes, gates judge, actuators
// act, and the results are the model's next turn.
type conversation struct {
	s    *Sessions
	sig  perceive.Signal // what is being answered: the person's, then the tools'
	msgs []model.Message // what the model was shown so far
	cut  bool            // there was more, long ago
	used budget
	out  *Outcome
}

// budget is what a root signal has used, its feedback included.
type budget struct {
	turns int
	usage model.Usage
}

// converse answers a signal that is for a model.
func (s *Sessions) converse(ctx context.Context, sig perceive.Signal, out *Outcome) error {
	c, err := s.conversation(sig, out.Signal, out)
	if err != nil {
		return err
	}
	return c.run(ctx)
}

// conversation takes up a session as it stands, but for what a person said in
// record before or later: that is what is to be answered, or waits its turn.
func (s *Sessions) conversation(sig perceive.Signal, before uint64, out *Outcome) (*conversation, error) {
	turns, err := s.History.Heard(sig.Session, s.j.Last(), before, 0)
	if err != nil {
		return nil, err
	}
	last := recent(turns, s.Opt.ContextBytes)
	for _, t := range last {
		if t.Call != nil {
			s.Thoughts.Learn(sig.Session, t.Call.Tool, t.Call.Args, t.Call.Result, "")
		}
	}
	c := &conversation{s: s, sig: sig, msgs: messages(last), cut: len(last) < len(turns), out: out}
	v, _, err := record.GetPlist(s.j, record.TableBudget.Key(sig.Root))
	c.used = budgetFrom(v)
	out.used = &c.used
	return c, err
}

// run continues until the model has answered the user, or until something must wait or
// stop. What each turn used is on disk before the next one begins, so that a crash starts
// no new budget.
func (c *conversation) run(ctx context.Context) error {
	for {
		more, err := c.turn(ctx)
		if err != nil {
			return errors.Join(err, c.save(ctx)) // the signal may stay unanswered
		}
		if !more {
			return nil // the answer's commit keeps what was used
		}
	}
}

// turn asks the model once, with its tries, and carries out what was allowed.
func (c *conversation) turn(ctx context.Context) (more bool, err error) {
	if over := c.over(); over != "" {
		c.out.Notice = over
		return false, nil
	}
	r, err := model.Reflect(ctx,
		model.ReflectOptions{Think: c.think, Decide: c.decide, Attempts: min(3, c.s.Opt.Turns-c.used.turns)})
	c.used.turns += r.Attempts
	c.used.usage.Cost += r.Usage.Cost
	c.used.usage.TokensIn += r.Usage.TokensIn
	c.used.usage.TokensOut += r.Usage.TokensOut
	if err != nil {
		return false, err
	}
	c.out.Notice = r.Notice
	if m, ok := spoken(c.sig); ok {
		c.msgs = append(c.msgs, m)
	}
	c.msgs = append(c.msgs, r.Said...)
	if r.Held() {
		d := c.recorded(r.Stopped.Decision)
		c.out.Approval = d.Approval
		c.out.Notice = fmt.Sprintf("held for approval %s: %s", d.Approval, d.Reasons[0].Text)
	}
	return c.act(ctx, r)
}

// act carries out the allowed actions in order. The last one that gives feedback
// is the next turn's signal; all results are in the conversation.
func (c *conversation) act(ctx context.Context, r model.Reflection) (more bool, err error) {
	cause := c.sig
	for i, j := range r.Allowed {
		result, fed, err := c.s.carryOut(ctx, cause, c.recorded(j.Decision), c.out)
		if err != nil {
			return false, err
		}
		if result.text == "" {
			continue
		}
		m := model.Message{Role: model.RoleTool, Text: result.text, CallID: j.Proposal.CallID}
		if i < len(r.Pending) {
			m.CallID = r.Pending[i]
		}
		c.msgs = append(c.msgs, m)
		if fed != nil {
			if err := c.feed(ctx, *fed); err != nil {
				return false, err
			}
			more = true
		}
	}
	if r.Stopped != nil {
		more = more && !r.Held()
	}
	return more && c.within(), nil
}

// within reports whether the signal that comes next is worked on.
func (c *conversation) within() bool {
	if c.sig.Depth <= c.s.Opt.Depth {
		return true
	}
	c.out.Dropped = true
	c.out.Notice = "stopped: the chain of actions that this set off is too long"
	c.s.Opt.Logger.Warn("maximum depth reached, feedback dropped", "root", c.sig.Root, "session", c.sig.Session)
	return false
}

// over says which budget is used up, if not the session's memory; "" for none.
func (c *conversation) over() string {
	if full := (*admission.BusyError)(nil); errors.As(c.s.History.Room(c.sig.Session, 0, c.s.Opt.Caps.ToFinish()), &full) {
		return "stopped: " + full.Error()
	}
	switch o := c.s.Opt; {
	case c.used.turns >= o.Turns:
		return fmt.Sprintf("stopped: the budget of %d model turns for one request is used up", o.Turns)
	case o.Tokens > 0 && c.used.usage.TokensIn+c.used.usage.TokensOut >= o.Tokens:
		return fmt.Sprintf("stopped: the budget of %d tokens for one request is used up", o.Tokens)
	case o.Cost > 0 && c.used.usage.Cost >= o.Cost:
		return fmt.Sprintf("stopped: the budget of $%.2f for one request is used up", o.Cost)
	}
	return ""
}

// think asks the cascade, with what the session looks like now.
func (c *conversation) think(ctx context.Context, said []model.Message) (_ model.Candidate, err error) {
	f := c.s.FactsOf(c.sig)
	c.s.ledger.Blackboard(&f)
	f.Env = c.s.Opt.Env
	if err := c.s.ledger.Gather(&f); err != nil {
		return model.Candidate{}, err
	}
	shown, left := Fit(c.msgs, c.s.Opt.ContextBytes)
	p := c.s.Policies.Current()
	t := model.Turn{Signal: c.sig, Facts: &f, Policy: p.Gates, History: shown, Said: said, Runs: p.Runs}
	t.Context = c.s.surroundings(ctx, c.sig.Session)
	t.Quoted = []string{t.Context, strings.ReplaceAll(t.Context, "\n> ", "\n")} // also out of quoted lines
	if left > 0 || c.cut {
		t.Context = strings.TrimSpace("The beginning of this conversation is left out.\n\n" + t.Context)
	}
	t.Logs, err = c.s.logs(c.sig.Session)
	if err != nil {
		return model.Candidate{}, err
	}
	if c.s.Thoughts != nil {
		t.Note = c.noted
	}
	return c.s.Thinker.Think(ctx, t)
}

// noted keeps an exchange with a model for the next commit: the decision on what it proposed,
// as a rule, so that what was asked is on record before anything comes of it.
func (c *conversation) noted(x model.Exchange) {
	c.out.thoughts = append(c.out.thoughts, c.s.Thoughts.Think(c.sig.Session, c.sig.Root, &x))
}

// decide judges and records one proposal.
func (c *conversation) decide(ctx context.Context, p model.Proposal) (*reason.Decision, error) {
	q := ledger.Question{Cause: ledger.Answering{Root: c.sig.Root, Depth: c.sig.Depth}, Attempt: ledger.First{},
		Proposal: p.Form, Facts: c.s.FactsOf(c.sig), Requester: c.s.Opt.Agent, Before: c.out.thoughts}
	d, err := c.s.ledger.DecideOn(ctx, q)
	if err != nil {
		return nil, err
	}
	c.out.thoughts = nil
	c.out.Decisions = append(c.out.Decisions, d)
	return &d.Decision, nil
}

// recorded returns what was recorded of a decision that decide gave away.
func (c *conversation) recorded(d *reason.Decision) *record.Decision {
	i := slices.IndexFunc(c.out.Decisions, func(x *record.Decision) bool { return &x.Decision == d })
	return c.out.Decisions[i]
}

// FactsOf is what a decision for this signal rests on, history aside.
func (s *Sessions) FactsOf(sig perceive.Signal) skills.Facts {
	return skills.Facts{Signal: sig, Session: skills.Session{ID: sig.Session, Principal: sig.Principal, Roles: sig.Roles}}
}

// feed makes a tool's result the signal that comes next. One commit records it and keeps
// what the root signal has used.
func (c *conversation) feed(ctx context.Context, fed perceive.Signal) error {
	c.sig = fed
	err := c.s.ledger.Update(ctx, func(tx *journal.Tx) error {
		if err := record.AppendAll(tx, fed.Session, c.out.thoughts); err != nil {
			return err
		}
		if _, err := appendSignal(tx, fed); err != nil {
			return err
		}
		return c.used.save(tx, fed.Root)
	})
	return c.kept(err)
}

// kept says that what models were asked is on record, if its commit has not failed.
func (c *conversation) kept(err error) error {
	if err == nil {
		c.out.thoughts = nil
	}
	return err
}

// save keeps what the root signal has used.
func (c *conversation) save(ctx context.Context) error {
	return c.kept(c.s.ledger.Update(context.WithoutCancel(ctx), func(tx *journal.Tx) error {
		return errors.Join(record.AppendAll(tx, c.sig.Session, c.out.thoughts), c.used.save(tx, c.sig.Root))
	}))
}

// result is what the model is told of an action.
type result struct{ text string }

// carryOut takes the permit for a decision and dispatches it. It returns what the model is
// to be told, and the feedback signal for the caller to record, unless the tool is silent.
func (s *Sessions) carryOut(ctx context.Context, cause perceive.Signal, d *record.Decision, out *Outcome) (result,
	*perceive.Signal, error) {
	p, err := s.Dispatcher.Begin(ctx, d.ID)
	if refused := (*ledger.NotAllowed)(nil); errors.As(err, &refused) {
		out.Decisions = append(out.Decisions, refused.Decision)
		out.Notice, out.Approval = refused.Error(), refused.Decision.Approval
		return result{}, nil, nil
	}
	if errors.Is(err, ledger.ErrKilled) || errors.As(err, new(*admission.BusyError)) {
		out.Notice = err.Error()
		return result{}, nil, nil
	}
	if err != nil {
		return result{}, nil, err
	}
	a := p.Action()
	rc, err := s.Dispatcher.Dispatch(ctx, p)
	if err != nil {
		return result{}, nil, err
	}
	out.Receipts = append(out.Receipts, rc)
	s.Thoughts.Learn(cause.Session, a.Tool(), a.Args(), rc.Result, rc.Text)
	if a.Tool() == skills.ReplyTool && rc.State == act.Done {
		text, _ := a.Native()["text"].(string)
		out.Text = joinLines(out.Text, text)
	}
	if p.Dry() {
		out.Notice = "dry run: decided and recorded, nothing was done"
		return result{}, nil, nil
	}
	fed, ok := s.Policies.Current().Tools.Feedback(cause, a.Tool(), rc)
	if !ok {
		if rc.State != act.Done {
			out.Notice = rc.Show(a.Tool())
		}
		return result{}, nil, nil
	}
	return result{rc.Show(a.Tool())}, &fed, nil
}

func joinLines(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n" + b
}

// goOn records feedback that comes from outside a conversation, such as the result of an
// approved action, tells the model, and lets it answer.
func (s *Sessions) goOn(ctx context.Context, fed perceive.Signal, text string, out *Outcome) error {
	if _, err := s.recordSignal(ctx, fed); err != nil {
		return err
	}
	c, err := s.conversation(fed, math.MaxUint64, out)
	if err != nil {
		return err
	}
	if n := len(c.msgs); n == 0 || c.msgs[n-1].Role != model.RoleTool {
		c.msgs = append(c.msgs, model.Message{Role: model.RoleTool, Text: text})
	}
	if !c.within() {
		return nil
	}
	return c.run(ctx)
}

// spoken is the signal as a message of the conversation; tools' results are
// messages already.
func spoken(sig perceive.Signal) (model.Message, bool) {
	if sig.Sensor == perceive.ToolOutput || sig.Sensor == perceive.ToolError || sig.Text == "" {
		return model.Message{}, false
	}
	return model.Message{Role: model.RoleUser, Text: sig.Text}, true
}

// recent are the last turns that a model can be shown at all, generously: what
// is dropped here would not fit. A long session costs no more than its end.
func recent(turns []skills.Turn, limit int) []skills.Turn {
	for i := len(turns) - 1; i >= 0; i-- {
		if limit -= overhead + len(turns[i].User); turns[i].Call != nil {
			limit -= weight(turns[i].Call.Args) + weight(turns[i].Call.Result)
		}
		if limit < 0 {
			return turns[i:]
		}
	}
	return turns
}

// weight is at most the length of a value's text.
func weight(v sexpr.Value) int {
	n := len(v.Text())
	for _, x := range v.Items() {
		n += weight(x) + 1
	}
	return n
}

// messages returns the turns of a session as a model sees them: what was said, what was
// run, and with what result. It leaves out refused tries.
func messages(turns []skills.Turn) []model.Message {
	var out []model.Message
	for _, t := range turns {
		switch {
		case t.IsUser():
			out = append(out, model.Message{Role: model.RoleUser, Text: t.User})
		case t.Call == nil, t.Call.Decision != "allow":
		case t.Call.Tool == skills.ReplyTool:
			out = append(out, model.Message{Role: model.RoleAssistant, Text: t.Call.Args.GetText("text")})
		default:
			form := sexpr.Plist("type", sexpr.Key("request"), "target", sexpr.Key("tool"),
				"payload", sexpr.Plist("tool", sexpr.Str(t.Call.Tool), "args", proposed(t.Call)))
			out = append(out, model.Message{Role: model.RoleAssistant, Text: form.String()})
			if t.Call.Error != "" || !t.Call.Result.IsNil() {
				rc := act.Receipt{State: act.Done, Result: t.Call.Result, Error: t.Call.Error}
				if t.Call.Result.Kind() == sexpr.String {
					rc.Text = t.Call.Result.Text()
				}
				if t.Call.Error != "" {
					rc.State = act.Failed
				}
				out = append(out, model.Message{Role: model.RoleTool, Text: rc.Show(t.Call.Tool)})
			}
		}
	}
	return out
}

// proposed returns the arguments of a call as its model gave them: an answer is a person's,
// and no example to follow.
func proposed(c *skills.Call) sexpr.Value {
	if c.Tool == skills.AskPersonTool {
		return skills.Unanswered(c.Args)
	}
	return c.Args
}

// save keeps b as what a root signal has used.
func (b budget) save(tx *journal.Tx, root uint64) error {
	return record.SetPlist(tx, record.TableBudget.Key(root), b.value())
}

func (b budget) value() sexpr.Value {
	return sexpr.Plist("turns", sexpr.Int64(int64(b.turns)), "in", sexpr.Int64(b.usage.TokensIn),
		"out", sexpr.Int64(b.usage.TokensOut),
		"cost", sexpr.Float64(b.usage.Cost))
}

func budgetFrom(v sexpr.Value) budget {
	cost, _ := v.Get("cost")
	return budget{turns: int(v.GetInt("turns")),
		usage: model.Usage{TokensIn: v.GetInt("in"), TokensOut: v.GetInt("out"), Cost: cost.Float()}}
}
