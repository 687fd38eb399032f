package plans

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/sexpr"
)

// Canonical is the plan as canonical JSON, which [Load] reads. Do not change the slice.
func (p *Plan) Canonical() []byte { return p.canonical }

// Hash names the plan: the SHA-256 of [Plan.Canonical].
func (p *Plan) Hash() sexpr.Digest { return p.hash }

// Step finds a step by its id, in loop bodies too.
func (p *Plan) Step(id string) (*Step, bool) {
	for s := range p.AllSteps() {
		if s.ID == id {
			return s, true
		}
	}
	return nil, false
}

// AllSteps yields every step: those of the top level in order, and after the place of a loop
// those of its body.
func (p *Plan) AllSteps() func(yield func(*Step) bool) {
	return func(yield func(*Step) bool) {
		for i := range p.Steps {
			if !yield(&p.Steps[i]) {
				return
			}
			loop, _ := p.Loop(p.Steps[i].LoopID)
			for j := 0; loop != nil && j < len(loop.Body); j++ {
				if !yield(&loop.Body[j]) {
					return
				}
			}
		}
	}
}

// Loop finds a loop by its id.
func (p *Plan) Loop(id string) (*Loop, bool) {
	i := slices.IndexFunc(p.Loops, func(l Loop) bool { return l.ID == id })
	if i < 0 {
		return nil, false
	}
	return &p.Loops[i], true
}

// Contract finds a contract that the plan holds, by its id.
func (p *Plan) Contract(id string) (*Contract, bool) {
	i := slices.IndexFunc(p.Contracts, func(c Contract) bool { return c.ID == id })
	if i < 0 {
		return nil, false
	}
	return &p.Contracts[i], true
}

// Load reads a plan that was kept: the bytes of [Plan.Canonical]. It refuses other bytes, such
// as those of an unknown version, and those that are not canonical.
func Load(canonical []byte) (*Plan, error) {
	var version struct {
		SchemaVersion int `json:"schemaVersion"`
	}
	if err := json.Unmarshal(canonical, &version); err != nil {
		return nil, fmt.Errorf("a plan: %w", err)
	}
	if version.SchemaVersion != SchemaVersion {
		return nil, fmt.Errorf("a plan of version %d, and this program reads version %d",
			version.SchemaVersion, SchemaVersion)
	}
	p := &Plan{}
	d := json.NewDecoder(bytes.NewReader(canonical))
	d.DisallowUnknownFields()
	if err := d.Decode(p); err != nil {
		return nil, fmt.Errorf("a plan: %w", err)
	}
	if err := p.seal("plan", ""); err != nil {
		return nil, err
	}
	if !bytes.Equal(p.canonical, canonical) {
		return nil, fmt.Errorf("a plan: the bytes are not the canonical ones of %s", p.hash)
	}
	return p, nil
}

// seal compiles the conditions of a plan that is whole, and names it.
func (p *Plan) seal(name, text string) error {
	if err := ready(name, text, p.conditions()); err != nil {
		return err
	}
	canonical, err := canon.Of(p)
	if err != nil {
		return fmt.Errorf("the plan %s: %w", p.WorkflowID, err)
	}
	p.canonical, p.hash = canonical, canon.Digest(canonical)
	return nil
}

// conditions are all that the plan holds.
func (p *Plan) conditions() (out []*Condition) {
	add := func(all ...*Condition) {
		for _, c := range all {
			if c != nil {
				out = append(out, c)
			}
		}
	}
	for i := range p.Loops {
		add(p.Loops[i].When)
	}
	for s := range p.AllSteps() {
		add(s.When)
		if s.Confirm != nil {
			add(s.Confirm.When)
		}
		for _, f := range s.Fragments {
			add(f.When)
		}
		for _, d := range s.Parallel {
			add(d.When)
		}
		add(s.Criteria.conditions()...)
	}
	return out
}

func (c *Criteria) conditions() (out []*Condition) {
	if c == nil {
		return nil
	}
	if c.Rule != nil {
		out = append(out, c.Rule.When)
	}
	for i := range c.And {
		out = append(out, c.And[i].conditions()...)
	}
	for i := range c.Or {
		out = append(out, c.Or[i].conditions()...)
	}
	return append(out, c.Not.conditions()...)
}

// Rests returns whether a step rests on another: one that its :needs name, or that those need in
// turn; without :needs it rests on all.
func (p *Plan) Rests(step *Step) func(id string) bool {
	if len(step.Needs) == 0 {
		return func(string) bool { return true }
	}
	on := map[string]bool{}
	todo := step.Needs
	for len(todo) > 0 {
		id := todo[0]
		todo = todo[1:]
		if on[id] {
			continue
		}
		on[id] = true
		if next, ok := p.Step(id); ok {
			todo = append(slices.Clip(todo), next.Needs...)
		}
	}
	return func(id string) bool { return on[id] }
}
