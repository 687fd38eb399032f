package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
	"github.com/opencortex-go/cortex/sexpr"
)

// step is what becomes of a message of a client: it goes on, or it is answered here, or
// neither, where the client took it back.
type step struct {
	forward *wire.Message
	answer  *wire.Message
	stray   bool // an answer to nothing that was asked
}

// fromClient takes a message of the client. Where that is a call to judge, later does so, and
// takes as long as people take; notify sends the client what it should know meanwhile.
// Messages are taken in order; what comes later may overtake.
func (x *exchange) fromClient(ctx context.Context, m *wire.Message, notify func(*wire.Message) error) (now step,
	later func() step) {
	switch {
	case m.Method == wire.MethodCall:
		return x.call(ctx, m, notify)
	case m.Method == wire.NoteCancelled && x.cancel(m):
		return step{}, nil
	case m.Response():
		m = x.reply(m)
		return step{forward: m, stray: m == nil}, nil
	case m.Call() && !x.enter(m, &asked{method: m.Method, name: nameOf(m)}):
		return step{answer: inUse(m)}, nil
	}
	return step{forward: m}, nil
}

// nameOf returns what a request to read something names, for the record.
func nameOf(m *wire.Message) string {
	if m.Method != wire.MethodPrompt && m.Method != wire.MethodResource {
		return ""
	}
	all := m.In()
	return cmp.Or(all.Text("uri"), all.Text("name"))
}

// inUse is the answer to a request with an id that another one has.
func inUse(m *wire.Message) *wire.Message {
	return wire.Failure(m.ID, wire.CodeInvalidRequest, "the id "+string(m.ID)+" is in use")
}

// cancel stops the call that a notification takes back, and reports whether it was still
// being judged; the server never heard of such a call.
func (x *exchange) cancel(m *wire.Message) bool {
	id := m.In().Get("requestId")
	x.mu.Lock()
	defer x.mu.Unlock()
	a := x.open[wire.IDKey(id)]
	if a == nil || a.stop == nil {
		return false
	}
	a.cancelled = true
	a.stop()
	return true
}

// call takes a tools/call, which is to be judged later.
func (x *exchange) call(ctx context.Context, m *wire.Message, notify func(*wire.Message) error) (now step,
	later func() step) {
	if m.ID == nil {
		return step{answer: wire.Failure(nil, wire.CodeInvalidRequest, "tools/call: expected an id")}, nil
	}
	in, err := wire.Invoked(m)
	var f *wire.Fault
	if errors.As(err, &f) {
		return step{answer: f.Answer()}, nil
	}
	in.Typed = x.p.pins.Typed(in.Tool)
	ctx, stop := context.WithCancel(ctx)
	a := &asked{method: wire.MethodCall, tool: in.Tool, call: x.name(), stop: stop}
	if !x.enter(m, a) {
		stop()
		return step{answer: inUse(m)}, nil
	}
	return step{}, func() step {
		defer stop()
		if x.p.capability(ctx, in.Tool) {
			return x.start(ctx, m, in, a, notify)
		}
		if why := x.lacks(in.Tool); why != "" {
			x.leave(m.ID)
			return step{answer: wire.Failure(in.ID, wire.CodeInvalidParams, "Denied: "+why)} // as a server answers
		}
		return x.judge(ctx, m, in, a, notify)
	}
}

