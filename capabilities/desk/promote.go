package desk

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/capabilities/control"
	"github.com/opencortex-go/cortex/cortex/approval"
)

// ErrNoPlane means that no control plane is set up here.
var ErrNoPlane = errors.New("no control plane is set up here; a running daemon has one by [control]")

// promote runs the tests of a version here, and sends the control plane the report (R33). It changes no state: what
// the plane answers, later starts are ruled by.
func promote(ctx context.Context, d *Desk, _ *approval.Approver, p Version) (any, string, error) {
	if d.Plane == nil {
		return nil, "", ErrNoPlane
	}
	e, v, err := d.Capabilities.Find(ctx, p.ID, p.Version)
	if err != nil {
		return nil, "", err
	}
	r, err := d.report(ctx, e)
	if err != nil {
		return nil, "", err
	}
	out, err := d.Plane.Promote(ctx, control.Report{Capability: v.ID, Version: v.Version, Plan: e.Plan,
		Env: d.Engine.Hosts().Env().GetText("env"), Policy: d.Engine.Rules().Policy().Hash().String(),
		Unit: [2]int{r.Unit.Passed, r.Unit.Of}, Fuzz: [2]int{r.Fuzz.Passed, r.Fuzz.Of}, Needs: r.Needs, Reached: r.Reached})
	if err != nil {
		return nil, "", err
	}
	text := fmt.Sprintf("%s %s, %s: the control plane says %s", v.ID, v.Version, r, out.Answer)
	if out.Reason != "" {
		text += fmt.Sprintf(": %q", out.Reason)
	}
	return out, text + "\n", nil
}
