package main

import (
	"errors"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/tracing"
)

// traceCmd looks at all that one signal led to.
type traceCmd struct {
	Show   tracing.Show `cmd:"" help:"What was asked, answered, decided and done about one signal, as a tree."`
	Replay traceReplay  `cmd:"" help:"Derive the decisions about one signal again and list differences."`
}

// traceReplay derives the decisions about one signal again.
type traceReplay struct {
	opening.RecordFlag
	Signal uint64 `arg:"" help:"The signal's number, or that of any record about it."`
}

// Run exits 5 when a decision does not come out as recorded. It looks at a record that no
// daemon holds.
func (c *traceReplay) Run(p *program) error {
	j, err := c.Record(p.ctx, &p.Console)
	if err != nil {
		return opening.Damaged(&p.Console, err)
	}
	root, err := tracing.Root(p.ctx, j, c.Signal)
	if err := errors.Join(err, j.Close()); err != nil {
		return opening.Damaged(&p.Console, err)
	}
	again := replayCmd{RecordFlag: c.RecordFlag, From: root, root: root}
	return again.Run(p)
}
