// Package desk is what people do with runs: look at them, start one, hand something in, release what
// stopped, give a run away. Every way to a person, the command line or the REPL, makes these orders;
// no agent has them. An order is a verb and an object in JSON, so that one form of the REPL carries
// them all.
package desk

import (
	"context"
	"errors"

	"github.com/opencortex-go/cortex/internal/orders"
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
type Answer = orders.Answer

// Orders are all there are, by verb.
func Orders() orders.List[*Desk, runs.Person] {
	return orders.List[*Desk, runs.Person]{
		orders.Does("delete", "End and hide a run at once.", remove),
		orders.Looks("export", "Write a run with all that it rests on as one bundle.", export),
		orders.Does("give", "Give a run to another principal.", give),
		orders.Does("import", "Enter a run from a bundle.", enter),
		orders.Does("keep", "Exempt a run from retention, or end that.", keep),
		orders.Looks("list", "The runs, the one that went on last first.", list),
		orders.Does("mode", "Change how far a run goes on by itself.", mode),
		orders.Does("release", "Resolve what keeps a run from going on.", release),
		orders.Does("rotate-keys", "Sign tickets with a new key.", rotate),
		orders.Looks("show", "A run as a tree: its branches, gaps and why.", show),
		orders.Does("start", "Start a run, of a workflow that is known or of a file.", start),
		orders.Does("supply", "Hand in the pending step of a run in a person's own words.", supply),
	}
}

// Reads reports whether an order changes nothing. An unknown one changes something.
func Reads(verb string) bool { return Orders().Reads(verb) }

// Do carries out an order. An error is a [tools.Error] or says what is wrong with the order.
func (d *Desk) Do(ctx context.Context, who runs.Person, verb string, params []byte) (Answer, error) {
	a, err := Orders().Do(ctx, d, who, verb, params)
	if e, ok := errors.AsType[*tools.Error](err); ok && e.Code == tools.InternalError && errors.Unwrap(e) != nil {
		return Answer{}, errors.Unwrap(e) // an operator hears what no agent does
	}
	return a, err
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
