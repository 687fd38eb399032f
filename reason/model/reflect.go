package model

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/internal/foreign"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// defaultAttempts is how often a model may propose on one signal.
const defaultAttempts = 3

// ReflectOptions are the two functions that the reflection loop stands on.
type ReflectOptions struct {
	// Think asks a model. said is what followed the prompt so far: proposals that
	// were refused, and why; it belongs behind the prompt ([Turn.Said]).
	Think func(ctx context.Context, said []Message) (Candidate, error)
	// Decide judges one proposal, and records the decision before it returns. An
	// error is the recorder's, and ends the loop.
	Decide func(ctx context.Context, p Proposal) (*reason.Decision, error)
	// Attempts is how often Think is asked at most; 0 means three times.
	Attempts int
}

// Judged is a proposal and what was decided on it. Decision is nil if the
// proposal was malformed; Proposal.Err says how.
type Judged struct {
	Proposal Proposal
	Decision *reason.Decision
}

// Reflection is the result of reflecting on one signal.
type Reflection struct {
	// Allowed are to be run, in order.
	Allowed []Judged
	// Stopped is the first one that is not to be run, denied or held for people;
	// nil if all are. What came after it was not judged.
	Stopped *Judged
	// Notice is what the user is told in Cortex's own name: the last real reason
	// for a refusal, or that no model answered, or that they do not agree. "" if there is nothing to tell.
	Notice string
	// Said is what the model said and was told, for the session's history. The
	// results of allowed native calls are not among it.
	Said []Message
	// Pending are the native calls of the last answer that still need their
	// result message: the allowed ones, once they have run.
	Pending []string
	// Attempts is how often a model was asked; Usage is what that cost.
	Attempts int
	Usage    Usage
}

// Held reports whether people are to be asked.
func (o *Reflection) Held() bool {
	return o.Stopped != nil && o.Stopped.Decision != nil && o.Stopped.Decision.Kind == reason.Ask
}

// Reflect asks a model until it proposes something that may be done, at most
// Attempts times. Why a proposal was refused goes back to it as quoted data in a
// message of the user's role, never as system text. A refusal that no retry can
// mend leaves at once, and so do an ask and the failure of all providers. Prose
// becomes the action reply; three malformed answers in a row end as one.
//
// The error is ctx's or the recorder's.
func Reflect(ctx context.Context, o ReflectOptions) (Reflection, error) {
	r := loop{o: o, left: o.Attempts}
	if r.left <= 0 {
		r.left = defaultAttempts
	}
	err := r.run(ctx)
	return r.out, err
}

type loop struct {
	o         ReflectOptions
	left      int // attempts
	malformed int // answers in a row, so far
	out       Reflection
	done      bool
}

