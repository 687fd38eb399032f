package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/drive"
	"github.com/opencortex-go/cortex/cortex/internal/policy"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Capabilities brings plans that models call as tools, and drives their runs. Package capabilities has
// one.
type Capabilities interface {
	policy.Capabilities
	// Driver goes on with the runs whose logs are of the family of this name.
	Driver
	Family() string
	// Block reads a start in the tagged JSON of the Agent-Skill protocol: see [model.Dialect].
	Block(prose string, quoted []string) (form sexpr.Value, ok bool, err error)
	// Attach gives it the engine that it is an option of, before the policy is loaded.
	Attach(h Hosts) error
}

// driver is what drives the runs of an engine.
func (o *Options) driver() Driver {
	if o.Capabilities == nil {
		return o.Driver
	}
	by := drive.ByFamily{o.Capabilities.Family(): o.Capabilities}
	if o.Driver != nil {
		by[""] = o.Driver
	}
	return by
}

// plansOf keeps an absent option absent.
func plansOf(c Capabilities) policy.Capabilities {
	if c == nil {
		return nil
	}
	return c
}

// Ctx returns what rules read as facts.ctx now.
func (h Hosts) Ctx() sexpr.Value { return h.blackboard().Ctx }

// Policy returns what rules read as facts.policy now.
func (h Hosts) Policy() sexpr.Value { return h.blackboard().Policy }

// Extract asks the model of this name to find something in a text, at temperature 0. An error, a panic and no
// answer in time are errors.
func (h Hosts) Extract(ctx context.Context, name, task, text string) (found string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New(policy.PanicText(p))
		}
	}()
	for _, m := range h.e.opt.Models.Providers {
		if m.Name() == name {
			got, err := m.Complete(ctx, model.Prompt{System: task, NativeSystem: task, Pinned: true,
				Messages: []model.Message{{Role: model.RoleUser, Text: text}}})
			return got.Text, err
		}
	}
	return "", fmt.Errorf("no model is named %q here", name)
}

func (h Hosts) blackboard() (f skills.Facts) {
	h.e.ledger.Blackboard(&f)
	return f
}

// Now is the time that decisions are made at.
func (h Hosts) Now() time.Time { return h.e.ledger.Now() }

// Reload puts the rules, the plugins and the capabilities of now in force. If they do not load, what
// is in force stays. An engine that only inspects puts nothing in force: the next one that opens the
// record does.
func (h Hosts) Reload(ctx context.Context) error {
	if h.e.opt.Inspect {
		return h.e.ledger.Writable()
	}
	return h.e.Operations().Reload(ctx)
}

// IsOperator reports whether a person is an operator of this engine.
func (h Hosts) IsOperator(who approval.Approver) bool {
	return who.Name != "" && h.e.ledger.Belongs(who, skills.DefaultClass)
}

// Rehearsal returns the options of an engine with its record in memory that judges as this one does: by
// the same rule files, gates in Go, functions, facts.env and protected places. It has no plugins, no
// models and no tools; the caller gives it tools that touch nothing. What rules look up, it looks up
// too, and only reads.
func (h Hosts) Rehearsal() (Options, error) {
	o, p := h.e.opt, h.e.policies.Current()
	roots, err := p.Roots()
	return Options{Roots: roots, Functions: o.Functions, Gates: o.Gates, Lookup: o.Lookup, Env: o.Env, Keys: o.Keys,
		Protected: reason.Places{Paths: p.Places.Paths, Hosts: p.Places.Hosts}, Agent: o.Agent, Live: true}, err
}
