package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills"
)

// decideCmd judges requests, one a line, and answers one line each, in order.
// It trusts its caller for session and facts, keeps nothing on disk, and looks
// nothing up outside the process. Answers are JSON, with or without --json.
type decideCmd struct {
	rulesFlag
	File   string `arg:"" optional:"" default:"-" help:"Requests, one a line, as JSON or plists; - is standard input."`
	One    bool   `help:"Judge exactly one request, and have the exit code say what came of it: 0 allowed, 2 denied, 3 asked."`
	Stream bool   `help:"Keep sessions by their id from line to line, so that calls need only carry what is new."`
	Trace  bool   `help:"Add to each answer what every gate said."`
	Stats  bool   `help:"Print counts, p50, p99 and decisions a second at the end, on standard error."`
}

// Run exits 0 when every line was judged, and 1 when one could not be, or when
// the rules do not load; then there are no answers. With --one it exits as the one
// decision came out.
func (c *decideCmd) Run(p *program) error {
	book, err := c.load()
	if err != nil {
		p.json = false // standard output is for answers, and there are none
		return p.rulesError(err)
	}
	in, err := p.open(c.File)
	if err != nil {
		return err
	}
	j := &judging{policy: book, trace: c.Trace, clock: time.Now}
	if c.Stream {
		j.kept = newKept()
	}
	if err := errors.Join(j.all(p, newLines(in)), in.Close()); err != nil {
		return err
	}
	if c.Stats {
		j.stats.print(p)
	}
	switch n := len(j.stats.elapsed); {
	case j.stats.bad > 0:
		return quit(exitError)
	case c.One && n != 1:
		return fmt.Errorf("--one judges exactly one request, found %d", n)
	case c.One && j.stats.kinds[reason.Deny] > 0:
		return quit(exitDenied)
	case c.One && j.stats.kinds[reason.Ask] > 0:
		return quit(exitPending)
	}
	return nil
}

// open opens a file to read, or standard input for "-".
func (p *program) open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(p.in), nil
	}
	return os.Open(name)
}

// judging is one run of decide.
type judging struct {
	policy skills.Policy
	trace  bool
	clock  func() time.Time
	kept   *kept // sessions of earlier lines; nil: none are kept
	stats  stats
}

// all answers every line of in.
func (j *judging) all(p *program, in *lines) error {
	buffered := bufio.NewWriterSize(p.out, 64<<10)
	q := *p
	q.out = buffered
	j.stats.start(j.clock())
	for p.ctx.Err() == nil {
		line, err := in.next()
		if errors.Is(err, io.EOF) {
			j.stats.end(j.clock())
			return buffered.Flush()
		}
		if err != nil && !errors.Is(err, errLineTooLong) {
			return errors.Join(err, buffered.Flush())
		}
		if err != nil || !blank(line) {
			if err := q.print(j.answer(p, line, err)); err != nil {
				return err
			}
		}
		if in.waiting() {
			if err := buffered.Flush(); err != nil {
				return err
			}
		}
	}
	return errors.Join(fmt.Errorf("stopped before the end: %w", p.ctx.Err()), buffered.Flush())
}

// answer judges one line. A bad line is denied, and the run goes on.
func (j *judging) answer(p *program, line []byte, bad error) answer {
	var r *request
	if bad == nil {
		r, bad = readRequest(line)
	}
	var f *skills.Facts
	if bad == nil {
		f, bad = j.facts(r)
	}
	if bad != nil {
		j.stats.bad++
		return answer{ID: idOf(r, line), Decision: reason.Deny.String(), Error: bad.Error()}
	}
	d := reason.Decide(p.ctx,
		reason.Request{Policy: j.policy, Proposal: r.action, Facts: f, NoTrace: !j.trace, Passes: j.trace})
	j.stats.add(d)
	return answerOf(r, d)
}

func blank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' {
			return false
		}
	}
	return true
}
