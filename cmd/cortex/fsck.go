package main

import (
	"context"
	"errors"
	"strings"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/fsck"
	"github.com/opencortex-go/cortex/gateways/client"
)

// fsckCmd finds damage in the record, and mends it.
type fsckCmd struct {
	opening.RecordFlag
	Repair     bool `help:"Mend what is damaged: each record from whichever place has it whole. The damaged files are kept beside it."`
	AcceptLoss bool `help:"With --repair: go on without what neither place has whole. Without --repair it only says what that is."`
}

// checked is what a check found, as it is printed.
type checked struct {
	OK       bool   `json:"ok"`
	Repaired bool   `json:"repaired"`
	Record   uint64 `json:"record,omitempty"` // the first bad one
	Head     string `json:"head,omitempty"`
	Error    string `json:"error,omitempty"`
	Chain    bool   `json:"chain_only,omitempty"` // a daemon holds the files
	*fsck.Report
}

// Run exits 5 where the record is not as it was written, and stays so.
func (c *fsckCmd) Run(p *program) error {
	report, d, err := opening.OpenRecord(p.ctx, c.RecordFlag, c.files(p.ctx))
	if d != nil {
		return c.running(p, d)
	}
	var loss *fsck.LossError
	if errors.As(err, &loss) || errors.Is(err, fsck.ErrHopeless) {
		return p.checked(checked{Report: &report, Error: err.Error()})
	}
	if err != nil {
		return err
	}
	out := checked{Report: &report, OK: len(report.Faults) == 0, Repaired: c.Repair && len(report.Faults) > 0}
	if out.OK || out.Repaired {
		// The files are whole; is the chain in them?
		c.chain(p, &out)
	}
	return p.checked(out)
}

// files looks at the files of the record in a folder.
func (c *fsckCmd) files(ctx context.Context) func(dir string) (fsck.Report, error) {
	return func(dir string) (fsck.Report, error) {
		if c.Repair {
			return fsck.Repair(ctx, dir, fsck.Options{}, c.AcceptLoss)
		}
		return fsck.Check(ctx, dir, fsck.Options{})
	}
}

// chain verifies the journal.
func (c *fsckCmd) chain(p *program, out *checked) {
	j, err := opening.JournalIn(&p.Console)(c.Dir)
	if err == nil {
		out.Head = j.Head().String()
		err = errors.Join(j.Verify(p.ctx), j.Close())
	}
	if err != nil {
		out.bad(err)
	}
}

func (c *checked) bad(err error) {
	text, _, _ := strings.Cut(err.Error(), "\n")
	c.OK, c.Repaired, c.Error = false, false, text
	var d *journal.Damage
	var unread *journal.ReadError
	switch {
	case errors.As(err, &d):
		c.Record = d.Seq
	case errors.As(err, &unread):
		c.Record = unread.Seq
	}
}

// running checks what can be checked while a daemon holds the record.
func (c *fsckCmd) running(p *program, d *client.Conn) error {
	if c.Repair {
		return errors.Join(errors.New("a daemon holds this record, and nothing can be mended under it; stop it, and name "+
			"the folder with --dir"), d.Close())
	}
	head, err := d.Verify(p.ctx, nil)
	if err := errors.Join(err, d.Close()); err != nil {
		return opening.Damaged(&p.Console, err)
	}
	return p.checked(checked{OK: true, Chain: true, Head: head.String()})
}

// checked prints what a check found.
func (p *program) checked(c checked) error {
	var code error
	if !c.OK && !c.Repaired {
		code = quit(exitDifferences)
	}
	if c.Report != nil && c.Record == 0 {
		for _, f := range c.Faults {
			c.Record = max(c.Record, f.Record)
		}
	}
	if p.JSON {
		return errors.Join(p.Print(c), code)
	}
	if c.Report != nil {
		p.damages(c.Report)
		p.losses(c.Loss, c.Repaired)
	}
	switch {
	case c.Error != "":
		p.Warnf("cortex: %s\n", c.Error)
	case c.Repaired:
		p.Printf("%s: both places are whole again; what was damaged is kept in %s\n",
			console.Paint(p.Out, console.Green, "mended"), c.Kept)
	case c.OK && c.Chain:
		p.Printf("%s: every record is as it was written\na daemon holds the files; they can be checked, and mended, when "+
			"it is stopped: cortex fsck --dir FOLDER\n", console.Paint(p.Out, console.Green, "ok"))
	case c.OK:
		p.Printf("%s: %d commits in the log, %d keys in the tables, all as they were written\n",
			console.Paint(p.Out, console.Green, "ok"),
			c.Commits, c.Keys)
	case c.Loss.Commits > 0 || c.Loss.Records > 0:
		p.Warnf("cortex: %s stand whole in neither place; a backup may have them, else --repair --accept-loss goes on "+
			"without them\n", c.Loss)
	default:
		p.Warnf("cortex: --repair mends this, and nothing is lost\n")
	}
	if c.Head != "" && c.Error == "" {
		p.Printf("head %s\n", c.Head)
	}
	return code
}

// damages prints one line for each fault.
func (p *program) damages(r *fsck.Report) {
	for _, f := range r.Faults {
		p.Printf("%s\n", f)
	}
	if r.Torn > 0 {
		p.Printf("commit %d, the last, is not whole: it was cut off by a crash, and no caller was told that it was done, or "+
			"the disk has lost its end; opening the record leaves it out\n", r.Torn)
	}
}

// losses prints what neither place has whole, by number and kind.
func (p *program) losses(l fsck.Loss, gone bool) {
	const most = 200 // --json lists all
	verb := "would be lost"
	if gone {
		verb = "lost"
	}
	for i, r := range l.Lost {
		if i == most {
			p.Printf("and %d more; --json lists them all\n", len(l.Lost)-most)
			return
		}
		p.Printf("%s: %s\n", verb, r)
	}
}
