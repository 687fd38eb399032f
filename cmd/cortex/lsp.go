package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/lsp"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/cortex/journal"
	records "github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/lint"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules"
)

// lspCmd is a language server for rule files.
type lspCmd struct {
	Rules []string `name:"rules" sep:"none" placeholder:"PATH" help:"A rule file, or a folder of them, to check together; may be repeated. Other files are checked with what they include."`
	opening.RecordFlag
	Stdio bool `help:"Speak on standard input and output. It always does; editors may say so."`
}

// Run serves one editor until it leaves.
func (c *lspCmd) Run(p *program) error {
	options := lsp.Options{
		Rules: c.Rules, Loader: reason.Loader(rules.Loader{Functions: daemon.Functions()}),
		Lint: warnings, Version: opening.Version(), Log: p.Err,
	}
	if c.Dir != "" || c.Socket != "" {
		options.Record = &firings{flag: c.RecordFlag, p: p, counts: map[string]int{}}
	}
	return lsp.Serve(p.ctx, p.In, p.Out, options)
}

// warnings returns what loading warns of and what lint finds.
func warnings(book *rules.Rulebook) []*rules.Error {
	out := slices.Clone(book.Warnings())
	for _, f := range lint.Run(book) {
		pos := sexpr.Pos{Line: f.Line, Col: f.Col}
		out = append(out, &rules.Error{File: f.File, Pos: pos, Msg: f.Text + "; " + f.Right + " [" + f.ID + "]"})
	}
	return out
}

// firings counts, in a record, in how many decisions each clause did something. A key of
// a clause names it in all rulebooks that the record was written by.
type firings struct {
	flag opening.RecordFlag
	p    *program

	mu        sync.Mutex
	counts    map[string]int
	decisions int
	seen      uint64 // the last record that was counted
	whole     bool
}

// again is how long a record rests before it is read on. A record that no daemon holds is
// held while it is read, so a daemon that starts then has to be started again.
const again = time.Minute

// Fired returns the counts.
func (f *firings) Fired() (counts map[string]int, decisions int, whole bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make(map[string]int, len(f.counts))
	for k, n := range f.counts {
		out[k] = n
	}
	return out, f.decisions, f.whole
}

// Read counts all of the record, and what is added to it later.
func (f *firings) Read(ctx context.Context, changed func()) error {
	for {
		before := f.decisions
		if err := f.on(ctx, changed); err != nil {
			return err
		}
		f.mu.Lock()
		told := f.whole && f.decisions == before
		f.whole = true
		f.mu.Unlock()
		if !told {
			changed()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(again):
		}
	}
}

// on counts what the record has by now, beyond what was counted.
func (f *firings) on(ctx context.Context, changed func()) error {
	j, err := f.flag.Record(f.p.ctx, &f.p.Console)
	if err != nil {
		return err
	}
	told := time.Now()
	err = j.Records(ctx, f.seen+1, func(r journal.Record) error {
		if err := f.count(r); err != nil {
			return err
		}
		if time.Since(told) > time.Second {
			told = time.Now()
			changed()
		}
		return nil
	})
	return errors.Join(err, j.Close())
}

// count adds one record.
func (f *firings) count(r journal.Record) error {
	keys := map[string]bool{}
	if r.Kind == records.KindDecision {
		d, err := records.DecisionFrom(r)
		if err != nil {
			return err
		}
		for _, s := range d.Trace {
			if s.Outcome != reason.Passed && s.Outcome != reason.Noted {
				keys[s.Gate] = true
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = r.Seq
	if r.Kind == records.KindDecision {
		f.decisions++
	}
	for k := range keys {
		f.counts[k]++
	}
	return nil
}
