// Package tracing shows traces: all that one signal led to, as a tree.
package tracing

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/traces"
)

// Show prints one trace.
type Show struct {
	opening.RecordFlag
	Signal uint64 `arg:"" help:"The signal's number, or that of any record about it; cortex journal list --kind signal lists them."`
	Full   bool   `help:"Print what models were asked and answered, where it is on record in full."`
}

// Run prints what was asked, answered, decided and done, with what it cost and how long it
// took.
func (c *Show) Run(ctx context.Context, p *console.Console) error {
	j, err := c.Record(ctx, p)
	if err != nil {
		return opening.Damaged(p, err)
	}
	t, err := Load(ctx, j, c.Signal)
	if err := errors.Join(err, j.Close()); err != nil {
		return opening.Damaged(p, err)
	}
	if p.JSON {
		return p.Print(inJSON(t))
	}
	for _, line := range tree(t, c.Full) {
		p.Printf("%s\n", line)
	}
	return nil
}

// Load reads the trace of a signal, or of the signal that a record is about.
func Load(ctx context.Context, j opening.Reader, seq uint64) (out *traces.Trace, err error) {
	root, err := Root(ctx, j, seq)
	if err != nil {
		return nil, err
	}
	f := traces.Fold{Only: root, Tell: func(t *traces.Trace) error { out = t; return nil }}
	if err := j.Records(ctx, root, f.Add); err != nil {
		return nil, err
	}
	if err := f.End(); err != nil {
		return nil, err
	}
	if out == nil {
		return nil, fmt.Errorf("record %d is the signal of no trace", root)
	}
	return out, nil
}

// Root returns the root signal of a record.
func Root(ctx context.Context, j opening.Reader, seq uint64) (uint64, error) {
	r, err := j.Read(ctx, seq)
	if err != nil {
		return 0, err
	}
	return rootOf(ctx, j, r)
}

func rootOf(ctx context.Context, j opening.Reader, r journal.Record) (uint64, error) {
	root := uint64(r.Body.GetInt("root"))
	switch {
	case r.Kind == record.KindSignal && root == 0:
		return r.Seq, nil
	case r.Kind == record.KindAnswer:
		root = record.AnswerFrom(r.Body).Signal
	case r.Kind == record.KindReceipt:
		return Root(ctx, j, record.ReceiptFrom(r.Body).Decision)
	}
	if root == 0 {
		return 0, fmt.Errorf("record %d, of the kind %s, is about no signal: cortex explain shows a decision that a "+
			"program asked for", r.Seq, r.Kind)
	}
	return root, nil
}
