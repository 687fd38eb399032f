// Package telemetry tells the outside what an engine does: metrics, a log of decisions and
// traces, each in a package below this one. All of them are off unless the operator asks.
//
// They follow the record at their own pace, like any client: nothing that they do, and no
// collector that hangs, holds a decision up or changes it. They derive what they tell from
// durable records alone, so it is never early. Texts pass the mask for credentials before
// they leave; a trace has none unless the operator asks for contents.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/journal"
)

// Sink takes records, in order and one at a time. An error ends it.
type Sink interface {
	Note(rec cortex.Record) error
}

// Follow gives a sink every durable record from a number on, until ctx ends; then those
// that are durable already, for at most a second. It logs why it ends otherwise; the engine
// goes on.
func Follow(ctx context.Context, view journal.View, from uint64, name string, to Sink, log *slog.Logger) {
	next, err := from, error(nil)
	pass := func(rec cortex.Record) error {
		err = note(to, rec)
		next = rec.Seq + 1
		return err
	}
	for rec, end := range view.Subscribe(ctx, from) {
		if err = end; end != nil || pass(rec) != nil {
			break
		}
	}
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		until := time.Now().Add(rest)
		err = view.Records(next, func(rec cortex.Record) error {
			if time.Now().After(until) {
				return errors.New("the daemon stops, and there is more to tell than there is time for")
			}
			return pass(rec)
		})
	}
	if err != nil {
		log.Error("nothing more is told until the next start", "to", name, "next", next, "error", err)
	}
}

// rest is how long a sink may take at a stop for what it has not been given yet.
const rest = time.Second

// note turns a panic into an error: telemetry does not end the daemon.
func note(to Sink, rec cortex.Record) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("record %d: panic: %v", rec.Seq, p)
		}
	}()
	return to.Note(rec)
}

// Trace is the name under which traces and the log of decisions know a decision: 16 bytes
// of its record's hash. So an execution that ends after a restart joins the same trace.
func Trace(decision cortex.Record) [16]byte { return [16]byte(decision.Hash[:16]) }

// Span is the name of what one record ended, within its trace: 8 bytes of the hash.
func Span(rec cortex.Record) [8]byte { return [8]byte(rec.Hash[16:24]) }

// Action is what a decision is about: after all rewrites, or as it was proposed; nil if it
// had no canonical form.
func Action(d *cortex.Decision) *cortex.Action {
	if d.Action != nil {
		return d.Action
	}
	return d.Proposed
}

// Verdict names a decision: "allow", "ask" or "deny", and in observe mode, where nothing is
// held, "observed-allow" and so on.
func Verdict(d *cortex.Decision) string {
	if d.Would {
		return "observed-" + d.Kind.String()
	}
	return d.Kind.String()
}
