package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/cortex/store/fsck"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
)

// journalCmd shows the record.
type journalCmd struct {
	List       journalList       `cmd:"" help:"One line a record, oldest first."`
	Show       journalShow       `cmd:"" help:"One record, whole."`
	Verify     journalVerify     `cmd:"" help:"Check every record and the chain; name the first bad one."`
	Export     journalExport     `cmd:"" help:"All records, for other programs."`
	Checkpoint journalCheckpoint `cmd:"" help:"The newest signed head of the record, to be kept elsewhere."`
}

// journalList prints one line a record.
type journalList struct {
	opening.RecordFlag
	From    uint64 `help:"First record to show." default:"1"`
	Kind    string `help:"Only records of this kind, such as decision."`
	Session string `help:"Only records of this session."`
}

// Run prints number, time, kind, session and what is most telling.
func (c *journalList) Run(p *program) error {
	j, err := c.Record(p.ctx, &p.Console)
	if err != nil {
		return opening.Damaged(&p.Console, err)
	}
	out := bufio.NewWriter(p.Out)
	q := *p
	q.Out = out
	defer func() { p.Unsaid = errors.Join(p.Unsaid, q.Unsaid) }()
	err = j.Records(p.ctx, c.From, func(r journal.Record) error {
		switch {
		case c.Kind != "" && c.Kind != r.Kind, c.Session != "" && c.Session != r.Session:
			return nil
		case p.JSON:
			return q.Print(recordJSON(r))
		}
		q.Printf("%6d  %s  %-11s  %-12s  %s\n", r.Seq, console.Stamp(r.At), r.Kind, strings.Trim(strconv.Quote(r.Session), `"`),
			repl.Summary(r))
		return q.Unsaid
	})
	return opening.Damaged(&p.Console, errors.Join(err, out.Flush(), j.Close()))
}

// journalShow prints one record.
type journalShow struct {
	opening.RecordFlag
	ID uint64 `arg:"" help:"The record's number."`
}

// Run prints the record with a line for each part of its body.
func (c *journalShow) Run(p *program) error {
	j, err := c.Record(p.ctx, &p.Console)
	if err != nil {
		return opening.Damaged(&p.Console, err)
	}
	r, err := j.Read(p.ctx, c.ID)
	if err := errors.Join(err, j.Close()); err != nil {
		return opening.Damaged(&p.Console, err)
	}
	if p.JSON {
		return p.Print(recordJSON(r))
	}
	p.Printf("record   %d\nkind     %s\nat       %s\nsession  %q\nprev     %s\nhash     %s\n",
		r.Seq, r.Kind, time.Unix(0, r.At).UTC().Format(time.RFC3339Nano), r.Session, r.Prev, r.Hash)
	p.parts(r.Body)
	return nil
}

// journalVerify checks the whole chain.
type journalVerify struct {
	opening.RecordFlag
	Seen []string `sep:"none" placeholder:"NUMBER@HASH" help:"A head that verify printed earlier, kept elsewhere; it must be part of the chain. May be repeated."`
	checkpointFlag
}

// Run exits 5 where the record is not what was written, and names the first bad
// entry.
func (c *journalVerify) Run(p *program) error {
	seen := make([]journal.Head, len(c.Seen))
	for i, s := range c.Seen {
		h, err := journal.ParseHead(s)
		if err != nil {
			return fmt.Errorf("--seen %w, as verify prints it", err)
		}
		seen[i] = h
	}
	signed, err := c.open(c.Dir)
	if err != nil {
		return err
	}
	seen = append(seen, signed...)
	j, err := c.Record(p.ctx, &p.Console)
	if err != nil {
		return opening.Damaged(&p.Console, c.first(p.ctx, err))
	}
	head, err := j.Verify(p.ctx, seen)
	if err := errors.Join(err, j.Close()); err != nil {
		return opening.Damaged(&p.Console, err)
	}
	if p.JSON {
		return p.Print(map[string]any{"ok": true, "records": head.Seq, "head": head.String(), "unchecked": unchecked})
	}
	p.Printf("%s: %d records, every one as it was written\nhead %s\n", console.Paint(p.Out, console.Green, "ok"), head.Seq,
		head.String())
	p.Printf("not looked at: %s\n", unchecked)
	for _, h := range signed {
		p.Printf("the checkpoint at record %d is part of it\n", h.Seq)
	}
	return nil
}

// unchecked is what a verification leaves out.
const unchecked = "the log, which has each record once more (cortex fsck compares both places), and whether the end " +
	"was cut off or all of it written anew (--seen and --checkpoint tell)"

// first adds to the error of a store that does not open which record is the first
// that cannot be read.
func (c *journalVerify) first(ctx context.Context, err error) error {
	if !errors.Is(err, store.ErrCorrupt) {
		return err
	}
	r, checked := fsck.Check(ctx, c.Dir, fsck.Options{})
	for _, f := range r.Faults {
		if checked == nil && f.Record > 0 {
			return &journal.ReadError{Seq: f.Record, Err: err}
		}
	}
	return err
}

// recordJSON is a record for programs. A body that has no JSON stands as text.
func recordJSON(r journal.Record) map[string]any {
	out := map[string]any{
		"seq": r.Seq, "kind": r.Kind, "at": time.Unix(0, r.At).UTC().Format(time.RFC3339Nano), "session": r.Session,
		"prev": r.Prev.String(), "hash": r.Hash.String(),
	}
	if body, err := sexpr.ToJSON(r.Body); err == nil {
		out["body"] = json.RawMessage(body)
	} else {
		out["plist"] = r.Body.String()
	}
	return out
}

// parts prints a plist with a line for each member.
func (p *program) parts(v sexpr.Value) {
	items := v.Items()
	for i := 0; i+1 < len(items); i += 2 {
		p.Printf("  :%s %s\n", items[i].Text(), items[i+1])
	}
}
