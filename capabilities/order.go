package capabilities

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/skills"
)

// May reports whether a version in state s may be brought to another.
func (s State) May(to State) bool {
	return slices.Contains(next[s], to) || to == Revoked && s != Revoked
}

// History returns every state that versions of a capability came to, oldest first. It is empty for an id
// that is not registered.
func (c *Capabilities) History(ctx context.Context, id string) ([]Entry, error) {
	log, err := c.logs.Read(ctx, registryLog)
	if errors.Is(err, logs.ErrNoLog) {
		return nil, nil
	}
	if err == nil && log.Health.Condition != logs.Healthy {
		err = log.Health.Err
	}
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, a := range log.Appends {
		for _, e := range log.Events[a.First : a.Last+1] {
			m, err := decode[moved](e)
			if err != nil {
				return nil, err
			}
			if m.ID == id && !m.Failed {
				out = append(out, Entry{ID: m.ID, Version: m.Version, Plan: m.Plan, State: m.State, By: m.By, Why: m.Why,
					At: a.At})
			}
		}
	}
	return out, nil
}

// Order brings a version to a state, as [Capabilities.Move] does, for a person who is an operator. For
// everyone else the error is [approval.ErrNotApprover], and nothing changes.
func (c *Capabilities) Order(ctx context.Context, id, version string, to State, who approval.Approver,
	why string) error {
	if !c.host.IsOperator(who) {
		return fmt.Errorf("%s %s: %w: an operator says what a capability may do", id, version, approval.ErrNotApprover)
	}
	return c.Move(ctx, id, version, to, who.Name, why)
}

// Check compares a capability with the tools that a policy knows: see [form.Capability.Check].
func (c *Capabilities) Check(v *form.Capability, known skills.ToolSet) error {
	b, err := c.read()
	if err != nil {
		return err
	}
	return v.Check(tools{known, b})
}
