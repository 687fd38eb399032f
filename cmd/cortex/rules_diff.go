package main

import (
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/authoring"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/skills/rules"
)

// rulesDiff says which decisions flip between two rulebooks.
type rulesDiff struct {
	A        string `arg:"" help:"A rule file or folder."`
	B        string `arg:"" help:"The one to compare it with."`
	Dir      string `xor:"on" help:"Compare on the decisions on record in this folder, each with the facts and the history of its time." placeholder:"FOLDER"`
	From     uint64 `help:"With --dir: first record to compare on." default:"1"`
	Requests string `xor:"on" help:"Compare on requests, one a line, as cortex decide reads them; - is standard input. Without this and --dir the actions of the examples of both are compared." placeholder:"FILE"`
	Most     int    `help:"Name at most so many requests of each group." default:"3"`
}

// Run exits 5 when a decision flips.
func (c *rulesDiff) Run(p *program) error {
	a, err := rulesFlag{Rules: []string{c.A}}.load()
	if err != nil {
		return p.rulesError(err)
	}
	b, err := rulesFlag{Rules: []string{c.B}}.load()
	if err != nil {
		return p.rulesError(err)
	}
	x, err := c.compare(p, a, b)
	switch {
	case err != nil:
		return err
	case p.JSON:
		err = p.Print(authoring.ComparisonJSON(x))
	default:
		authoring.Comparison(&p.Console, x)
	}
	if err == nil && len(x.Flips) > 0 {
		return quit(exitDifferences)
	}
	return err
}

// compare compares on a record, on the requests of a file, or on examples.
func (c *rulesDiff) compare(p *program, a, b *rules.Rulebook) (x authoring.Compared, err error) {
	switch {
	case c.Dir != "":
		e, err := opening.Offline(p.ctx, &p.Console, opening.RecordFlag{Dir: c.Dir}, "rulebooks are compared on")
		if err != nil {
			return x, err
		}
		x, err = authoring.CompareRecord(p.ctx, e, c.From, a, b, c.Most)
		return x, opening.Damaged(&p.Console, errors.Join(err, e.Close()))
	case c.Requests == "":
		return authoring.CompareExamples(p.ctx, a, b, c.Most), nil
	}
	in, err := p.open(c.Requests)
	if err != nil {
		return x, err
	}
	x, err = authoring.CompareRequests(p.ctx, in, a, b, c.Most)
	if err := errors.Join(err, in.Close()); err != nil {
		return x, fmt.Errorf("%s: %w", c.Requests, err)
	}
	return x, nil
}
