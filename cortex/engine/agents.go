package engine

import (
	"context"

	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// What a program needs that asks its own model, so that this model is told what the engine's own is
// told, may propose in the same ways, and leaves the same traces.

// Bulletin returns the capabilities that fit a turn best, as a text for the prompt, and their tools. sig
// is what the user said last; what they said before is on record. Without capabilities it is "".
func (h Hosts) Bulletin(sig Signal) (text string, tools []*skills.Tool, err error) {
	b, ok := skills.As[skills.Bulletin](h.e.policies.Current().Gates)
	if !ok {
		return "", nil, nil
	}
	c, err := h.e.unacted(sig)
	if err != nil {
		return "", nil, err
	}
	text, tools = b.Bulletin(c)
	return text, tools, nil
}

// Block reads a proposal in the tagged JSON of the Agent-Skill protocol out of what a model said: see
// [model.Dialect]. An engine without capabilities finds none.
func (h Hosts) Block(prose string, quoted []string) (form sexpr.Value, ok bool, err error) {
	if h.e.opt.Capabilities == nil {
		return form, false, nil
	}
	return h.e.opt.Capabilities.Block(prose, quoted)
}

// Think records what a model was asked and what it answered, as far as [Options.Traces] says, in the
// session of a signal. It stands in the trace of that signal, if [Hosts.Hear] has heard it with its key.
// With [TraceOff] it records nothing.
func (h Hosts) Think(ctx context.Context, sig Signal, x *model.Exchange) error {
	return h.e.sessions.Thought(ctx, sig, x)
}

// Perform has the engine run what a decision on record allows, and returns the action and its receipt. An
// error is that of [Engine.Begin], or says that the receipt is not on record.
func (h Hosts) Perform(ctx context.Context, decision uint64) (*Action, Receipt, error) {
	return h.e.perform(ctx, &Decision{ID: decision})
}
