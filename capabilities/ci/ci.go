package ci

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Host is what a capability is tested under.
type Host struct {
	// Options are those of [engine.Hosts.Rehearsal].
	Options engine.Options
	// Tools are the schemas of what the host can run. In a test each has a stub behind it.
	Tools []*skills.Tool
}

// Rate says how many of how many cases passed.
type Rate struct {
	Passed int `json:"passed"`
	Of     int `json:"of"`
}

// Reaches reports whether the share of cases that passed is at least a rate. There must be a case.
func (r Rate) Reaches(rate float64) bool { return r.Of > 0 && float64(r.Passed) >= rate*float64(r.Of) }

// Failure is a case that did not pass.
type Failure struct {
	Case     string          `json:"case"`
	Mutation string          `json:"mutation,omitempty"` // "" for a unit case
	Inputs   json.RawMessage `json:"inputs"`
	Expected string          `json:"expected"`
	Got      string          `json:"got"`
}

// Report is what testing a version came to.
type Report struct {
	Capability string     `json:"capability"`
	Version    string     `json:"version"`
	Plan       string     `json:"plan"`
	Unit       Rate       `json:"unit"`
	Fuzz       Rate       `json:"fuzz"`
	Needs      [2]float64 `json:"needs"`    // the rates that it had to reach, of unit cases and of made-up ones
	Failures   []Failure  `json:"failures"` // the first [MaxFailures]
	Reached    bool       `json:"reached"`
}

// MaxFailures is how many failures a report has.
const MaxFailures = 20

// String is the report in a line, as the registry keeps it.
func (r *Report) String() string {
	text := fmt.Sprintf("unit %d of %d", r.Unit.Passed, r.Unit.Of)
	if r.Fuzz.Of > 0 {
		text += fmt.Sprintf(", made up %d of %d", r.Fuzz.Passed, r.Fuzz.Of)
	}
	return text
}

// Run tests a capability. The same plan under the same host has the same cases. The error is that it
// could not be tested at all; a plan that fails its tests is a report.
func Run(ctx context.Context, h Host, v *form.Capability) (r *Report, err error) {
	if len(v.Tests) == 0 {
		return nil, fmt.Errorf("%s %s has no tests: write :tests ((name :inputs (...) :expect (:status :ok)))", v.ID,
			v.Version)
	}
	// A rate that the plan does not declare is that every case passes.
	r = &Report{Capability: v.ID, Version: v.Version, Plan: v.Hash().String(), Failures: []Failure{},
		Needs: [2]float64{orAll(v.MinRate.Unit), orAll(v.MinRate.Fuzz)}}
	b := &bench{host: h, v: v}
	defer func() { err = errors.Join(err, b.close()) }()
	for i := range v.Tests {
		t := &v.Tests[i]
		if t.File != "" {
			return nil, fmt.Errorf("the cases of %s lie in the file %s, which is not on record: write them into the plan",
				v.ID, t.File)
		}
		if err := r.try(ctx, b, made{test: t, inputs: t.Inputs}, &r.Unit); err != nil {
			return nil, err
		}
	}
	for _, m := range makeUp(v) {
		if err := r.try(ctx, b, m, &r.Fuzz); err != nil {
			return nil, err
		}
	}
	r.Reached = r.Unit.Reaches(r.Needs[0]) && (v.Fuzz.Count == 0 || r.Fuzz.Reaches(r.Needs[1]))
	return r, nil
}

func orAll(rate float64) float64 {
	if rate == 0 {
		return 1
	}
	return rate
}

// try runs a case and counts it.
func (r *Report) try(ctx context.Context, b *bench, m made, to *Rate) error {
	got, err := b.run(ctx, m)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("%s, case %s: %w", r.Capability, m.name(), err)
	}
	to.Of++
	want, ok := m.judge(got)
	if ok {
		to.Passed++
		return nil
	}
	if len(r.Failures) < MaxFailures {
		inputs, err := sexpr.ToJSON(m.inputs)
		if err != nil {
			return err
		}
		r.Failures = append(r.Failures, Failure{Case: m.test.Name, Mutation: m.mutation, Inputs: inputs, Expected: want,
			Got: got.String()})
	}
	return nil
}

// made is a case: a unit case as it stands, or one that was made up out of it.
type made struct {
	test     *form.Test
	mutation string // "" for a unit case
	inputs   sexpr.Value
}

func (m made) name() string {
	if m.mutation == "" {
		return m.test.Name
	}
	return m.test.Name + "/" + m.mutation
}

// judge compares what a case came to with what it had to.
func (m made) judge(got outcome) (want string, ok bool) {
	e := m.test.Expect
	as := func(status string, steps []string) bool {
		return got.status == status && (steps == nil || slices.Equal(steps, got.steps))
	}
	refused := got.status == refusal && len(got.steps) == 0
	switch m.mutation {
	case "":
		want, ok = expectation(e), as(e.Status, e.Steps)
		if ok && !e.Outputs.IsNil() && e.Outputs.IsObject() {
			ok = sexpr.Equal(e.Outputs, got.outputs)
		}
	case missingSlot, wrongType:
		want, ok = "refused, with no step taken", refused
	case hostile:
		want, ok = "refused with no step taken, or "+expectation(e), refused || as(e.Status, e.Steps)
	default:
		e.Outputs = sexpr.Value{}
		want, ok = expectation(e), as(e.Status, e.Steps)
	}
	return want, ok
}

func expectation(e form.Expect) string {
	return outcome{status: e.Status, steps: e.Steps, outputs: e.Outputs}.String()
}

// refusal is the status of a plan that was refused.
const refusal = "refused"

// outcome is what a case came to.
type outcome struct {
	status  string
	steps   []string // that were begun, in order
	outputs sexpr.Value
	why     string
}

func (o outcome) String() string {
	text := o.status
	if o.steps != nil {
		text += fmt.Sprintf(", steps %v", o.steps)
	}
	if len(o.outputs.Items()) > 0 {
		text += ", outputs " + o.outputs.String()
	}
	if o.why != "" {
		text += ": " + o.why
	}
	return text
}

var errEndless = errors.New("the run came to no end")
