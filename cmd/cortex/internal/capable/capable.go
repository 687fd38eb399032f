// Package capable is the commands about capabilities: people register them, have them tested, and say
// which are on trial and in force.
package capable

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/capabilities/ci"
	"github.com/opencortex-go/cortex/capabilities/desk"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/answering"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
)

// Capability is for people. Anyone who may open the folder may look; every change carries the operator's
// pairing secret.
type Capability struct {
	List     listing  `cmd:"" default:"withargs" help:"The versions that are registered, with state and plan."`
	Show     showing  `cmd:"" help:"A capability with its plan and history, or a run of one, step by step."`
	Register entering `cmd:"" help:"Register the capabilities of a file. No model is offered them yet."`
	Test     testing  `cmd:"" help:"Run the unit cases of a version, and cases made up out of them, with stubs in place of tools."`
	Try      trying   `cmd:"" help:"Put a tested version on trial: it can be started, and every start asks."`
	Promote  pleading `cmd:"" help:"Test a version here, and ask the control plane of the daemon to promote it to this environment."`
	Activate enacting `cmd:"" help:"Put a version that was on trial in force."`
	Retire   retiring `cmd:"" help:"Take a version out of force; its runs go on to their end."`
	Stats    figures  `cmd:"" help:"What runs came to: calls, success, time, cost, refusals, failures in a row, the last test."`
	Revoke   revoking `cmd:"" help:"Take a version out of force for good; its runs stop and make up for what they did."`
}

// order carries out an order, and prints what it comes to.
func order(ctx context.Context, p *console.Console, f opening.RecordFlag, s *answering.SecretFlag, verb string,
	params any) error {
	a, err := ordered(ctx, p, f, s, verb, params)
	if err != nil {
		return err
	}
	return show(p, a)
}

// ordered carries out an order. Those that only read need no secret.
func ordered(ctx context.Context, p *console.Console, f opening.RecordFlag, s *answering.SecretFlag, verb string,
	params any) (desk.Answer, error) {
	text, err := json.Marshal(params)
	if err != nil {
		return desk.Answer{}, err
	}
	return answering.At(ctx, p, f, s, func(d *answering.Desk) (desk.Answer, error) {
		return d.Capability(ctx, verb, text)
	})
}

func show(p *console.Console, a desk.Answer) error {
	if p.JSON {
		return p.Print(json.RawMessage(a.JSON))
	}
	p.Printf("%s", a.Text)
	return nil
}

type listing struct{ opening.RecordFlag }

// Run prints one line for each version.
func (c *listing) Run(ctx context.Context, p *console.Console) error {
	return order(ctx, p, c.RecordFlag, nil, "list", struct{}{})
}

type figures struct{ opening.RecordFlag }

// Run prints the figures of each capability.
func (c *figures) Run(ctx context.Context, p *console.Console) error {
	return order(ctx, p, c.RecordFlag, nil, "stats", struct{}{})
}

type showing struct {
	opening.RecordFlag
	Name    string `arg:"" help:"The id of a capability, or the name of a run."`
	Version string `arg:"" optional:"" help:"The version; the one that is furthest if absent."`
}

// Run prints the plan, or what the steps came to.
func (c *showing) Run(ctx context.Context, p *console.Console) error {
	return order(ctx, p, c.RecordFlag, nil, "show", desk.Show{Name: c.Name, Version: c.Version})
}

type entering struct {
	opening.RecordFlag
	answering.SecretFlag
	File string `arg:"" help:"A file of capabilities; - is standard input."`
}

// Run prints what was registered.
func (c *entering) Run(ctx context.Context, p *console.Console) error {
	text, name, err := p.Source(c.File, console.MaxFile)
	if err != nil {
		return err
	}
	return order(ctx, p, c.RecordFlag, &c.SecretFlag, "register", desk.Register{File: filepath.Base(name), Text: text})
}

// one is the version that an order is about.
type one struct {
	opening.RecordFlag
	answering.SecretFlag
	ID      string `arg:"" help:"The capability."`
	Version string `arg:"" optional:"" help:"The version, where more than one can be meant."`
	Why     string `help:"Why, for the record."`
}

func (c *one) version() desk.Version { return desk.Version{ID: c.ID, Version: c.Version, Why: c.Why} }

func (c *one) move(ctx context.Context, p *console.Console, verb string) error {
	return order(ctx, p, c.RecordFlag, &c.SecretFlag, verb, c.version())
}

// offered is an order with a preview.
type offered struct {
	one
	Preview bool `help:"Change nothing, and list the open cards that the change would supersede."`
}

func (c *offered) offer(ctx context.Context, p *console.Console, verb string, to capabilities.State) error {
	if !c.Preview {
		return c.move(ctx, p, verb)
	}
	return order(ctx, p, c.RecordFlag, nil, "preview", desk.Preview{Version: c.version(), To: to})
}

type testing struct{ one }

// Run prints how many cases passed, and what was wrong with the rest. It exits 1 if the version does not
// reach its rates.
func (c *testing) Run(ctx context.Context, p *console.Console) error {
	a, err := ordered(ctx, p, c.RecordFlag, &c.SecretFlag, "test", c.version())
	if err != nil {
		return err
	}
	if err := show(p, a); err != nil {
		return err
	}
	var r ci.Report
	if err := json.Unmarshal(a.JSON, &r); err != nil {
		return err
	}
	if !r.Reached {
		return console.Quit(1)
	}
	return nil
}

type trying struct{ offered }

// Run prints how the version stands.
func (c *trying) Run(ctx context.Context, p *console.Console) error {
	return c.offer(ctx, p, "try", capabilities.OnTrial)
}

type enacting struct{ offered }

// Run prints how the version stands.
func (c *enacting) Run(ctx context.Context, p *console.Console) error {
	return c.offer(ctx, p, "activate", capabilities.InForce)
}

type retiring struct{ one }

// Run prints how the version stands.
func (c *retiring) Run(ctx context.Context, p *console.Console) error {
	return c.move(ctx, p, "retire")
}

type pleading struct{ one }

// Run prints what the control plane answers.
func (c *pleading) Run(ctx context.Context, p *console.Console) error {
	return c.move(ctx, p, "promote")
}

type revoking struct{ one }

// Run prints how the version stands.
func (c *revoking) Run(ctx context.Context, p *console.Console) error {
	return c.move(ctx, p, "revoke")
}
