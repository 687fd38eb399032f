package main

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/authoring"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/client"
)

// replayCmd derives recorded decisions again, from the facts, history and rules
// of their day, or by other rules.
type replayCmd struct {
	opening.RecordFlag
	rulesFlag
	From uint64 `help:"First record to replay." default:"1"`
	Most int    `help:"List at most so many differences; all are counted. 0 lists all." default:"1000"`
	root uint64 // of the only trace to replay; 0 replays all
}

// replayGarbage is GOGC for a replay in a process of its own. It makes much garbage and
// keeps little: collecting at every few MiB of it would take a quarter of the time.
const replayGarbage = 400

// Run exits 5 when a decision does not come out as recorded.
func (c *replayCmd) Run(p *program) error {
	opt := cortex.ReplayOptions{From: c.From, Most: c.Most, Root: c.root}
	if len(c.Rules) > 0 {
		book, err := c.load()
		if err != nil {
			return p.rulesError(err)
		}
		opt.Rules = book
	}
	got, err := c.replay(p, opt)
	if err != nil {
		return opening.Damaged(&p.Console, err)
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

// replayed is what a replay found, as it is printed.
type replayed struct {
	client.Replayed
	// With other rules: all that flip, and how many by the rule that decides now and
	// by tool.
	Flips  int            `json:"flips,omitempty"`
	ByRule map[string]int `json:"by_rule,omitempty"`
	ByTool map[string]int `json:"by_tool,omitempty"`
}

// replay derives the decisions again, here or in the daemon that holds the
// record.
func (c *replayCmd) replay(p *program, opt cortex.ReplayOptions) (replayed, error) {
	e, d, err := opening.OpenRecord(p.ctx, c.RecordFlag, opening.EngineIn(p.ctx, &p.Console))
	if err != nil {
		return replayed{}, err
	}
	if d != nil {
		if opt.Root != 0 {
			return replayed{}, errors.Join(errors.New("one trace is replayed of a record that no daemon holds; stop it, or "+
				"copy the folder, and name the folder with --dir"), d.Close())
		}
		if opt.Rules != nil {
			return replayed{}, errors.Join(errors.New("by other rules only a record is replayed that no daemon holds; stop "+
				"it, and name the folder with --dir"), d.Close())
		}
		got, err := d.Replay(p.ctx, opt.From)
		return replayed{Replayed: got}, errors.Join(err, d.Close())
	}
	if os.Getenv("GOGC") == "" { // anyone who sets it knows better
		defer debug.SetGCPercent(debug.SetGCPercent(replayGarbage))
	}
	got, err := e.Replay(p.ctx, opt)
	out := replayed{Replayed: client.Replayed{Decisions: got.Decisions, Differences: []client.Difference{},
		Others: []string{}, Gates: []string{}, Skipped: got.Skipped, Removed: got.Removed,
		Destroyed: got.Destroyed}}
	if opt.Rules != nil {
		out.Flips, out.ByRule, out.ByTool = got.Flips, got.ByRule, got.ByTool
	}
	for _, d := range got.Differences {
		out.Differences = append(out.Differences,
			client.Difference{Record: d.Seq, Was: verdict(d.Was), Is: verdict(d.Is), Fields: d.Fields})
	}
	for _, d := range got.Others {
		out.Others = append(out.Others, d.String())
	}
	out.Gates = append(out.Gates, got.Gates...)
	return out, errors.Join(err, e.Close())
}

// differences prints what a replay found.
func (p *program) differences(got replayed) error {
	if p.JSON {
		return p.Print(got)
	}
	for _, d := range got.Others {
		p.Printf("policy %s was made by other functions or limits than this program has\n", d)
	}
	for _, d := range got.Differences {
		p.Printf("%6d  was %s, is %s (%s)\n", d.Record, d.Was, d.Is, console.Clip(strings.Join(d.Fields, ", ")))
	}
	if got.Skipped > 0 {
		p.Printf("%d decisions left out: this program lacks functions that their rules call\n", got.Skipped)
	}
	if got.Destroyed > 0 {
		p.Printf("%d decisions not replayable: the keys of their secret arguments are destroyed or not here\n", got.Destroyed)
	}
	authoring.LeftOut(&p.Console, got.Gates, got.Removed)
	p.counts("by rule", got.ByRule)
	p.counts("by tool", got.ByTool)
	p.Printf("%d decisions derived again, %d differences\n", got.Decisions, max(got.Flips, len(got.Differences)))
	return nil
}

// counts prints what flips, most first.
func (p *program) counts(by string, n map[string]int) {
	keys := slices.SortedFunc(maps.Keys(n), func(a, b string) int { return cmp.Or(n[b]-n[a], strings.Compare(a, b)) })
	for _, k := range keys {
		p.Printf("%s %6d  %s\n", by, n[k], cmp.Or(k, "none"))
	}
}

func verdict(d *cortex.Decision) string { return d.Kind.String() + " " + d.Key }
