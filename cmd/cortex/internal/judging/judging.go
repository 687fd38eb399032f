// Package judging is what `cortex decide` does: it reads requests, one a line, as JSON
// or plists, judges each by a policy, and answers each on a line of its own, in
// order. It trusts its caller for session and facts, keeps nothing on disk, and
// looks nothing up outside the process and the skills of its lock.
package judging

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/lines"
	"github.com/opencortex-go/cortex/plugins"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills"
)

// Options says by what a stream is judged.
type Options struct {
	Policy skills.Policy
	Lock   string // lock file of skills that run as processes and judge too; "" has none
	Trace  bool   // answers hold what every gate said
	Keep   bool   // sessions are kept by their id from line to line
}

// judging is one run.
type judging struct {
	policy skills.Policy
	trace  bool
	clock  func() time.Time
	kept   *kept // sessions of earlier lines; nil: none are kept
	stats  Stats
	by     *skills.Reader // by which rules read the session of an earlier line
}

// Stream answers every line of in on out. It returns an error if reading or writing
// fails, a skill of the lock does not start, or ctx ends; a bad line is none, and is counted.
func Stream(ctx context.Context, in io.Reader, out io.Writer, opt Options) (*Stats, error) {
	j := &judging{policy: opt.Policy, trace: opt.Trace, clock: time.Now}
	if opt.Keep {
		j.kept = newKept()
	}
	if opt.Lock != "" {
		host := plugins.New(plugins.Options{Lock: opt.Lock, Host: "cortex decide"})
		defer func() { _ = host.Close() }()
		var err error
		if j.policy, _, err = host.Policy(ctx, opt.Policy); err != nil {
			return &j.stats, err
		}
	}
	err := j.stats.each(ctx, in, out, func(line []byte, bad error) (answer, error) {
		return j.answer(ctx, line, bad), nil
	})
	return &j.stats, err
}

// each answers every line of in by f, which is told of a line that is too long. It stops
// where f fails; what was answered until then is written.
func (s *Stats) each(ctx context.Context, in io.Reader, out io.Writer,
	f func(line []byte, bad error) (answer, error)) (err error) {
	all, buffered := lines.New(in), bufio.NewWriterSize(out, 64<<10)
	defer func() { err = errors.Join(err, buffered.Flush()) }()
	answers := json.NewEncoder(buffered)
	answers.SetEscapeHTML(false)
	s.from = time.Now()
	for ctx.Err() == nil {
		line, err := all.Next()
		if errors.Is(err, io.EOF) {
			s.to = time.Now()
			return nil
		}
		if err != nil && !errors.Is(err, lines.ErrTooLong) {
			return err
		}
		if err != nil || !blank(line) {
			a, err := f(line, err)
			if err != nil {
				return err
			}
			if err := answers.Encode(a); err != nil {
				return err
			}
		}
		if all.Waiting() {
			if err := buffered.Flush(); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("stopped before the end: %w", ctx.Err())
}

// answer judges one line. A bad line is denied, and the run goes on.
func (j *judging) answer(ctx context.Context, line []byte, bad error) answer {
	var r *request
	if bad == nil {
		r, bad = readRequest(line)
	}
	var f *skills.Facts
	if bad == nil {
		f, bad = j.facts(r)
	}
	if bad != nil {
		return j.stats.bad(r, line, bad)
	}
	if j.by != nil && f.Recall != nil { // what the session holds enters before the decision, as in a daemon
		_, _ = f.Recall.Reading(*j.by)
	}
	d := reason.Decide(ctx,
		reason.Request{Policy: j.policy, Proposal: r.action, Facts: f, NoTrace: !j.trace, Passes: j.trace})
	j.stats.add(d.Kind, d.Elapsed)
	a := answerOf(r, d)
	if j.trace {
		a.Origins = j.origins(d, f)
	}
	return a
}

func blank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' {
			return false
		}
	}
	return true
}