// judge takes a call to the judge, and follows the ruling.
func (x *exchange) judge(ctx context.Context, m *wire.Message, in *wire.Invocation, a *asked,
	notify func(*wire.Message) error) step {
	r, what, err := x.rule(ctx, in, a, notify)
	x.mu.Lock()
	a.stop, a.intent = nil, r.Intent
	cancelled := a.cancelled
	x.mu.Unlock()
	if !cancelled && err == nil && r.Kind == allow {
		s, err := x.allowed(m, in, r)
		if err == nil {
			return s
		}
		x.p.Logger.Error("a call that was allowed could not be sent on", "tool", in.Tool, "error", err)
		r = no("it could not be sent on")
	}
	x.leave(m.ID)
	if a.intent != 0 {
		x.finish(a, client.Outcome{State: "nothing"})
	}
	var refused *client.Refused
	switch {
	case cancelled:
		return step{}
	case errors.As(err, &refused) && refused.Status < http.StatusInternalServerError:
		return step{answer: denied(in, no(refused.Text))}
	case err != nil:
		x.p.Logger.Error("a call was not judged, so it did not run", "tool", in.Tool, "error", err)
		return step{answer: denied(in, no(unjudged))}
	case r.Kind == ask:
		return step{answer: waiting(in, what, r)}
	}
	return step{answer: denied(in, r)}
}

// rule asks the judge, first about the definition of the tool if that changed, then about
// the call. The text names what waits, where the ruling is to ask.
func (x *exchange) rule(ctx context.Context, in *wire.Invocation, a *asked,
	notify func(*wire.Message) error) (client.Ruling,
	string, error) {
	if x.p.Judge == nil {
		return client.Ruling{Kind: deny}, "", errors.New("there is no judge")
	}
	if x.p.own(in.Tool) == definitionTool { // what rules say of that is about the proxy
		return no(definitionTool + " is a tool of Cortex itself: give the server's tool another name"), "", nil
	}
	if err := x.caughtUp(); err != nil {
		return client.Ruling{Kind: deny}, "", err
	}
	w := x.waitFor(in, notify)
	if r, err := x.definition(ctx, w, in.Tool, a.call); err != nil || r.Kind != allow {
		return r, "The new definition of the tool " + in.Tool, err
	}
	r, err := w.judge(ctx, client.Request{Call: a.call, Tool: x.p.own(in.Tool), Args: in.Args})
	return r, "This call", err
}

// waitFor is how long a call may take, by what its client hears.
func (x *exchange) waitFor(in *wire.Invocation, notify func(*wire.Message) error) *wait {
	w := &wait{exchange: x, token: in.Token, notify: notify, until: time.Now().Add(x.p.Wait), ask: x.p.Judge.Judge}
	if in.Token != nil {
		w.until = time.Now().Add(x.p.Patience)
	}
	return w
}

// definition asks people about the definition of a tool that is not the one they know.
func (x *exchange) definition(ctx context.Context, w *wait, tool, call string) (client.Ruling, error) {
	change, err := x.p.pins.Changed(tool)
	if err != nil {
		return client.Ruling{}, err
	}
	if change == nil {
		return client.Ruling{Kind: allow}, nil
	}
	args, err := json.Marshal(map[string]string{"server": x.p.Name, "name": tool, "before": clip(change.Before),
		"after": clip(change.After), "digest": change.Digest})
	if err != nil {
		return client.Ruling{}, err
	}
	call += "/definition"
	r, err := w.judge(ctx, client.Request{Call: call, Tool: definitionTool, Args: args})
	if err != nil || r.Kind != allow {
		return r, err
	}
	outcome := client.Outcome{State: "done"}
	if err = x.p.pins.Accept(tool, change); err != nil {
		outcome = client.Outcome{State: "failed", Error: err.Error()}
	}
	x.finish(&asked{tool: definitionTool, call: call, intent: r.Intent}, outcome)
	return r, err
}

// unjudged is why a call is denied that the judge did not answer.
const unjudged = "it could not be judged, and what is not judged does not run"

// definitionTool is what rules call the act of taking a changed definition of a tool.
const definitionTool = "mcp_definition"

// clip bounds a definition that is shown to people.
func clip(s string) string {
	const most = 4096
	if len(s) <= most {
		return s
	}
	return s[:most] + fmt.Sprintf(" ... (%d bytes in all)", len(s))
}

