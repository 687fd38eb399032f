package bundle

import (
	"context"
	"errors"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/runs/event"
)

// Imported says what became of a bundle.
type Imported struct {
	Session event.SessionID // the log that it is now
	Origin  event.SessionID // the log that it was; another, if there was one of that name
}

// Import enters the run of a bundle, whole or not at all, as a run of by. If the record has a log of
// that name, or what is left of a deleted one, the run is entered under a new one: the events name
// the new log, and keep all other ids. Nothing is merged. The error is that of [Read], an
// [IntegrityFailed] if the bundle has a part of a damaged log, or one of the record.
func Import(ctx context.Context, l *logs.Logs, by string, text []byte) (Imported, error) {
	b, err := Read(text)
	if err != nil {
		return Imported{}, err
	}
	if d := b.Session.Damage; d != nil {
		return Imported{}, failed(IntegrityFailed, "the log was %s when it was exported: what the bundle has of it can be "+
			"looked at, and not gone on with", d.Condition)
	}
	in := Imported{Session: b.Session.ID, Origin: b.Session.ID}
	err = b.restore(ctx, l, by, in.Session)
	if errors.Is(err, logs.ErrThere) {
		in.Session = event.Mint[event.SessionID]()
		err = b.restore(ctx, l, by, in.Session)
	}
	if err != nil {
		return Imported{}, err
	}
	return in, nil
}

// restore enters the run under this name.
func (b *Bundle) restore(ctx context.Context, l *logs.Logs, by string, as event.SessionID) error {
	var parts []func(*logs.Tx) error
	for _, s := range b.Session.segments() {
		p, err := b.inward(s, as)
		if err != nil {
			return err
		}
		parts = append(parts, p.enter)
	}
	return l.Restore(ctx, logs.Write{Log: string(as), Family: event.Family, By: by}, parts...)
}

// inward is a segment that is being imported, with all that could take time done.
type inward struct {
	segment Segment
	origin  event.SessionID
	keep    []kept
	events  []logs.Event
	pins    [][]logs.Digest // of each event
	bytes   int             // of the lines
}

// kept is content, and its media type.
type kept struct{ media, data string }

// inward makes a segment of the log of this name.
func (b *Bundle) inward(s Segment, as event.SessionID) (*inward, error) {
	p := &inward{segment: s, origin: b.Session.ID}
	for _, e := range b.events[s.First : s.Last+1] {
		e := *e
		if d, ok := e.Data.(*event.ContextSet); ok {
			text, err := canon.JSON(d.Text)
			if err != nil {
				return nil, err
			}
			by := *d
			by.Text, by.Ref = nil, event.DigestOf(text)
			e.Data = &by
			p.keep = append(p.keep, kept{mediaJSON, string(text)})
		}
		e.Session, e.Dedupe = as, event.Key(as, e.Scope, e.Data)
		if err := p.add(&e); err != nil {
			return nil, err
		}
		for _, at := range rests(&e) {
			p.keep = append(p.keep, kept{at.media, b.content[at.path]})
		}
	}
	if p.bytes > logs.MaxBytes {
		return nil, failed(InvalidFormat, "the events from %d to %d have %d bytes: want at most %d in one segment", s.First,
			s.Last, p.bytes, logs.MaxBytes)
	}
	return p, nil
}

// add adds an event as the record has it.
func (p *inward) add(e *event.Event) error {
	out, err := e.Entry()
	if err != nil {
		return err
	}
	p.events = append(p.events, out)
	p.bytes += len(out.Line(string(e.Session), event.Version))
	pins, err := e.Pins()
	if err != nil {
		return err
	}
	p.pins = append(p.pins, pins)
	return nil
}

// enter is the append.
func (p *inward) enter(tx *logs.Tx) error {
	tx.Over(p.segment.Over)
	tx.Held(p.segment.Held)
	tx.Origin(string(p.origin))
	if head, err := tx.Head(); err == nil {
		tx.Acts("steps-"+head.Log, "") // steps of the engine are calls of a session of the run's own
	}
	for _, c := range p.keep {
		if _, err := tx.Keep(c.media, c.data); err != nil {
			return err
		}
	}
	for i, e := range p.events {
		if _, err := tx.Event(e); err != nil {
			return err
		}
		for _, of := range p.pins[i] {
			if err := tx.Pin(of, e.ID); err != nil {
				return err
			}
		}
	}
	return nil
}
