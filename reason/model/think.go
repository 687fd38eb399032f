package model

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Thinker asks models for proposals. It is immutable and safe for concurrent use
// if its providers are.
type Thinker struct {
	Providers []Provider    // the cascade: the first that answers is heard
	Timeout   time.Duration // for each provider that is not [Limited]; 0 means a minute
	Identity  string        // who the model is told that it is; "" means "Agent"
	// Consensus is how many providers must propose the same; with 0 and 1 the
	// first that answers is heard.
	Consensus int
	Dialects  []Dialect    // other ways in which a model may propose, beside a form and a native call
	Health    *Health      // what is remembered of the providers; nil remembers nothing
	Logger    *slog.Logger // hears how providers fail and disagree; nil discards it
}

func (t *Thinker) log() *slog.Logger {
	if t.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return t.Logger
}

// Turn is what one question to a model is made of.
type Turn struct {
	Signal  perceive.Signal
	Facts   *skills.Facts
	Policy  skills.Policy
	History []Message // the conversation before this signal, oldest first
	Said    []Message // what followed the prompt: refused proposals and why
	Context string    // what else the model should know
	Logs    []string  // newest first; never what a model or a tool wrote (weakness W26)
	Quoted  []string  // untrusted texts among all of this, besides tool messages
	// Runs reports whether a tool can be run here and now: no other is offered. nil
	// offers all that the policy declares.
	Runs func(tool string) bool
}

// Proposal is one thing that a model wants done, as it put it.
type Proposal struct {
	Form   sexpr.Value
	CallID string // which native call it was; "" for a form in text
	Err    error  // why it cannot be read: where, what was found and expected
}

// Candidate is a model's answer, read. One of Proposals, Prose and Err is set.
type Candidate struct {
	Proposals []Proposal // in the model's order
	Prose     string     // words for the user
	Err       error      // a malformed form
	Raw       Completion // as it came
	Provider  string     // who gave it
	// Usage is what it cost, with what the providers that failed had reported.
	Usage Usage
}

// Think builds the prompt of a turn and asks the providers in order until one
// answers, or all at once if a consensus is asked for. Which providers, a model
// selector among the rules may say ([skills.Selector]). If none answers, the
// error is a *[CascadeError], if they do not agree a *[DisagreementError]; if ctx
// ended, it is ctx's. The candidate's usage counts even beside an error.
func (t *Thinker) Think(ctx context.Context, turn Turn) (Candidate, error) {
	providers, err := t.chosen(turn)
	if err != nil {
		return Candidate{}, err
	}
	prompt := t.prompt(ctx, turn)
	quoted := quotable(prompt, turn)
	if t.Consensus > 1 {
		return t.agree(ctx, providers, prompt, turn.Policy, quoted)
	}
	return t.cascade(ctx, providers, prompt, quoted)
}

// interpret reads a completion. quoted are texts that a model may repeat without
// meaning them.
func (t *Thinker) interpret(c Completion, quoted []string) (Candidate, error) {
	out := Candidate{Raw: c, Usage: c.Usage}
	if len(c.Calls) > 0 {
		for _, call := range c.Calls {
			out.Proposals = append(out.Proposals, call.Proposal(c.Text))
		}
		return out, nil
	}
	r := sexpr.Reader{}.ReadReply(c.Text, quoted)
	switch r.Kind {
	case sexpr.Prose:
		out.Prose = r.Text
		out.spoken(t.Dialects, c.Text, quoted)
	case sexpr.Proposal:
		out.Proposals = []Proposal{{Form: r.Form}}
	case sexpr.Malformed:
		out.Err = r.Err
	case sexpr.Empty:
		return out, errEmpty
	}
	return out, nil
}

// Dialect reads a proposal that stands in prose. quoted are texts that the model may repeat without
// meaning them. ok is false if the prose holds no proposal; err says why one that is there cannot be read.
type Dialect func(prose string, quoted []string) (form sexpr.Value, ok bool, err error)

// spoken reads a proposal in the first dialect that finds one.
func (c *Candidate) spoken(all []Dialect, text string, quoted []string) {
	for _, d := range all {
		form, ok, err := d(text, quoted)
		if !ok {
			continue
		}
		if c.Prose = ""; err != nil {
			c.Err = err
		} else {
			c.Proposals = []Proposal{{Form: form}}
		}
		return
	}
}

var errCut = errors.New("the answer was cut off at its length limit before its tool calls were complete; expected a " +
	"shorter one")

// Proposal is what the call proposes, or in its Err why it cannot be read. What the
// model said beside its calls, text, is their explanation.
func (call NativeCall) Proposal(text string) Proposal {
	p := Proposal{CallID: call.ID}
	args := sexpr.EmptyObject()
	if call.Cut {
		p.Err = errCut
	} else if strings.TrimSpace(call.Arguments) != "" {
		args, p.Err = sexpr.FromJSON([]byte(call.Arguments))
	}
	p.Form = sexpr.Plist("type", sexpr.Key("request"), "target", sexpr.Key("tool"),
		"tool", sexpr.Str(call.Name), "args", args)
	if text = strings.TrimSpace(text); text != "" {
		p.Form = p.Form.With("explanation", sexpr.Str(text))
	}
	return p
}

// quotable are the texts that a block in the answer may be a quotation of: what
// tools said, and what the caller knows to be untrusted.
func quotable(p Prompt, t Turn) []string {
	quoted := append([]string(nil), t.Quoted...)
	for _, m := range p.Messages {
		if m.Role == RoleTool {
			quoted = append(quoted, m.Text)
		}
	}
	if isOutput(t.Signal) {
		quoted = append(quoted, t.Signal.Text)
	}
	return quoted
}

func isOutput(s perceive.Signal) bool {
	return s.Sensor == perceive.ToolOutput || s.Sensor == perceive.ToolError
}