// allowed sends a call on, with the arguments that were allowed. Where these are those of
// the client, the numbers among them keep their spelling.
func (x *exchange) allowed(m *wire.Message, in *wire.Invocation, r client.Ruling) (step, error) {
	same, err := equal(in.Args, r.Args)
	if err != nil {
		return step{}, err
	}
	if same {
		return step{forward: m}, nil
	}
	forward, err := m.WithArgs(r.Args)
	return step{forward: forward}, err
}

// equal reports whether two JSON texts have one canonical form.
func equal(a, b json.RawMessage) (bool, error) {
	v, err := sexpr.FromJSON(a)
	if err != nil {
		return false, err
	}
	w, err := sexpr.FromJSON(b)
	if err != nil {
		return false, err
	}
	return sexpr.Equal(v, w), nil
}

// wait is how long one call may take, and how its client hears of it.
type wait struct {
	*exchange
	token  json.RawMessage
	notify func(*wire.Message) error
	until  time.Time
	ask    func(context.Context, client.Request) (client.Ruling, error) // the judge
	runs   time.Duration                                                // what it runs may take
}

// judge asks the judge, and waits for a person where it asks. A client that takes its call
// back takes the card back too.
func (w *wait) judge(ctx context.Context, r client.Request) (client.Ruling, error) {
	r.Session, r.Host, r.Partial = w.id, w.p.host(), true // nor does the proxy hear the user
	// A call that is taken back here may have its card already: the answer says which.
	heard, stop := context.WithTimeout(context.WithoutCancel(ctx), max(0, time.Until(w.until))+w.runs+patience)
	ruling, err := w.ask(heard, r)
	stop()
	if err != nil || ruling.Kind != ask {
		return ruling, err
	}
	card := ruling.Token
	if hold := time.Until(w.until); hold > 0 && card != "" {
		hear, stop := context.WithCancel(ctx)
		var told sync.WaitGroup
		told.Go(func() { w.tell(hear, card) })
		ruling, err = w.answered(ctx, r, ruling, hold)
		stop()
		told.Wait()
	}
	if ctx.Err() != nil {
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		if err := w.p.Judge.Withdraw(clean, w.p.host(), w.id, card); err != nil {
			w.p.Logger.Warn("a card was not withdrawn", "card", card, "error", err)
		}
	}
	return ruling, err
}

// answered waits for the answer to the very card that was made: another question about the
// call would make another card. After a yes the call is judged again, with what was granted.
func (w *wait) answered(ctx context.Context, r client.Request, asked client.Ruling, hold time.Duration) (client.Ruling,
	error) {
	a, err := w.p.Judge.Answered(ctx, asked.Token, hold)
	switch {
	case err != nil:
		return asked, err
	case a.State == "pending":
		return asked, nil
	case a.State == "approved":
		return w.ask(ctx, r)
	}
	text := "a person said no"
	if a.State != "denied" {
		text = "the question about it is " + a.State
	}
	if a.Why != "" {
		text += ": " + a.Why
	}
	asked.Kind, asked.Key, asked.Token = deny, "approval/"+a.State, ""
	asked.Reasons = []client.Reason{{Key: asked.Key, Text: text}}
	return asked, nil
}

// tell sends progress until ctx ends. It counts the seconds that are left, below 0, so that
// the server's own progress, which starts at 0, still rises.
func (w *wait) tell(ctx context.Context, card string) {
	if w.token == nil {
		return
	}
	tick := time.NewTicker(w.p.Beat)
	defer tick.Stop()
	for last := 1 << 30; ; {
		left := min(max(1, int(time.Until(w.until).Round(time.Second)/time.Second)), last-1)
		if left > 0 {
			last = left
			if w.notify(wire.Progress(w.token, left, fmt.Sprintf("waiting for approval %s, %d s left", card,
				left))) != nil {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// no is the ruling where the judge gave none.
func no(why string) client.Ruling {
	return client.Ruling{Kind: deny, Reasons: []client.Reason{{Text: why}}}
}
