package desk

import (
	"context"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/capabilities/ci"
	"github.com/opencortex-go/cortex/cortex/approval"
)

// test runs the tests of a version. One that reaches its rates is tested from then on.
func test(ctx context.Context, d *Desk, who *approval.Approver, p Version) (any, string, error) {
	e, _, err := d.Capabilities.Find(ctx, p.ID, p.Version)
	if p.Version == "" {
		if fits, lost := d.find(ctx, p, capabilities.Tested); lost == nil && fits.State != capabilities.OnTrial {
			e, err = fits, nil
		}
	}
	if err != nil {
		return nil, "", err
	}
	r, err := d.report(ctx, e)
	if err != nil {
		return nil, "", err
	}
	if r.Reached && (e.State == capabilities.Registered || e.State == capabilities.Tested) {
		why := strings.TrimSuffix(r.String()+": "+p.Why, ": ")
		err = d.Capabilities.Order(ctx, e.ID, e.Version, capabilities.Tested, *who, why)
		e.State = capabilities.Tested
	}
	if !r.Reached {
		err = d.Capabilities.TestsFailed(ctx, e.ID, e.Version, who.Name, r.String())
	}
	return r, reportText(r, e.State), err
}

// report tests a version under the rules in force.
func (d *Desk) report(ctx context.Context, e capabilities.Entry) (*ci.Report, error) {
	_, v, err := d.Capabilities.Find(ctx, e.ID, e.Version)
	if err != nil {
		return nil, err
	}
	all, err := d.Capabilities.List(ctx)
	if err != nil {
		return nil, err
	}
	capability := map[string]bool{}
	for _, other := range all {
		capability[other.ID] = true
	}
	h := ci.Host{}
	if h.Options, err = d.Engine.Hosts().Rehearsal(); err != nil {
		return nil, err
	}
	for _, t := range d.Engine.Rules().Book().Tools() {
		if !t.Builtin && !capability[t.Name] {
			h.Tools = append(h.Tools, t)
		}
	}
	return ci.Run(ctx, h, v)
}

// reaches returns an error unless a version reaches its rates under the rules of today: those under which
// it was tested may have been others.
func (d *Desk) reaches(ctx context.Context, e capabilities.Entry) error {
	r, err := d.report(ctx, e)
	if err == nil && !r.Reached {
		err = fmt.Errorf("%s %s does not reach its rates under the rules in force: %s", e.ID, e.Version,
			reportText(r, e.State))
	}
	return err
}

func reportText(r *ci.Report, s capabilities.State) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s is %s: %s\n", r.Capability, r.Version, s, r)
	if !r.Reached {
		fmt.Fprintf(&b, "it has to reach %g of its unit cases and %g of those made up\n", r.Needs[0], r.Needs[1])
	}
	for _, f := range r.Failures {
		name := f.Case
		if f.Mutation != "" {
			name += "/" + f.Mutation
		}
		fmt.Fprintf(&b, "  %s %s\n    expected  %s\n    got       %s\n", name, f.Inputs, f.Expected, f.Got)
	}
	return b.String()
}
