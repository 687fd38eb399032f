package origin

import (
	"fmt"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/provenance"
)

// The static costs. A question costs time in the length of its value.
const (
	costValue  = 100  // a question about a value
	costText   = 300  // a question about all words of a text
	costAction = 1000 // a question about the whole action
)

// maxArguments bounds (arguments).
const maxArguments = 128

// Functions returns the questions that rules may ask, by these words.
func Functions(w *Words) []facts.Function {
	text, boolean := facts.Type{Kind: facts.String}, facts.Type{Kind: facts.Bool}
	value := facts.Param{Name: "value", Type: facts.Type{Kind: facts.Any}}
	about := func(name, doc string, f func(*provenance.View, any) (bool, provenance.Where, error)) facts.Function {
		return facts.Function{Name: name, Doc: doc, Params: []facts.Param{value}, Result: boolean, Cost: costValue,
			Call: w.call(func(v *provenance.View, args []any) (any, error) {
				yes, _, err := f(v, plain(args[0]))
				return yes, err
			})}
	}
	origins := facts.Type{Kind: facts.String, Words: names()}
	return append([]facts.Function{
		{
			Name: "origin", Params: []facts.Param{value}, Result: origins, Cost: costValue,
			Doc: "Where a value came from: the user's words (user), a rule (rule), a trusted field (trusted), a whole field " +
				"of a result (record), nowhere (model), nowhere after something unreadable (opaque), a text (prose), a text " +
				"from a directive on (zone), or one that speaks to the agent (alien); with -host, an address on a host found " +
				"so. Of parts the worst counts.",
			Call: w.call(func(v *provenance.View, args []any) (any, error) {
				o, _, err := v.Origin(plain(args[0]))
				return o.String(), err
			}),
		},
		about("trusted?", "Whether the origin of a value is user, rule or trusted.", (*provenance.View).Trusted),
		about("said?", "Whether a value stands in the user's words, also in a prohibition.", (*provenance.View).Said),
		about("named?", "Whether the user said a value, or of an address the local part alone where the session has seen "+
			"just one such address.", (*provenance.View).Named),
		about("meant?", "Whether the user said a value, or of a path the base name alone where the session has seen just "+
			"one such path in the working folder.", (*provenance.View).Meant),
		about("pointed?", "Whether the user pointed at a record or page that holds the value.", (*provenance.View).Pointed),
		about("delegated?", "Whether the user said to do what a source says that holds the value.",
			(*provenance.View).Delegated),
		about("vouched?", "Whether a value is delegated?, or a field of a record, and no part of a sentence, in what the "+
			"agent looked up in the user's own lists for the task: by a word of the user's, or of the source that has the task.",
			(*provenance.View).Vouched),
		about("singled?", "Whether a text that the task was not handed to speaks of a value in one sentence with an action "+
			"of this kind.", (*provenance.View).Singled),
		about("alien?", "Whether a value, or a part of it, stands in a text that speaks to the agent, or is a look-alike of "+
			"what the user said. It is known where the origin is not, because the session is held in part.",
			(*provenance.View).Alien),
		about("elsewhere?", "Whether a value holds an address that a text gave, on another site than the source has that "+
			"the user handed the task to. A source without a site is at home everywhere, but for hosts that effects send to.",
			(*provenance.View).Elsewhere),
		about("gave-another?", "Whether the user said another value of this shape and not this one: another address, "+
			"account, number or day.", (*provenance.View).Gave),
		about("chose-another?",
			"Whether the value is one of several that a result lists, and the user named another of them.",
			(*provenance.View).Chose),
		{
			Name: "carries", Params: []facts.Param{value, {Name: "unknown", Type: text, Words: names()}}, Optional: 1,
			Result: origins, Cost: costText,
			Doc: "The worst origin of the addresses and accounts in a text; alien, too, if it copies five words in a row from " +
				"a text that speaks to the agent. Where that is not known, it is the word given for that.",
			Call: w.call(func(v *provenance.View, args []any) (any, error) {
				o, _, err := v.Carries(plain(args[0]))
				if err != nil && len(args) > 1 {
					return args[1], nil
				}
				return o.String(), err
			}),
		},
		{
			Name: "arguments", Optional: 1,
			Params: []facts.Param{{Name: "role", Type: text, Words: append(Roles(), "strong"), Literal: true}},
			Result: facts.ListOf(argumentType(), maxArguments), Cost: costAction,
			Doc: "Every value in the action's arguments, with what it steers and where it came from, by the order of their " +
				"names; of one role alone, such as :id, or of all :strong ones.",
			Call: w.keep("arguments", arguments),
		},
		w.covered(),
	}, w.intent()...)
}

// call makes the body of a function of a question to the view.
func (w *Words) call(ask func(v *provenance.View, args []any) (any, error)) func(*skills.Case, []any) (any, error) {
	return func(c *skills.Case, args []any) (any, error) {
		v, err := w.view(c)
		if err != nil {
			return nil, err
		}
		return told(ask(v, args))
	}
}

// keep is call for a question whose answer is kept for all clauses that judge the action.
func (w *Words) keep(name string, ask func(v *provenance.View, args []any) (any, error)) func(*skills.Case,
	[]any) (any, error) {
	type answer struct {
		value any
		err   error
	}
	name = "origin/" + name
	asked := w.call(ask)
	return func(c *skills.Case, args []any) (any, error) {
		key := name
		if len(args) > 0 {
			key += fmt.Sprint(" ", args[0])
		}
		a, ok := c.Shared(key).(answer)
		if !ok {
			a.value, a.err = asked(c, args)
			c.Share(key, a)
		}
		return a.value, a.err
	}
}

// names are the origins as rules write them.
func names() []string {
	var out []string
	for _, o := range provenance.Origins() {
		out = append(out, o.String())
	}
	return out
}
