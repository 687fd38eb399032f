package main

import (
	"errors"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/answering"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/talk"
)

// explainCmd shows why a recorded decision came out as it did.
type explainCmd struct {
	opening.RecordFlag
	ID uint64 `arg:"" help:"The decision's number; cortex journal list --kind decision lists them."`
}

// Run prints what (explain ID) of the REPL shows: the action, the clauses that decided with
// the values they saw, where the values came from if the rules ask that, and the gates.
func (c *explainCmd) Run(p *program) error {
	d, err := answering.Look(p.ctx, &p.Console, c.RecordFlag)
	if err != nil {
		return opening.Damaged(&p.Console, err)
	}
	r, err := d.Explained(p.ctx, c.ID)
	if err := errors.Join(err, d.Close()); err != nil {
		return opening.Damaged(&p.Console, err)
	}
	if p.JSON {
		return p.Print(talk.ResultJSON(r))
	}
	p.Printf("%s", r.Out)
	return nil
}
