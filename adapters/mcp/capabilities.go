package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// Capabilities are the tested plans of a daemon, which it runs itself: a [client.Client] of it.
type Capabilities interface {
	// Capabilities returns those that may be started, and the version of the list. While the list is that of
	// since, it waits for another one, at most hold.
	Capabilities(ctx context.Context, since string, hold time.Duration) ([]client.Capability, string, error)
	// Call judges a call of one whole, and runs it. The outcome is zero unless the ruling allows. Only after
	// a *[client.Refused] it is certain that an error means that nothing has run.
	Call(ctx context.Context, r client.Request) (client.Ruling, client.Outcome, error)
}

// offered are the names of the capabilities that a client may know.
type offered struct {
	names atomic.Pointer[map[string]bool]
}

// capabilities returns those that may be started now; none if the daemon cannot say.
func (p *Proxy) capabilities(ctx context.Context, since string, hold time.Duration) ([]client.Capability, string,
	error) {
	if p.Capabilities == nil {
		return nil, "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, hold+patience)
	defer cancel()
	all, version, err := p.Capabilities.Capabilities(ctx, since, hold)
	if err != nil {
		return nil, "", err
	}
	names := map[string]bool{}
	for _, c := range all {
		names[c.Name] = true
	}
	if old := p.offers.names.Load(); old != nil {
		for name := range *old { // a call of one that has gone is refused by the daemon, which says why
			names[name] = names[name] || p.pins.Definition(name) == nil
		}
	}
	p.offers.names.Store(&names)
	return all, version, nil
}

// capability reports whether a client means a capability by a name. What a server calls so stands behind it.
func (p *Proxy) capability(ctx context.Context, tool string) bool {
	if p.Capabilities == nil {
		return false
	}
	if names := p.offers.names.Load(); names != nil && (*names)[tool] {
		return true
	}
	if p.pins.Definition(tool) != nil {
		return false
	}
	all, _, err := p.capabilities(ctx, "", 0) // it may have come since the client's list
	return err == nil && slices.ContainsFunc(all, func(c client.Capability) bool { return c.Name == tool })
}

// beside adds the capabilities to what a server says of its tools: to the first page of the list, since which
// one is the last is for the server to say, and to the greeting, that the list may change. Any other message stays
// as it is.
func (p *Proxy) beside(m *wire.Message, a *asked) *wire.Message {
	if p.Capabilities == nil || m.Result == nil {
		return m
	}
	result, err := wire.Members(m.Result)
	if err != nil {
		return m
	}
	switch a.method {
	case wire.MethodInitialize, wire.MethodDiscover:
		tools, err := result.Object("capabilities").Object("tools").Set("listChanged", json.RawMessage("true")).JSON()
		if err != nil || result.Object("capabilities").Get("tools") == nil {
			return m
		}
		return p.with(m, tools, "result", "capabilities", "tools")
	case wire.MethodList:
		list, ok := result.List("tools")
		if !ok {
			return m
		}
		all, _, err := p.capabilities(context.Background(), "", 0)
		if err != nil {
			p.Logger.Error("the capabilities are not known, and none is offered", "error", err)
		}
		if len(all) == 0 {
			return m
		}
		list = p.others(list, all)
		if !a.more {
			list = append(list, definitions(all)...)
		}
		return p.with(m, wire.Encode(list), "result", "tools")
	}
	return m
}

// with returns a message with another value at a path, or as it is where that cannot be written.
func (p *Proxy) with(m *wire.Message, value json.RawMessage, path ...string) *wire.Message {
	changed, err := m.Replace(value, path...)
	if err != nil {
		p.Logger.Error("the capabilities cannot be offered", "error", err)
		return m
	}
	return changed
}

// others are the tools of servers that have no name of a capability.
func (p *Proxy) others(list []json.RawMessage, all []client.Capability) []json.RawMessage {
	return slices.DeleteFunc(list, func(definition json.RawMessage) bool {
		tool, err := wire.Members(definition)
		name := tool.Text("name")
		taken := err == nil && slices.ContainsFunc(all, func(c client.Capability) bool { return c.Name == name })
		if taken {
			p.Logger.Warn("a server has a tool with the name of a capability; the capability is offered", "tool", name)
		}
		return taken
	})
}

// definitions are capabilities as clients read of tools.
func definitions(all []client.Capability) (out []json.RawMessage) {
	for _, c := range all {
		out = append(out, wire.Encode(struct {
			Name        string          `json:"name"`
			Description string          `json:"description,omitempty"`
			Schema      json.RawMessage `json:"inputSchema"`
		}{c.Name, c.Description, c.Schema}))
	}
	return out
}

// start has the daemon judge a call of a capability, and run it. It waits for a person as any call does.
func (x *exchange) start(ctx context.Context, m *wire.Message, in *wire.Invocation, a *asked,
	notify func(*wire.Message) error) step {
	if err := x.caughtUp(); err != nil {
		x.leave(m.ID)
		x.p.Logger.Error("a call was not judged, so it did not run", "tool", in.Tool, "error", err)
		return step{answer: denied(in, no(unjudged))}
	}
	var came client.Outcome
	w := x.waitFor(in, notify)
	w.ask = func(ctx context.Context, r client.Request) (ruling client.Ruling, err error) {
		ruling, came, err = x.p.Capabilities.Call(ctx, r)
		return ruling, err
	}
	w.runs = running
	r, err := w.judge(ctx, client.Request{Call: a.call, Tool: in.Tool, Args: in.Args})
	x.leave(m.ID)
	x.mu.Lock()
	cancelled := a.cancelled
	x.mu.Unlock()
	var refused *client.Refused
	switch {
	case cancelled:
		return step{}
	case errors.As(err, &refused):
		return step{answer: denied(in, no(refused.Text))}
	case err != nil:
		x.p.Logger.Error("the outcome of a capability is not known", "tool", in.Tool, "error", err)
		return step{answer: refusal(in, "It is not known whether it ran: the daemon did not answer.",
			verdict{Decision: deny})}
	case r.Kind == ask:
		return step{answer: waiting(in, "This call", r)}
	case r.Kind != allow:
		return step{answer: denied(in, r)}
	}
	return step{answer: ran(in, came)}
}

// running is how long a capability may run before its start is answered.
const running = 30 * time.Second

// ran is the answer to a call of a capability that has run: its Result.
func ran(in *wire.Invocation, o client.Outcome) *wire.Message {
	result := map[string]any{"content": []any{map[string]any{"type": "text", "text": o.Text}},
		"isError": o.State != "done"}
	if len(o.Result) > 0 {
		result["structuredContent"] = o.Result
	}
	return answered(in, result)
}

// noteList tells a client that the list of tools is another one: as the client's subscription of this id,
// if it is not nil.
func noteList(id json.RawMessage) *wire.Message {
	note := map[string]any{"jsonrpc": "2.0", "method": wire.NoteTools}
	if id != nil {
		note["params"] = map[string]any{"_meta": map[string]any{wire.Subscription: id}}
	}
	return wire.Own(note)
}

// subscribes returns what tells a client that subscribes to changes of the list; nil for any other message.
func subscribes(m *wire.Message) *wire.Message {
	if m.Method != wire.MethodListen || string(m.In().Object("notifications").Get("toolsListChanged")) != "true" {
		return nil
	}
	return noteList(m.ID)
}

// watch tells a client whenever there are other capabilities than before, until ctx ends.
func (p *Proxy) watch(ctx context.Context, notify func() error) {
	if p.Capabilities == nil {
		return
	}
	for version, hold := "", time.Duration(0); ctx.Err() == nil; {
		_, now, err := p.capabilities(ctx, version, hold)
		switch {
		case err != nil: // the daemon is away
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		case version != "" && now != version && notify() != nil:
			return
		default:
			version, hold = now, time.Minute
		}
	}
}
