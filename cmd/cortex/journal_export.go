package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/columns"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/traces"
	"github.com/opencortex-go/cortex/internal/telemetry/spans"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
)

// journalExport writes records for other programs: one line of JSON each, a Parquet file, or
// traces of OpenTelemetry. The columns of a Parquet file, and the members of a line of JSON, are:
//
//	seq      number of the record
//	kind     what it is: signal, decision, approval, intent, receipt, ...
//	at       when, RFC 3339 with nanoseconds, UTC; order is by seq
//	session  "" where none applies
//	prev     hash of the record before
//	hash     its own
//	body     what it says, as JSON, or
//	plist    ... as text, where it has no JSON
//
// With otlp each line is one trace, all that one root signal led to: see
// [spans.Lines].
//
// The chain is checked while it is read; records that retention removed are left
// out.
type journalExport struct {
	opening.RecordFlag
	Format  string    `help:"Form of the output: jsonl, parquet, or otlp: OpenTelemetry's spans in JSON, a trace a line." enum:"jsonl,parquet,otlp" default:"jsonl"`
	From    uint64    `help:"First record." default:"1"`
	To      uint64    `help:"Last record; by default the newest."`
	Since   time.Time `placeholder:"TIME" help:"Only records of this time or later, such as 2026-11-21T00:00:00Z."`
	Until   time.Time `placeholder:"TIME" help:"Only records of before this time."`
	Kind    []string  `help:"Only records of this kind; may be repeated."`
	Session string    `help:"Only records of this session."`
	Output  string    `short:"o" placeholder:"FILE" help:"Where to write; standard output by default. A file that exists is not replaced."`
}

var errExported = errors.New("exported")

// Run writes the records as it reads them.
func (c *journalExport) Run(p *program) (err error) {
	if c.Format == "otlp" && len(c.Kind) > 0 {
		return errors.New("--kind: a trace is made of records of several kinds; leave it out with --format otlp")
	}
	to := p.Out
	if c.Output != "" {
		f, err := os.OpenFile(c.Output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fmt.Errorf("--output: %w", err)
		}
		defer func() { err = errors.Join(err, f.Sync(), f.Close()) }()
		to = f
	}
	j, err := c.Record(p.ctx, &p.Console)
	if err != nil {
		return opening.Damaged(&p.Console, err)
	}
	n, err := c.write(p, j, to)
	if err := errors.Join(err, j.Close()); err != nil {
		return opening.Damaged(&p.Console, err)
	}
	if c.Output != "" {
		p.Printf("%d records\n", n)
	}
	return nil
}

func (c *journalExport) write(p *program, j opening.Reader, to io.Writer) (n int, err error) {
	buf := bufio.NewWriterSize(to, 64<<10)
	add, end := asLines(buf), func() error { return nil }
	switch c.Format {
	case "parquet":
		add, end = asColumns(buf)
	case "otlp":
		add, end = asSpans(buf)
	}
	err = j.Records(p.ctx, max(c.From, 1), func(r journal.Record) error {
		if c.To > 0 && r.Seq > c.To {
			return errExported
		}
		if !c.wants(r) {
			return nil
		}
		n++
		return add(r)
	})
	if errors.Is(err, errExported) {
		err = nil
	}
	return n, errors.Join(err, end(), buf.Flush())
}

// asLines returns what writes a record as a line of JSON.
func asLines(to io.Writer) func(journal.Record) error {
	lines := json.NewEncoder(to)
	lines.SetEscapeHTML(false)
	return func(r journal.Record) error { return lines.Encode(recordJSON(r)) }
}

// asColumns returns what writes a record as a row of a Parquet file, and what ends the file.
func asColumns(to io.Writer) (add func(journal.Record) error, end func() error) {
	w := columns.NewWriter(to)
	return func(r journal.Record) error {
		row := columns.Row{Seq: r.Seq, Kind: r.Kind, At: r.At, Session: r.Session, Prev: r.Prev.String(),
			Hash: r.Hash.String(), Body: "null"}
		if body, err := sexpr.ToJSON(r.Body); err == nil {
			row.Body = string(body)
		} else {
			row.Plist = r.Body.String()
		}
		return w.Add(row)
	}, w.Close
}

// asSpans returns what takes a record to write traces, and what writes those that are not over.
func asSpans(to io.Writer) (add func(journal.Record) error, end func() error) {
	lines := spans.Lines{To: to, Version: opening.Version(), Mask: secrets.NewMask()}
	fold := traces.Fold{Tell: lines.Write}
	return fold.Add, fold.End
}

func (c *journalExport) wants(r journal.Record) bool {
	at := time.Unix(0, r.At)
	switch {
	case !c.Since.IsZero() && at.Before(c.Since), !c.Until.IsZero() && !at.Before(c.Until), c.Session != "" &&
		c.Session != r.Session:
		return false
	}
	for _, k := range c.Kind {
		if k == r.Kind {
			return true
		}
	}
	return len(c.Kind) == 0
}
