// Package desk is what people do with capabilities: look at them, register one, have it tested, put it on
// trial and in force, take it out of force. The command line and the REPL make these orders; no agent
// has them. An order that changes something takes an operator.
package desk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/capabilities/control"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/internal/orders"
)

// Desk carries out orders.
type Desk struct {
	Capabilities *capabilities.Capabilities
	Engine       *cortex.Engine // that the capabilities are an option of
	Plane        *control.Plane // nil for none
}

// Answer is what an order comes to: for people, and for programs.
type Answer = orders.Answer

// Orders are all there are, by verb.
func Orders() orders.List[*Desk, *approval.Approver] {
	return orders.List[*Desk, *approval.Approver]{
		orders.Does("activate", "Put a version that was on trial in force.", move(capabilities.InForce)),
		orders.Does("learn", "Enter candidates that were mined in the record. They are offered to no model.", learn),
		orders.Looks("list", "The versions, their states and plans.", list),
		orders.Looks("preview", "The open cards that a change of what is in force supersedes.", preview),
		orders.Does("promote", "Test a version here, and ask the control plane to promote it to this environment.", promote),
		orders.Does("register", "Enter the capabilities of a file. They are offered to no model yet.", register),
		orders.Does("retire", "Take a version out of force; its runs go on to their end.", move(capabilities.Retired)),
		orders.Does("revoke", "Take a version out of force for good; its runs make up for what they did.",
			move(capabilities.Revoked)),
		orders.Looks("show", "A version with its plan and history, or a run step by step.", show),
		orders.Looks("stats", "What runs of each capability came to.", stats),
		orders.Does("test", "Run the tests of a version under the rules in force.", test),
		orders.Does("try", "Put a tested version on trial: every start asks.", move(capabilities.OnTrial)),
	}
}

// Reads reports whether an order changes nothing. An unknown one changes something.
func Reads(verb string) bool { return Orders().Reads(verb) }

// Do carries out an order. who is nil for other people: only orders that change nothing
// are for them.
func (d *Desk) Do(ctx context.Context, who *approval.Approver, verb string, params []byte) (Answer, error) {
	all := Orders()
	if !all.Reads(verb) && (who == nil || !d.Engine.Hosts().IsOperator(*who)) {
		return Answer{}, fmt.Errorf("%s: %w: it takes an operator", verb, approval.ErrNotApprover)
	}
	return all.Do(ctx, d, who, verb, params)
}

// Version is an order about one version of a capability.
type Version struct {
	ID string `json:"id"`
	// Version may be left out where only one version can be meant.
	Version string `json:"version,omitempty"`
	Why     string `json:"why,omitempty"` // for the record
}

// find returns the version that an order to bring it to a state is about.
func (d *Desk) find(ctx context.Context, v Version, to capabilities.State) (capabilities.Entry, error) {
	all, err := d.Capabilities.List(ctx)
	if err != nil {
		return capabilities.Entry{}, err
	}
	var of, fit []capabilities.Entry
	for _, e := range all {
		if e.ID != v.ID || v.Version != "" && e.Version != v.Version {
			continue
		}
		of = append(of, e)
		if e.State.May(to) {
			fit = append(fit, e)
		}
	}
	switch {
	case len(of) == 0:
		return capabilities.Entry{}, fmt.Errorf("%s: %w", strings.TrimSpace(v.ID+" "+v.Version), capabilities.ErrNoVersion)
	case len(fit) == 1:
		return fit[0], nil
	case len(fit) > 1:
		return capabilities.Entry{}, fmt.Errorf("name the version of %s that you mean: %s", v.ID, states(fit))
	}
	return capabilities.Entry{}, fmt.Errorf("%s: %s cannot become %s: %w", v.ID, states(of), to, capabilities.ErrState)
}

func states(all []capabilities.Entry) string {
	var out []string
	for _, e := range all {
		out = append(out, fmt.Sprintf("%s (%s)", e.Version, e.State))
	}
	return strings.Join(out, ", ")
}

// Moved is what an order about a version came to.
type Moved struct {
	Listed
	// Superseded are the tokens of the cards that waited: the new policy has taken their place.
	Superseded []string `json:"superseded"`
}

func move(to capabilities.State) func(context.Context, *Desk, *approval.Approver, Version) (any, string, error) {
	return func(ctx context.Context, d *Desk, who *approval.Approver, p Version) (any, string, error) {
		e, err := d.find(ctx, p, to)
		if err != nil {
			return nil, "", err
		}
		if to == capabilities.OnTrial || to == capabilities.InForce {
			if err := d.reaches(ctx, e); err != nil {
				return nil, "", err
			}
		}
		waited, err := d.waiting(ctx)
		if err == nil {
			err = d.Capabilities.Order(ctx, e.ID, e.Version, to, *who, p.Why)
		}
		if err != nil {
			return nil, "", err
		}
		if e, _, err = d.Capabilities.Find(ctx, e.ID, e.Version); err != nil {
			return nil, "", err
		}
		out := Moved{Listed: listed(e), Superseded: []string{}}
		text := fmt.Sprintf("%s %s is %s\n", e.ID, e.Version, to)
		for _, a := range waited {
			now, err := d.Engine.Approvals().Get(ctx, a.Token)
			if err != nil {
				return nil, "", err
			}
			if now.State == cortex.Superseded {
				out.Superseded = append(out.Superseded, a.Token)
				text += fmt.Sprintf("card %s was superseded\n", a.Token)
			}
		}
		return out, text, nil
	}
}

// waiting are the cards that wait for an answer.
func (d *Desk) waiting(ctx context.Context) (out []*approval.Approval, err error) {
	for a, err := range d.Engine.Pending(ctx) {
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// Preview asks which cards a change supersedes.
type Preview struct {
	Version
	To capabilities.State `json:"to"` // on-trial or in-force, say
}

func preview(ctx context.Context, d *Desk, _ *approval.Approver, p Preview) (any, string, error) {
	if !slices.Contains([]capabilities.State{capabilities.OnTrial, capabilities.InForce, capabilities.Retired,
		capabilities.Revoked}, p.To) {
		return nil, "", errors.New("a preview is of a change to on-trial, in-force, retired or revoked")
	}
	e, err := d.find(ctx, p.Version, p.To)
	if err != nil {
		return nil, "", err
	}
	waiting, err := d.waiting(ctx)
	if err != nil {
		return nil, "", err
	}
	type open struct {
		Token string `json:"token"`
		Tool  string `json:"tool"`
		For   string `json:"for"`
	}
	cards, text := []open{}, fmt.Sprintf("%s %s would become %s; %d open cards would be superseded\n", e.ID, e.Version,
		p.To, len(waiting))
	for _, a := range waiting {
		cards = append(cards, open{a.Token, a.Action.Tool(), a.Requester})
		text += fmt.Sprintf("  %s  %s  for %q in session %q\n", a.Token, a.Action.Tool(), a.Requester, a.Session)
	}
	return map[string]any{"id": e.ID, "version": e.Version, "plan": e.Plan, "to": p.To, "superseded": cards}, text, nil
}