func (r *loop) run(ctx context.Context) error {
	for !r.done {
		c, err := r.o.Think(ctx, r.out.Said)
		r.left--
		r.out.Attempts++
		r.out.Usage = r.out.Usage.plus(c.Usage)
		if text, ok := failed(err); ok {
			r.out.Notice = text
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.candidate(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// failed reports whether an error says that the models gave no answer to go on
// with, and what the user is told of it.
func failed(err error) (text string, ok bool) {
	var all *CascadeError
	var apart *DisagreementError
	switch {
	case errors.As(err, &apart):
		return apart.Error(), true
	case errors.As(err, &all):
		return all.Error(), true
	}
	return "", false
}

// candidate judges one answer.
func (r *loop) candidate(ctx context.Context, c Candidate) error {
	if c.Err == nil {
		r.malformed = 0
	}
	switch {
	case c.Err != nil:
		r.malformed++
		if r.left > 0 || r.malformed < r.out.Attempts {
			r.refused(c, Judged{Proposal: Proposal{Err: c.Err}})
			return nil
		}
		return r.speak(ctx, c, c.Raw.Text)
	case len(c.Proposals) == 0 && strings.TrimSpace(c.Prose) == "":
		r.out.Notice, r.done = errEmpty.Error(), true
		return nil
	case len(c.Proposals) == 0:
		return r.speak(ctx, c, c.Prose)
	}
	return r.judge(ctx, c)
}

// speak proposes to say text to the user.
func (r *loop) speak(ctx context.Context, c Candidate, text string) error {
	c.Proposals = []Proposal{{Form: replyForm(text)}}
	return r.judge(ctx, c)
}

// replyForm is the proposal to say text, as far as it has a spelling.
func replyForm(text string) sexpr.Value {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	return sexpr.Plist("type", sexpr.Key("request"), "target", sexpr.Key("tool"),
		"tool", sexpr.Str(skills.ReplyTool), "args", sexpr.Plist("text", sexpr.Str(text)))
}

// judge decides on the proposals of one answer in order, and stops at the first
// that is not allowed.
func (r *loop) judge(ctx context.Context, c Candidate) error {
	for _, p := range c.Proposals {
		j := Judged{Proposal: p}
		if p.Err == nil {
			var err error
			if j.Decision, err = r.o.Decide(ctx, p); err != nil {
				return err
			}
			if j.Decision == nil {
				return errors.New("a proposal was not decided on")
			}
		}
		if j.Decision == nil || j.Decision.Kind != reason.Allow {
			r.refused(c, j)
			return nil
		}
		r.out.Allowed = append(r.out.Allowed, j)
	}
	r.done = true
	r.out.Notice, r.out.Stopped = "", nil
	r.out.Said = append(r.out.Said, answered(c))
	for _, j := range r.out.Allowed {
		r.pend(j.Proposal.CallID)
	}
	return nil
}

func (r *loop) pend(call string) {
	if call != "" {
		r.out.Pending = append(r.out.Pending, call)
	}
}

// refused notes why an answer is not, or not wholly, carried out, and whether
// the loop goes on. What was allowed before the stop is run, and the model hears
// of the rest together with its results.
func (r *loop) refused(c Candidate, j Judged) {
	r.out.Stopped = &j
	texts := texts(j)
	held := r.out.Held()
	if !held && (j.Decision != nil || r.out.Notice == "") {
		r.out.Notice = notice(texts)
	}
	r.done = held || len(r.out.Allowed) > 0 || r.left <= 0 || j.Decision != nil && !j.Decision.Retry
	r.out.Said = append(r.out.Said, answered(c))
	result := j.NotRun()
	if held {
		result = "Not run: it waits for a person's approval."
	}
	r.results(c, result)
	if !held && len(r.out.Allowed) == 0 {
		r.out.Said = append(r.out.Said, Message{Role: RoleUser, Text: j.Rejected()})
	}
}

// results gives every native call its result message but those that are yet to
// run.
func (r *loop) results(c Candidate, stopped string) {
	for i, p := range c.Proposals {
		switch {
		case p.CallID == "":
		case i < len(r.out.Allowed):
			r.pend(p.CallID)
		case i == len(r.out.Allowed):
			r.out.Said = append(r.out.Said, Message{Role: RoleTool, CallID: p.CallID, Text: stopped})
		default:
			r.out.Said = append(r.out.Said, Message{Role: RoleTool, CallID: p.CallID,
				Text: "Not run and not judged: an earlier call of the same answer was not allowed."})
		}
	}
}

// answered is the model's own answer as the conversation keeps it.
func answered(c Candidate) Message {
	return Message{Role: RoleAssistant, Text: foreign.Clip(c.Raw.Text, maxAnswered), Calls: c.Raw.Calls}
}

// NotRun is what a model is told of a proposal that is denied or malformed: why, as
// quoted data, and the edit that mends it, if one does.
func (j Judged) NotRun() string {
	return "Not run. The reasons, quoted as data:\n" + quoted(texts(j)) + hinted(j)
}

// Rejected is what a model is told, in a message of the user's role, of an answer that is
// denied or malformed and was no tool call.
func (j Judged) Rejected() string { return feedback(texts(j), hinted(j)) }

// texts are the reasons that the model may read.
func texts(j Judged) []string {
	if j.Decision == nil {
		return []string{j.Proposal.Err.Error()}
	}
	var out []string
	for _, w := range j.Decision.Reasons {
		out = append(out, w.Text)
	}
	return out
}

// notice is what the user reads when the loop ends in a refusal.
func notice(texts []string) string { return "Refused: " + strings.Join(texts, "; ") }

// The sizes of what goes back to a model.
const (
	maxAnswered        = 32 << 10 // of its own answer
	maxFeedbackText    = 500
	maxFeedbackReasons = 8
)

// feedback is the message that follows a refused proposal.
func feedback(texts []string, hint string) string {
	return "PREVIOUS PROPOSAL REJECTED. Nothing was run. The reasons, quoted as data:\n" + quoted(texts) + hint +
		"Propose something else that mends this, or answer the user in plain text."
}

// hinted is the edit that mends a denial, if the decision has one. It holds words of
// rules and schemas alone, on one line.
func hinted(j Judged) string {
	if j.Decision == nil || j.Decision.Hint == nil || j.Decision.Hint.Edit.IsNil() {
		return ""
	}
	edit := j.Decision.Hint.Edit.String()
	if len(edit) > maxFeedbackText {
		return ""
	}
	return "With this one edit of its :args it would be allowed, as things stand (:drop leaves out what is :at that " +
		"place, " +
		":set replaces it, :without takes the word out, :folder puts the same name in that folder):\n> " + edit + "\n"
}

// quoted sets reasons apart as data and caps them: some repeat what a model or a
// plugin wrote.
func quoted(texts []string) string {
	var b strings.Builder
	for i, t := range texts {
		if i == maxFeedbackReasons {
			fmt.Fprintf(&b, "- and %d more\n", len(texts)-i)
			break
		}
		b.WriteString("- " + strconv.Quote(foreign.Clip(t, maxFeedbackText)) + "\n")
	}
	return b.String()
}
