// Package desk is what people do with runs: look at them, start one, hand something in, release what
// stopped, give a run away. Every way to a person, the command line or the REPL, makes these orders;
// no agent has them. An order is a verb and an object in JSON, so that one form of the REPL carries
// them all.
package desk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/opencortex-go/cortex/internal/spell"
	"github.com/opencortex-go/cortex/runs"
	"github.com/opencortex-go/cortex/runs/bundle"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/tools"
)

// Desk carries out orders.
type Desk struct {
	Runs *runs.Runs
	// Producer says in a bundle which program made it.
	Producer bundle.Producer
}

// Answer is what an order comes to: for people, and for programs.
type Answer struct {
	Text string
	JSON []byte
}

// Order is one thing to do.
type Order struct {
	Verb  string
	Doc   string // a sentence for help
	Reads bool   // changes nothing
	do    func(ctx context.Context, d *Desk, who runs.Person, params []byte) (any, string, error)
}

// Orders are all there are, by verb.
func Orders() []Order {
	return []Order{
		{"delete", "End and hide a run at once.", false, order(remove)},
		{"export", "Write a run with all that it rests on as one bundle.", true, order(export)},
		{"give", "Give a run to another principal.", false, order(give)},
		{"import", "Enter a run from a bundle.", false, order(enter)},
		{"keep", "Exempt a run from retention, or end that.", false, order(keep)},
		{"list", "The runs, the one that went on last first.", true, order(list)},
		{"mode", "Change how far a run goes on by itself.", false, order(mode)},
		{"release", "Resolve what keeps a run from going on.", false, order(release)},
		{"rotate-keys", "Sign tickets with a new key.", false, order(rotate)},
		{"show", "A run as a tree: its branches, gaps and why.", true, order(show)},
		{"start", "Start a run, of a workflow that is known or of a file.", false, order(start)},
		{"supply", "Hand in the pending step of a run in a person's own words.", false, order(supply)},
	}
}

// Reads reports whether an order changes nothing. An unknown one changes something.
func Reads(verb string) bool {
	return slices.ContainsFunc(Orders(), func(o Order) bool { return o.Verb == verb && o.Reads })
}

// Do carries out an order. An error is a [tools.Error] or says what is wrong with the order.
func (d *Desk) Do(ctx context.Context, who runs.Person, verb string, params []byte) (Answer, error) {
	var verbs []string
	for _, o := range Orders() {
		if o.Verb == verb {
			return d.carryOut(ctx, who, o, params)
		}
		verbs = append(verbs, o.Verb)
	}
	return Answer{}, fmt.Errorf("there is no order %q%s", verb, spell.DidYouMean(verb, verbs))
}

func (d *Desk) carryOut(ctx context.Context, who runs.Person, o Order, params []byte) (Answer, error) {
	v, text, err := o.do(ctx, d, who, params)
	if e, ok := errors.AsType[*tools.Error](err); ok && e.Code == tools.InternalError && errors.Unwrap(e) != nil {
		return Answer{}, errors.Unwrap(e) // an operator hears what no agent does
	}
	if err != nil {
		return Answer{}, err
	}
	out, err := json.Marshal(v)
	return Answer{Text: text, JSON: out}, err
}

// order reads the object of an order strictly, and does it.
func order[P any](f func(ctx context.Context, d *Desk, who runs.Person, p P) (any, string, error)) func(context.Context,
	*Desk, runs.Person, []byte) (any, string, error) {
	return func(ctx context.Context, d *Desk, who runs.Person, params []byte) (any, string, error) {
		var p P
		if len(bytes.TrimSpace(params)) > 0 {
			dec := json.NewDecoder(bytes.NewReader(params))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&p); err != nil {
				return nil, "", fmt.Errorf("the order: %w", err)
			}
			if _, err := dec.Token(); !errors.Is(err, io.EOF) {
				return nil, "", errors.New("the order: there is text behind the object")
			}
		}
		return f(ctx, d, who, p)
	}
}

// Named is an order about one run.
type Named struct {
	Run string `json:"run"` // its label, its id, or its session's
}

func (d *Desk) find(ctx context.Context, n Named) (event.SessionID, error) {
	if n.Run == "" {
		return "", tools.Failed(tools.ValidationError, "name a run", "list them: cortex run list")
	}
	return d.Runs.Lookup(ctx, n.Run)
}
