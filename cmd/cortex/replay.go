package main

import (
	"errors"
	"strings"

	"github.com/opencortex-go/cortex/cortex"
)

// replayCmd derives recorded decisions again, from the facts, history and rules
// of their day, or by other rules.
type replayCmd struct {
	dirFlag
	rulesFlag
	From uint64 `help:"First record to replay." default:"1"`
}

// Run exits 5 when a decision does not come out as recorded.
func (c *replayCmd) Run(p *program) error {
	opt := cortex.ReplayOptions{From: c.From}
	if len(c.Rules) > 0 {
		book, err := c.load()
		if err != nil {
			return p.rulesError(err)
		}
		opt.Rules = book
	}
	e, err := c.engine(p.ctx)
	if err != nil {
		return damaged(p, err)
	}
	got, err := e.Replay(p.ctx, opt)
	if err := errors.Join(err, e.Close()); err != nil {
		return damaged(p, err)
	}
	if err := p.differences(got); err != nil {
		return err
	}
	switch {
	case len(got.Differences) > 0:
		return quit(exitDifferences)
	case got.Skipped > 0:
		return quit(exitError)
	}
	return nil
}

// differences prints what a replay found.
func (p *program) differences(got cortex.Replayed) error {
	if p.json {
		type difference struct {
			Record uint64   `json:"record"`
			Was    string   `json:"was"`
			Is     string   `json:"is"`
			Fields []string `json:"fields"`
		}
		list := []difference{}
		for _, d := range got.Differences {
			list = append(list, difference{d.Seq, verdict(d.Was), verdict(d.Is), d.Fields})
		}
		others := []string{}
		for _, d := range got.Others {
			others = append(others, d.String())
		}
		return p.print(map[string]any{"decisions": got.Decisions, "differences": list, "others": others, "skipped": got.Skipped})
	}
	for _, d := range got.Others {
		p.printf("policy %s was made by other functions or limits than this program has\n", d)
	}
	for _, d := range got.Differences {
		p.printf("%6d  was %s, is %s (%s)\n", d.Seq, verdict(d.Was), verdict(d.Is), clip(strings.Join(d.Fields, ", ")))
	}
	if got.Skipped > 0 {
		p.printf("%d decisions left out: this program lacks functions that their rules call\n", got.Skipped)
	}
	p.printf("%d decisions derived again, %d differences\n", got.Decisions, len(got.Differences))
	return nil
}

func verdict(d *cortex.Decision) string { return d.Kind.String() + " " + d.Key }
