package logs

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
)

// reader is what Journal and Tx have in common.
type reader interface {
	record.Reader
	Read(seq uint64) (journal.Record, error)
}

// Log is a log as it was read. Events that are not healthy are left out, with all behind
// them.
type Log struct {
	Head    Head
	Events  []Event
	Appends []Append // in order
	Health  Health
}

// Append is what one append entered: what a manifest says of it.
type Append struct {
	Place
	At          int64  // Unix nanoseconds
	By          string // the principal
	First, Last uint64 // indices of its events
	Sum         Digest // SHA-256 of its lines
	Bytes       int    // of its lines
	Pins        []record.Pin
	Over, Held  bool // how the log stood after it
}

// Condition says how much of a log can be read.
type Condition string

// The conditions of a log.
const (
	Healthy        Condition = "healthy"
	CorruptTail    Condition = "corrupt_tail"    // what is before the damage is sound
	CorruptHead    Condition = "corrupt_head"    // nothing is
	UnknownVersion Condition = "unknown_version" // a later version wrote it
)

// Fault says what is wrong with a log.
type Fault string

// What may be wrong with a log.
const (
	DigestMismatch Fault = "digest_mismatch"
	NotContiguous  Fault = "non_contiguous_indices"
	Missing        Fault = "missing_attested_segment"
	LaterVersion   Fault = "unknown_schema_version"
	Malformed      Fault = "schema_validation_failed"
)

// Health says whether a log is sound, and what is wrong with it otherwise.
type Health struct {
	Condition Condition
	Fault     Fault  // "" for a healthy log
	Index     uint64 // the first event that cannot be read
	Err       error  // details; nil for a healthy log
}

// Read returns the events of a log, as far as they are sound. The error is [ErrNoLog] if
// there is none. Damage is not an error: see [Log.Health].
func (l *Logs) Read(ctx context.Context, log string) (*Log, error) {
	for {
		h, err := l.Head(log)
		if err != nil {
			return nil, err
		}
		out, err := read(ctx, l.j, h)
		if err != nil || out.Health.Condition == Healthy {
			return out, err
		}
		again, err := headOf(l.j, log)
		if err != nil || again == h {
			return out, err
		} // it was appended to or removed meanwhile
	}
}

// Find returns the event of a dedupe key. ok is false if the log has none.
func (l *Logs) Find(log, key string) (e Event, ok bool, err error) {
	if _, err := l.Head(log); errors.Is(err, ErrNoLog) {
		return Event{}, false, nil
	} else if err != nil {
		return Event{}, false, err
	}
	e, at, err := find(l.j, log, key)
	return e, at.Record > 0, err
}

// find returns the event of a dedupe key and its place, which is zero if the log has none.
func find(r reader, log, key string) (e Event, at Place, err error) {
	raw, err := r.Get(record.TableEventKey.Key(log, key))
	if err != nil || len(raw) != 16 {
		return Event{}, Place{}, err
	}
	rec, err := r.Read(record.AsNumber(raw[:8]))
	if err != nil {
		return Event{}, Place{}, err
	}
	in, err := record.EventsFrom(rec.Body)
	if err != nil {
		return Event{}, Place{}, err
	}
	index := record.AsNumber(raw[8:])
	if index < in.First || index-in.First >= uint64(len(in.Events)) || in.Events[index-in.First].Dedupe != key {
		return Event{}, Place{}, fmt.Errorf("log %s: record %d has no event %q", log, rec.Seq, key)
	}
	return in.Events[index-in.First], placeOf(rec), nil
}

// errStop ends a scan.
var errStop = errors.New("stop")

// read reads a log up to its head.
func read(ctx context.Context, r reader, h Head) (*Log, error) {
	out := &Log{Head: h, Health: Health{Condition: Healthy}}
	next := uint64(0)
	err := record.TableEvents.Scan(r, h.Log, func(first uint64, at []byte) error {
		seq := record.AsNumber(at)
		if seq > h.Last || ctx.Err() != nil {
			return errStop
		}
		in, rec, fault, err := segment(r, h, seq, next)
		if fault != "" {
			out.Health = unsound(fault, next, fmt.Errorf("record %d: %w", seq, err))
			return errStop
		}
		if err != nil {
			return err
		}
		if first != next {
			out.Health = unsound(NotContiguous, next, fmt.Errorf("record %d is entered at %d", seq, first))
			return errStop
		}
		next += uint64(len(in.Events))
		out.Events = append(out.Events, in.Events...)
		out.Appends = append(out.Appends, Append{Place: placeOf(rec), At: rec.At, By: in.By, First: first, Last: next - 1,
			Sum: in.Sum, Bytes: in.Bytes, Pins: in.Pins, Over: in.Over, Held: in.Held})
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return nil, fmt.Errorf("log %s: %w", h.Log, err)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if out.Health.Condition == Healthy && next != h.Next {
		out.Health = unsound(Missing, next, fmt.Errorf("events from %d to %d are not on record", next, h.Next-1))
	}
	return out, nil
}

func unsound(f Fault, index uint64, err error) Health {
	c := CorruptTail
	switch {
	case f == LaterVersion:
		c = UnknownVersion
	case index == 0:
		c = CorruptHead
	}
	return Health{c, f, index, err}
}

// segment reads the events of one record, and says what is wrong with them, if anything is.
// An error without a fault is the store's own.
func segment(r reader, h Head, seq, next uint64) (in record.Events, rec journal.Record, f Fault, err error) {
	rec, err = r.Read(seq)
	switch {
	case errors.Is(err, journal.ErrNotFound), errors.As(err, new(*journal.Damage)):
		return in, rec, Missing, err
	case err != nil:
		return in, rec, "", err
	case rec.Kind != record.KindEvents:
		return in, rec, Missing, fmt.Errorf("it is of kind %q", rec.Kind)
	case rec.Body.GetInt("v") > record.EventsVersion:
		return in, rec, LaterVersion, fmt.Errorf("version %d: %w", rec.Body.GetInt("v"), ErrVersion)
	}
	if in, err = record.EventsFrom(rec.Body); err != nil {
		return in, rec, Malformed, err
	}
	if in.Log != h.Log || in.Family != h.Family || in.Version < 1 || len(in.Events) == 0 {
		return in, rec, Malformed, fmt.Errorf("events of log %q, family %q, version %d", in.Log, in.Family, in.Version)
	}
	// Of a log that is over the keys of secrets may be destroyed: then marks stand in its lines, and the chain
	// alone vouches for them.
	if !in.Sealed() && (!h.Over || !record.IsVeiled(rec.Body)) {
		return in, rec, DigestMismatch, fmt.Errorf("the digest of its lines is not %s", in.Sum)
	}
	for i := range in.Events {
		e := &in.Events[i]
		if err := checkNames(e); err != nil { // that it is JSON was seen to when it was entered
			return in, rec, Malformed, err
		}
		if e.Index != next+uint64(i) {
			return in, rec, NotContiguous, fmt.Errorf("event %d stands where %d is due", e.Index, next+uint64(i))
		}
	}
	for _, p := range in.Pins {
		at, err := r.Get(record.TableKept.Key(p.Content))
		if err != nil {
			return in, rec, "", err
		}
		if at == nil { // what it holds is checked when it is read
			return in, rec, Missing, fmt.Errorf("pinned content %s: %w", p.Content, ErrNoContent)
		}
	}
	return in, rec, "", nil
}
