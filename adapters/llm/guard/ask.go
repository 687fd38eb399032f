package guard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Hear records what the user says, as the user's words of the session, and adds it to the chat: for
// programs that have a loop of their own. A chat that is replayed brings the same words at the same
// place, which are recorded once.
func (g *Guard) Hear(ctx context.Context, c *Chat, text string) error {
	if _, err := g.engine.Hosts().Hear(ctx, c.said(len(c.Messages), text)); err != nil {
		return fmt.Errorf("guard: the user's words could not be recorded: %w", err)
	}
	return c.add(ctx, model.Message{Role: model.RoleUser, Text: text})
}

// Ask asks the model once what comes next, adds its answer to the chat and returns it: for programs that
// have a loop of their own and hand each of its Calls to [Guard.Call]. The model is told of the program's
// tools, and of the capabilities that fit what the user said. A call in the tagged JSON of the
// Agent-Skill protocol comes back as one of the Calls. The usage counts even beside an error.
func (g *Guard) Ask(ctx context.Context, c *Chat) (model.Message, model.Usage, error) {
	if g.client == nil {
		return model.Message{}, model.Usage{}, errNoClient
	}
	p, err := g.prompt(c)
	if err != nil {
		return model.Message{}, model.Usage{}, fmt.Errorf("guard: %w", err)
	}
	began := time.Now()
	got, err := g.client.Complete(ctx, p)
	x := model.Exchange{Prompt: p, Provider: g.client.Name(), Answer: got, Usage: got.Usage, Err: err,
		Took: time.Since(began)}
	if m, ok := g.client.(model.Modelled); ok {
		x.Model = m.Model()
	}
	kept := g.engine.Hosts().Think(context.WithoutCancel(ctx), c.asked(), &x)
	if err != nil {
		return model.Message{}, got.Usage, errors.Join(fmt.Errorf("guard: the model did not answer: %w", err), kept)
	}
	if kept != nil {
		return model.Message{}, got.Usage, fmt.Errorf("guard: what the model answered could not be recorded: %w", kept)
	}
	calls := got.Calls
	if len(calls) == 0 {
		if call, ok, err := g.block(c, got.Text); ok && err == nil {
			calls = []model.NativeCall{call}
		}
	}
	m := model.Message{Role: model.RoleAssistant, Text: got.Text, Calls: c.named(calls)}
	return m, got.Usage, c.add(ctx, m)
}

// prompt is what the model is shown: the chat, the tools that may be called under the rules in force, and
// once the bulletin of capabilities.
func (g *Guard) prompt(c *Chat) (model.Prompt, error) {
	system := cmp.Or(c.System,
		"You may call tools. Every call is checked before it runs; if one is refused, you are told why.")
	bulletin, tools, err := g.engine.Hosts().Bulletin(c.signal("", c.words()))
	if bulletin != "" {
		system += "\n\n" + bulletin
	}
	return model.Prompt{System: system, NativeSystem: system, Messages: c.Messages, Tools: append(g.offered(),
		tools...)}, err
}

// offered are the program's own tools that the model may call.
func (g *Guard) offered() (out []*skills.Tool) {
	for _, t := range g.tools.Tools() {
		if d, ok := g.engine.Rules().Policy().Tool(t.Name); ok && d.Tier != skills.TierDeny {
			out = append(out, d)
		}
	}
	return out
}

// block reads a call in tagged JSON out of what the model said. What repeats the result of a tool is a
// quotation, and calls nothing. err says why a block cannot be read.
func (g *Guard) block(c *Chat, prose string) (call model.NativeCall, ok bool, err error) {
	var quoted []string
	for _, m := range c.Messages {
		if m.Role == model.RoleTool || m.Role == model.RoleUser && strings.HasPrefix(m.Text, late) {
			quoted = append(quoted, m.Text)
		}
	}
	form, ok, err := g.engine.Hosts().Block(prose, quoted)
	if !ok || err != nil {
		return call, ok, err
	}
	args, _ := form.Get("args")
	text, err := sexpr.ToJSON(args)
	return model.NativeCall{ID: "block", Name: form.GetText("tool"), Arguments: string(text)}, true, err
}
