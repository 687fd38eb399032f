package model

import (
	"errors"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/reason/internal/foreign"
	"github.com/opencortex-go/cortex/skills"
)

// Check reports what would keep Think from doing what is configured: names of
// providers that are empty or taken, rules of the policy that choose a provider
// is not configured, and a consensus of more than there are. Without providers
// there is nothing to check.
func (t *Thinker) Check(p skills.Policy) error {
	if len(t.Providers) == 0 {
		return nil
	}
	var errs []error
	known := map[string]bool{}
	var names []string
	for i, provider := range t.Providers {
		name, _ := t.known(provider)
		switch {
		case name == "":
			errs = append(errs, fmt.Errorf("model provider %d has no name", i+1))
		case known[name]:
			errs = append(errs, fmt.Errorf("two model providers are named %s, expected names of their own", name))
		}
		known[name] = true
		names = append(names, name)
	}
	if t.Consensus > len(t.Providers) {
		errs = append(errs, fmt.Errorf("a consensus of %d model providers is asked for, and only %d configured", t.Consensus,
			len(t.Providers)))
	}
	s, ok := skills.As[skills.Selector](p)
	if !ok {
		return errors.Join(errs...)
	}
	for _, r := range s.ModelRules() {
		for _, name := range r.Use {
			if !known[name] {
				errs = append(errs, fmt.Errorf("%s: defmodels %s: unknown model provider %q, expected one of %s", r.Pos, r.Name,
					name, strings.Join(names, ", ")))
			}
		}
		if t.Consensus > len(r.Use) {
			errs = append(errs, fmt.Errorf("%s: defmodels %s: a consensus of %d model providers is asked for, and the rule "+
				"names %d", r.Pos, r.Name, t.Consensus, len(r.Use)))
		}
	}
	return errors.Join(errs...)
}

// chosen are the providers to ask on this turn, in order. Where a rule applies,
// the others are not asked even if all of its own fail: it may be there to keep
// something away from them.
func (t *Thinker) chosen(turn Turn) ([]Provider, error) {
	s, ok := skills.As[skills.Selector](turn.Policy)
	if !ok {
		return t.Providers, nil
	}
	choice := selection(s, turn)
	for _, err := range choice.Faults {
		t.log().Warn("a rule that chooses models could not be judged, and is passed over", "error", err)
	}
	if choice.Rule == "" {
		return t.Providers, nil
	}
	t.log().Debug("a rule chose the models", "rule", choice.Rule, "use", choice.Use)
	var out []Provider
	var absent CascadeError
	for _, want := range choice.Use {
		found := false
		for _, p := range t.Providers {
			if name, _ := t.known(p); name == want {
				out, found = append(out, p), true
				break
			}
		}
		if !found {
			absent.Failures = append(absent.Failures, Failure{want, errAbsent})
		}
	}
	if len(out) == 0 {
		return nil, &absent
	}
	return out, nil
}

var errAbsent = errors.New("not configured")

// selection asks the rules. A panic is a fault like any other.
func selection(s skills.Selector, turn Turn) (out skills.Selection) {
	defer func() {
		if x := recover(); x != nil {
			out = skills.Selection{Faults: []error{foreign.Panicked(x)}}
		}
	}()
	return s.SelectModels(turn.unacted())
}

// unacted is the case of a turn, before there is an action.
func (turn Turn) unacted() *skills.Case {
	if turn.Facts == nil {
		return skills.NewCase(nil, nil, &skills.Facts{Signal: turn.Signal})
	}
	return skills.NewCase(nil, nil, turn.Facts)
}
