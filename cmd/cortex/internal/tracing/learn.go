package tracing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/opencortex-go/cortex/capabilities/desk"
	"github.com/opencortex-go/cortex/capabilities/mine"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/answering"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/cortex/journal"
)

// Learn mines the record for capabilities that people may make.
type Learn struct {
	opening.RecordFlag
	answering.SecretFlag
	Support int     `help:"In how many successful traces a sequence has to stand." default:"5"`
	Success float64 `help:"Which part of the traces that have it has to be successful, from 0 to 1." default:"0.9"`
	Cost    float64 `help:"Which part of what its calls took it may take as one, from 0 to 1: in money, else tokens, else time." default:"0.6"`
	Out     string  `placeholder:"FOLDER" help:"Where to write a file for each candidate; by default none is written. A file that exists is not replaced."`
	Enter   bool    `help:"Enter the candidates in the record too, each with its text. It takes the pairing secret."`
}

// Run writes the candidates, and prints a table of them and of what was left out. It changes
// nothing in the record unless it is to enter them, and offers a candidate to no model.
func (c *Learn) Run(ctx context.Context, p *console.Console) error {
	if c.Support < 1 || !(c.Success >= 0 && c.Success <= 1) || !(c.Cost >= 0 && c.Cost <= 1) {
		return errors.New("--support is at least 1, and --success and --cost are from 0 to 1")
	}
	j, err := c.Record(ctx, p)
	if err != nil {
		return opening.Damaged(p, err)
	}
	m := mine.New(mine.Options{Support: c.Support, Success: c.Success, Cost: c.Cost})
	err = j.Records(ctx, 1, func(r journal.Record) error { return m.Add(r) })
	if err := errors.Join(err, j.Close()); err != nil {
		return opening.Damaged(p, err)
	}
	got := m.Mine()
	if err := c.write(got.Candidates); err != nil {
		return err
	}
	if c.Enter {
		if err := c.enter(ctx, p, got.Candidates); err != nil {
			return err
		}
	}
	if p.JSON {
		return p.Print(resultJSON(got))
	}
	for _, x := range got.Candidates {
		known := ""
		if x.Known {
			known = "; on record"
		}
		p.Printf("candidate  %s  %d traces, %.0f%% successful, %.2f of the %s%s\n           %s\n", x.ID, x.Support,
			100*x.Success, x.Saving.Ratio(), x.Saving.Unit, known, x.Sequence)
	}
	for _, x := range got.Left {
		p.Printf("left out   %s  %d traces\n           %s\n", x.Sequence, x.Support, x.Why)
	}
	p.Printf("%d candidates, %d left out, of %d traces, %d of them successful, with %d calls\n", len(got.Candidates),
		len(got.Left), got.Traces, got.Successful, got.Calls)
	return nil
}

// enter enters the candidates in the record.
func (c *Learn) enter(ctx context.Context, p *console.Console, list []mine.Candidate) error {
	params, err := json.Marshal(desk.Learn{Candidates: list})
	if err != nil {
		return err
	}
	_, err = answering.At(ctx, p, c.RecordFlag, &c.SecretFlag, func(d *answering.Desk) (desk.Answer, error) {
		return d.Capability(ctx, "learn", params)
	})
	for i := range list {
		list[i].Known = err == nil
	}
	return err
}

// write writes a file for each candidate. The name of a file is the candidate's id, which names
// its plan: the same one is written once.
func (c *Learn) write(list []mine.Candidate) error {
	if c.Out == "" {
		return nil
	}
	if err := os.MkdirAll(c.Out, 0o700); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	for _, x := range list {
		f, err := os.OpenFile(filepath.Join(c.Out, x.ID+".lisp"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		_, err = f.WriteString(x.Text)
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return nil
}

// resultJSON is a result for programs.
func resultJSON(r mine.Result) map[string]any {
	candidates, left := []map[string]any{}, []map[string]any{}
	for _, x := range r.Candidates {
		candidates = append(candidates, map[string]any{"id": x.ID, "version": x.Version, "sequence": x.Sequence,
			"support": x.Support, "success": x.Success, "unit": x.Saving.Unit, "before": x.Saving.Before,
			"with": x.Saving.With, "text": x.Text, "on_record": x.Known})
	}
	for _, x := range r.Left {
		left = append(left, map[string]any{"sequence": x.Sequence, "support": x.Support, "why": x.Why})
	}
	return map[string]any{"traces": r.Traces, "successful": r.Successful, "calls": r.Calls, "candidates": candidates,
		"left_out": left}
}
