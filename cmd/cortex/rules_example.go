package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/reason/author"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
)

// rulesExample prints a recorded decision as a defexample.
type rulesExample struct {
	opening.RecordFlag
	ID   uint64 `arg:"" help:"The number of the decision's record."`
	Name string `help:"What the example shows." placeholder:"TEXT"`
}

// Run reads a record that no daemon holds. Credentials are left out.
func (c *rulesExample) Run(p *program) error {
	e, err := opening.Offline(p.ctx, &p.Console, c.RecordFlag, "an example is made of")
	if err != nil {
		return err
	}
	x, err := e.Explain(p.ctx, c.ID)
	if err := errors.Join(err, e.Close()); err != nil {
		return opening.Damaged(&p.Console, err)
	}
	name := cmp.Or(c.Name, fmt.Sprintf("record %d", c.ID))
	text := author.Example(name, &x.Decision.Decision, x.Facts, secrets.NewMask())
	if p.JSON {
		return p.Print(map[string]any{"record": c.ID, "example": text})
	}
	p.Raw(text)
	return nil
}
