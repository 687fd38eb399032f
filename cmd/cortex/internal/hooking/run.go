package hooking

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/opencortex-go/cortex/adapters/hooks"
)

// Call is a tool call that a host is about to run, in its words and in those of rules.
type Call struct {
	Event  hooks.Event
	Action hooks.Action
	Hold   time.Duration // how long to wait for people if the decision asks; 0 not at all
	// Named are the folders that the host names as the project, and Stands is the one that its process
	// stands in; "" if that says nothing.
	Named  []string
	Stands string
}

// Ruling is what a judge says of a call.
type Ruling struct {
	Kind      string          // "allow"; anything else means no
	Text      string          // the reasons, for the model
	Args      json.RawMessage // the action's arguments exactly as allowed
	Rewritten bool            // they differ from those of the call
	Token     string          // of the card, where a person has been asked and has not answered
}

// Judge decides, and hears what happened. Every error means no.
type Judge interface {
	// Judge decides on a call, and opens its intent if it allows it.
	Judge(ctx context.Context, c Call) (Ruling, error)
	// Hear takes every other event: prompts, results, failures, the end of a session. The tool
	// is the canonical one.
	Hear(ctx context.Context, e hooks.Event, tool string) error
}

// Options says how an event is answered.
type Options struct {
	Dialect hooks.Dialect
	Judge   Judge
	Wait    time.Duration       // how long the host waits for the hook; 0 means the dialect's limit
	Getenv  func(string) string // nil is os.Getenv
}

// margin is what a hook leaves of the time that its host gives it: a minute, or a quarter.
func margin(wait time.Duration) time.Duration { return min(time.Minute, wait/4) }

// Run answers one event. It never fails: whatever goes wrong is in the reply.
func Run(ctx context.Context, opt Options, in io.Reader) (r hooks.Reply) {
	defer func() {
		if p := recover(); p != nil {
			r = opt.block("it failed, so the call is blocked")
		}
	}()
	if opt.Wait <= 0 || opt.Wait > opt.Dialect.Limit() {
		opt.Wait = opt.Dialect.Limit()
	}
	ctx, cancel := context.WithTimeout(ctx, opt.Wait-margin(opt.Wait)*3/4)
	defer cancel()
	raw, err := io.ReadAll(io.LimitReader(in, hooks.Most+1))
	if err != nil {
		return opt.block("it could not read what the host sent: " + err.Error())
	}
	e, err := opt.Dialect.Read(raw)
	if err != nil {
		return opt.block("it does not understand what the host sent, so nothing runs: " + err.Error())
	}
	if root := opt.root(e); root != "" && root != e.Cwd {
		e.Start, e.Cwd = e.Cwd, root
	}
	if e.Cwd != "" && e.Kind != hooks.Other {
		// Paths are relative to the host's folder, and the daemon sees where this process stands.
		if err := os.Chdir(e.Cwd); err != nil {
			return opt.block("it cannot enter the working folder, so nothing runs: " + err.Error())
		}
	}
	a, err := opt.answer(ctx, e)
	if err != nil {
		return opt.failed(e, err)
	}
	return opt.Dialect.Answer(e, a)
}

// unjudged begins every text of a denial without a ruling. Selftest tells them by it.
const unjudged = "Cortex did not judge this call"

// Block denies a call that was not judged.
func Block(d hooks.Dialect, why string) hooks.Reply { return d.Block(unjudged + ": " + why) }

func (opt Options) block(why string) hooks.Reply { return Block(opt.Dialect, why) }

// root is the folder of a session whose host reports that of each command; "" for other hosts.
func (opt Options) root(e hooks.Event) string {
	if opt.Dialect.Name() != "codex" || e.Kind != hooks.PreTool || e.Transcript == "" {
		return ""
	}
	return sessionFolder(e)
}

// failed says no. The end of a turn is never held up: hosts take that for a wish to go on.
func (opt Options) failed(e hooks.Event, err error) hooks.Reply {
	switch e.Kind {
	case hooks.PreTool, hooks.PostTool, hooks.FailedTool:
		return opt.block(err.Error())
	case hooks.Prompt:
		return opt.Dialect.Answer(e, hooks.Answer{Text: err.Error()})
	case hooks.SessionStart, hooks.SessionEnd, hooks.Stop, hooks.Other:
	}
	return hooks.Reply{Stderr: err.Error() + "\n"}
}

// answer asks the judge.
func (opt Options) answer(ctx context.Context, e hooks.Event) (hooks.Answer, error) {
	table := opt.Dialect.Table()
	switch e.Kind {
	case hooks.Other, hooks.SessionStart, hooks.Stop:
		return hooks.Answer{Ruled: hooks.Allow}, nil
	case hooks.Prompt, hooks.SessionEnd:
		return hooks.Answer{Ruled: hooks.Allow}, opt.Judge.Hear(ctx, e, "")
	case hooks.PostTool, hooks.FailedTool:
		action, err := table.Canonical(e)
		if err != nil { // it cannot have been allowed, so another hook or none let it run
			action.Tool = e.Tool
		}
		return hooks.Answer{Ruled: hooks.Allow}, opt.Judge.Hear(ctx, e, action.Tool)
	case hooks.PreTool:
	}
	action, err := table.Canonical(e)
	if err != nil {
		return hooks.Answer{}, fmt.Errorf("the call cannot be judged, so it is blocked: %w", err)
	}
	host := hostOfHook(opt.Dialect)
	r, err := opt.Judge.Judge(ctx, Call{Event: e, Action: action, Hold: opt.Wait - margin(opt.Wait),
		Named: opt.named(e, host), Stands: host.stands})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return hooks.Answer{}, errors.New("the rules did not answer in time, so the call is blocked")
	case err != nil:
		return hooks.Answer{}, err
	case r.Kind != "allow":
		return hooks.Answer{Text: r.denial()}, nil
	case !r.Rewritten:
		return hooks.Answer{Ruled: hooks.Allow}, nil
	}
	input, err := table.Rewritten(e, r.Args)
	if err != nil {
		return hooks.Answer{Text: "The rules would allow another form of this call, which the host cannot make: " +
			string(r.Args) + ". " + err.Error()}, nil
	}
	return hooks.Answer{Ruled: hooks.Allow, Input: input}, nil
}

// denial is what the model reads.
func (r Ruling) denial() string {
	if r.Token == "" {
		return r.Text
	}
	return r.Text + "\nA person has to allow this, and has not answered yet. The question is " + r.Token +
		"; once it is approved, the same call runs."
}
