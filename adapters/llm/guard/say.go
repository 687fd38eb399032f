package guard

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

// Say tells the model what the user says, runs what may be run of what it calls, and
// returns when the model has answered in words, or when people have to answer first. Calls
// that still waited for people are told so, and are not run.
//
// After an error the chat stands where it came to: [Guard.Resume] goes on from there.
func (g *Guard) Say(ctx context.Context, c *Chat, text string) (Answer, error) {
	t, leave, err := g.take(ctx, c.Session)
	if err != nil {
		return Answer{}, err
	}
	defer leave()
	if _, err := g.settle(ctx, t, c, true); err != nil {
		return Answer{}, err
	}
	if err := g.Hear(ctx, c, text); err != nil {
		return Answer{}, err
	}
	return g.goOn(ctx, t, c)
}

// Resume takes a chat up where a crash, an error or a question to people left it. It may
// be called at any time: what has been done is not done again.
func (g *Guard) Resume(ctx context.Context, c *Chat) (Answer, error) {
	t, leave, err := g.take(ctx, c.Session)
	if err != nil {
		return Answer{}, err
	}
	defer leave()
	return g.goOn(ctx, t, c)
}

// goOn works on a chat until the model has answered, or something must wait.
func (g *Guard) goOn(ctx context.Context, t *turn, c *Chat) (out Answer, err error) {
	for asked := 0; ; {
		if out.Held, err = g.settle(ctx, t, c, false); err != nil || len(out.Held) > 0 {
			return out, err
		}
		if n := len(c.Messages); n > 0 && c.Messages[n-1].Role == model.RoleAssistant {
			more, err := g.speak(ctx, t, c, &out)
			if err != nil || !more {
				return out, err
			}
		}
		if err := t.results(ctx, c); err != nil {
			return out, err
		}
		if asked++; asked > cmp.Or(g.opt.Turns, defaultTurns) {
			out.Notice = fmt.Sprintf("stopped: the model was asked %d times for one answer", asked-1)
			return out, nil
		}
		_, used, err := g.Ask(ctx, c)
		out.Usage.TokensIn += used.TokensIn
		out.Usage.TokensOut += used.TokensOut
		out.Usage.Cost += used.Cost
		if err != nil {
			return out, err
		}
	}
}

// settle gives every open call of the last answer its result, in order, and adds the
// results. Calls that people have to answer come back, or with drop set get a result that
// says that they wait.
func (g *Guard) settle(ctx context.Context, t *turn, c *Chat, drop bool) (held []Held, err error) {
	open := c.open()
	if len(open) == 0 {
		return nil, nil
	}
	said := c.Messages[c.last()].Text
	results := make([]Result, len(open))
	for i, call := range open {
		if results[i], err = g.call(ctx, t, c, call, said); err != nil {
			return nil, err
		}
	}
	for i := range results {
		if h := results[i].Held; h != nil && !drop && g.opt.Wait != 0 {
			if results[i], err = g.await(ctx, h.Token, func() (Result, error) {
				return g.call(ctx, t, c, open[i], said)
			}); err != nil {
				return nil, err
			}
		}
	}
	var told []model.Message
	for _, r := range results {
		if r.Held != nil && !drop {
			held = append(held, *r.Held)
			continue
		}
		told = append(told, r.Message)
	}
	if len(told) == 0 {
		return held, nil
	}
	return held, c.add(ctx, told...)
}

// speak has the model's words judged as the action reply. More says that the model has to
// be asked again.
func (g *Guard) speak(ctx context.Context, t *turn, c *Chat, out *Answer) (more bool, err error) {
	said := &c.Messages[len(c.Messages)-1]
	if strings.TrimSpace(said.Text) == "" {
		out.Notice = "the model answered nothing"
		return false, nil
	}
	if _, _, err := g.block(c, said.Text); err != nil { // it meant to call something
		return true, c.add(ctx, model.Message{Role: model.RoleUser,
			Text: model.Judged{Proposal: model.Proposal{Err: err}}.Rejected()})
	}
	args, err := json.Marshal(map[string]string{"text": strings.ReplaceAll(said.Text, "\x00", "\uFFFD")})
	if err != nil {
		return false, err
	}
	call := model.NativeCall{ID: fmt.Sprintf("reply-%d", c.answers()), Name: skills.ReplyTool, Arguments: string(args)}
	bring := func() (Result, error) { return g.bring(ctx, t, c, call, "") }
	r, err := bring()
	if err == nil && r.Held != nil && g.opt.Wait != 0 {
		r, err = g.await(ctx, r.Held.Token, bring)
	}
	switch {
	case err != nil:
		return false, err
	case r.Held != nil:
		out.Held = []Held{*r.Held}
		return false, nil
	case r.ran != nil:
		out.Text, _ = r.ran.Native()["text"].(string)
		return false, nil
	}
	out.Notice = r.Message.Text
	if r.final {
		return false, nil
	}
	return true, c.add(ctx, model.Message{Role: model.RoleUser, Text: r.rejected})
}
