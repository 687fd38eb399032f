package skill

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/plugins/internal/wire"
	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Skill is what a skill process serves: see [Serve]. Name, Release and Judge are
// needed. What it says of itself is a wish; what counts stands in skills.lock.
type Skill struct {
	Name     string   // like shell-guard; unique among all skills of a host
	Release  string   // like "1.2.0"
	Doc      string   // one sentence for people
	Priority int      // larger is asked earlier
	Judges   []string // tools whose actions it judges; none means all
	Sees     []string // parts of the facts: now signal session turns spends ctx env work policy explanation
	Rights   []string // beyond asking and rejecting: allow rewrite tools network
	Clauses  []string // that its verdicts name in Reason.Key; a verdict that names none is of "main"
	Examples []Example

	// Judge gives one verdict on one action. The facts hold what the lock lets the
	// skill see, and are nil or {} if that is nothing. The Reason.Key of a verdict is one of
	// Clauses, or "". An error, a panic and a nil verdict all deny the action.
	//
	// It is called by many goroutines at a time, keeps no state, and answers the
	// same question always in the same way: some are asked twice to see that. ctx
	// ends with the call's deadline.
	Judge func(ctx context.Context, a *skills.Action, facts sexpr.Value) (skills.Verdict, error)

	// Prompt may give a text in place of the signal's, and Augment a line for the
	// system prompt; "" changes nothing. nil is a skill that does not.
	Prompt, Augment func(ctx context.Context, facts sexpr.Value) (string, error)

	// Tools are (deftool ...) forms of the skill's own tools, which Call runs. The
	// same id is the same act, and is to be done once. Wrap [ErrUnknown] in an
	// error after which it is not known whether anything was done.
	Tools []string
	Call  func(ctx context.Context, id string, a *skills.Action) (sexpr.Value, error)

	// Ready says why the skill cannot judge now; nil is one that always can.
	Ready func(context.Context) error
}

// Example is a case that a skill decides in a known way. Hosts try it after each
// start, and load no skill that decides it otherwise.
type Example struct {
	Name   string
	Action string // as in a rule file: (:tool "shell" :args (:cmd "ls"))
	Facts  string // a plist; "" is none
	Want   string // pass, allow, rewrite, ask or reject
}

// ErrUnknown says that a tool may have done something, or not.
var ErrUnknown = errors.New("whether it was done is not known")

// description is what the skill says of itself. All that is wrong with it comes
// back at once.
func (s *Skill) description() (*skillpb.Description, error) {
	d := &skillpb.Description{
		Protocol: skillpb.Protocol, Name: s.Name, Release: s.Release, Doc: s.Doc, Priority: int32(s.Priority),
		Judges: s.Judges, Clauses: s.Clauses, Tools: s.Tools, Prompts: s.Prompt != nil, Augments: s.Augment != nil,
	}
	var errs []error
	if s.Judge == nil {
		errs = append(errs, errors.New("no Judge"))
	}
	if s.Release == "" {
		errs = append(errs, errors.New("no Release"))
	}
	if (len(s.Tools) > 0) != (s.Call != nil) {
		errs = append(errs, errors.New("only one of Tools and Call is there"))
	}
	for _, w := range s.Sees {
		if wire.Sights[w] == 0 {
			errs = append(errs, fmt.Errorf("it wants to see %q, expected one of %s", w, words(wire.Sights)))
		}
		d.Sees = append(d.Sees, wire.Sights[w])
	}
	for _, w := range s.Rights {
		if wire.Rights[w] == 0 {
			errs = append(errs, fmt.Errorf("it wants the right %q, expected one of %s", w, words(wire.Rights)))
		}
		d.Rights = append(d.Rights, wire.Rights[w])
	}
	for _, x := range s.Examples {
		e, err := x.message()
		if err != nil {
			errs = append(errs, fmt.Errorf("example %q: %w", x.Name, err))
		}
		d.Examples = append(d.Examples, e)
	}
	errs = append(errs, wire.CheckDescription(d))
	return d, errors.Join(errs...)
}

// message is the example with its action and facts in canonical form.
func (x Example) message() (*skillpb.Example, error) {
	e := &skillpb.Example{Name: x.Name, Outcome: outcomeOf(x.Want)}
	if e.Outcome == skillpb.Outcome_OUTCOME_UNSPECIFIED {
		return e, fmt.Errorf("it wants %q, expected pass, allow, rewrite, ask or reject", x.Want)
	}
	v, err := sexpr.Read("action", x.Action)
	if err != nil {
		return e, err
	}
	args, _ := v.Get("args")
	a, err := skills.NewAction(v.GetText("tool"), args, "")
	if err != nil {
		return e, err
	}
	e.Action = a.Canonical()
	if x.Facts != "" {
		if v, err = sexpr.Read("facts", x.Facts); err == nil {
			e.Facts, err = sexpr.Canonical(v)
		}
	}
	return e, err
}

func outcomeOf(word string) skillpb.Outcome {
	return skillpb.Outcome(skillpb.Outcome_value["OUTCOME_"+strings.ToUpper(word)])
}
