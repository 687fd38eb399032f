// Package decisions writes a log of decisions, one line of JSON each, for the collectors
// that people already run: the fields are those of OPA's decision log with a few of ours,
// in an envelope of CloudEvents 1.0. Every text passes the mask for credentials first.
//
// The log goes on where it ended: at the start the last line says which record it is of,
// and what has become durable since follows. A line that a crash cut off is taken away and
// written again. Rotation is the system's: rename the file, then send SIGHUP.
package decisions

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/telemetry"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Options of [Open].
type Options struct {
	File    string
	Record  string // names the record: what the lines give as their source
	Version string // of the program
	Mask    func(string) string
}

// Log is a [telemetry.Sink]. It is safe for concurrent use.
type Log struct {
	opt  Options
	mu   sync.Mutex
	file *os.File
	last uint64 // the record of the newest line of this source; 0 without one
}

// Open opens the file, and makes it if there is none, with mode 0600.
func Open(opt Options) (*Log, error) {
	l := &Log{opt: opt}
	var err error
	if l.file, err = open(opt.File); err != nil {
		return nil, err
	}
	if err := l.recover(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", opt.File, err), l.file.Close())
	}
	return l, nil
}

func open(name string) (*os.File, error) {
	// A FIFO would hold the start up until something reads it.
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is %s, expected a regular file, or none", name, info.Mode())
	}
	return os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
}

// Last is the record of the newest line; 0 without one of this record.
func (l *Log) Last() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// tail is how much of a file's end is looked at for its last line, in bytes: more than the
// longest line takes.
const tail = 16 << 20

// recover takes away what a crash left of a line, and reads the one before.
func (l *Log) recover() error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	from := max(info.Size()-tail, 0)
	end, err := io.ReadAll(io.NewSectionReader(l.file, from, info.Size()-from))
	if err != nil {
		return err
	}
	whole := bytes.LastIndexByte(end, '\n') + 1
	if whole == 0 && from > 0 {
		return errors.New("its last line is too long, expected a decision log of cortex")
	}
	if whole < len(end) {
		if err := l.file.Truncate(from + int64(whole)); err != nil {
			return err
		}
	}
	if whole == 0 {
		return nil
	}
	line := end[bytes.LastIndexByte(end[:whole-1], '\n')+1 : whole]
	var e Event
	if err := json.Unmarshal(line, &e); err != nil || e.Type != eventType {
		return errors.New("its last line is none of a decision log of cortex; name another file")
	}
	if e.Source == l.source() {
		l.last, err = strconv.ParseUint(e.Data.Seq, 10, 64)
	}
	return err
}

// Reopen opens the file by its name again, after another program has renamed it. If it
// cannot, the log stays in the old one.
func (l *Log) Reopen() error {
	f, err := open(l.opt.File)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.file
	l.file = f
	return old.Close()
}

// Close ends the log.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.file.Sync(), l.file.Close())
}

// Note implements [telemetry.Sink].
func (l *Log) Note(rec cortex.Record) error {
	if rec.Kind != record.KindDecision {
		return nil
	}
	d, err := record.DecisionFrom(rec)
	if err != nil {
		return err
	}
	e, err := l.event(rec, d)
	if err != nil {
		return fmt.Errorf("decision %d: %w", rec.Seq, err)
	}
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("decision %d: %w", rec.Seq, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.file.Write(append(line, '\n')); err != nil {
		return err
	}
	l.last = rec.Seq
	return nil
}

func (l *Log) source() string { return "/cortex/" + l.opt.Record }

// event is the line of a decision.
func (l *Log) event(rec cortex.Record, d *cortex.Decision) (*Event, error) {
	id, trace := strconv.FormatUint(rec.Seq, 10), telemetry.Trace(rec)
	at := time.Unix(0, rec.At).UTC().Format(time.RFC3339Nano)
	e := &Event{SpecVersion: "1.0", ID: rec.Hash.String(), Source: l.source(), Type: eventType, Time: at,
		Subject: "decision/" + id, DataContentType: "application/json"}
	e.Data = Data{DecisionID: id, Labels: map[string]string{"version": l.opt.Version}, Path: "cortex/decide",
		Bundles:     map[string]Bundle{"rules": {Revision: d.Policy.String()}},
		RequestedBy: rec.Body.GetText("requester"), Session: rec.Session, Timestamp: at,
		Metrics: map[string]int64{"timer_decide_ns": d.Elapsed.Nanoseconds()}, Erased: []string{}, Masked: []string{},
		PrevHash: rec.Prev.String(), Seq: id, TraceID: hex.EncodeToString(trace[:]), Verdicts: []Verdict{}}
	in := d.Proposed
	if in == nil {
		in = d.Action
	}
	if in != nil {
		e.Data.ProposalDigest = in.Digest().String()
	}
	var err error
	if e.Data.Input, err = l.call(&e.Data, in, "/input/args"); err != nil {
		return nil, err
	}
	e.Data.Result = Result{Decision: d.Kind.String(), Observed: d.Would, Reasons: []Reason{},
		Rule: l.text(&e.Data, "/result/rule", d.Key)}
	if d.Action != nil && d.Proposed != nil && d.Action.Digest() != d.Proposed.Digest() {
		if e.Data.Result.Action, err = l.call(&e.Data, d.Action, "/result/action/args"); err != nil {
			return nil, err
		}
	}
	for i, r := range d.Reasons {
		e.Data.Result.Reasons = append(e.Data.Result.Reasons, l.reason(&e.Data, i, r))
	}
	for i, s := range d.Trace {
		note := l.text(&e.Data, fmt.Sprintf("/verdicts/%d/note", i), s.Note)
		e.Data.Verdicts = append(e.Data.Verdicts, Verdict{s.Gate, string(s.Outcome), s.Round, note})
	}
	return e, nil
}

func (l *Log) reason(d *Data, i int, r skills.Reason) Reason {
	return Reason{Key: r.Key, Text: l.text(d, fmt.Sprintf("/result/reasons/%d/text", i), r.Text)}
}

// call is an action with its texts masked.
func (l *Log) call(d *Data, a *cortex.Action, at string) (*Call, error) {
	if a == nil {
		return nil, nil
	}
	args, masked, err := telemetry.Masked(a.Args(), at, l.opt.Mask)
	d.Masked = append(d.Masked, masked...)
	return &Call{l.text(d, strings.TrimSuffix(at, "args")+"tool", a.Tool()), args}, err
}

func (l *Log) text(d *Data, at, s string) string {
	shown, masked, _ := telemetry.Masked(sexpr.Str(s), at, l.opt.Mask) // a text always has JSON
	d.Masked = append(d.Masked, masked...)
	var out string
	_ = json.Unmarshal(shown, &out) // it was just written
	return out
}
