package logs

import (
	"errors"
	"fmt"
	"mime"
	"sync/atomic"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
)

// Tx is one append. It is over when the function that got it returns; what is kept of it
// then returns [ErrOver] and writes nothing. If any of its steps fails, nothing is written.
type Tx struct {
	over  atomic.Bool
	logs  *Logs
	tx    *journal.Tx
	write Write
	head  Head // before this append
	next  Head // after it
	kept  []record.Kept
	pins  []record.Pin
	ours  []Event         // new ones
	ids   map[string]bool // of ours
	keys  map[string]bool // the dedupe keys of ours
	known []found         // of events that the log has
	err   error           // the first step that failed

	wakes  bool
	roles  []string // of the root signal, if there is none
	leaves []try
}

// found is an event on record.
type found struct {
	at    Place
	event Event
}

func (l *Logs) begin(tx *journal.Tx, w Write) (*Tx, error) {
	h, err := headOf(tx, w.Log)
	switch {
	case err != nil:
		return nil, err
	case h.deleted:
		return nil, ErrDeleted
	case h.version > record.EventsVersion:
		return nil, ErrVersion
	case h.Family != "" && h.Family != w.Family:
		return nil, fmt.Errorf("its events are of family %q, not %q", h.Family, w.Family)
	}
	next := h
	next.Family, next.version = w.Family, record.EventsVersion
	if h.Next == 0 {
		next.Owner = w.By
	}
	return &Tx{logs: l, tx: tx, write: w, head: h, next: next, ids: map[string]bool{}, keys: map[string]bool{}}, nil
}

// Head returns how the log stood before this append; of a new log all but its name is zero.
func (t *Tx) Head() (Head, error) { return t.head, t.usable() }

// Now is the time of this append, in Unix nanoseconds.
func (t *Tx) Now() int64 { return t.tx.Now() }

// Event enters an event, and returns it as it will stand, with its index. An event whose
// dedupe key the log has is returned as it stands there; what e says otherwise is ignored.
func (t *Tx) Event(e Event) (Event, error) {
	if err := t.usable(); err != nil {
		return Event{}, err
	}
	if err := check(&e); err != nil {
		return Event{}, t.fail(err)
	}
	if t.ids[e.ID] || t.keys[e.Dedupe] {
		return Event{}, t.fail(fmt.Errorf("event %s: its id or its dedupe key %q is there twice", e.ID, e.Dedupe))
	}
	if t.head.Next > 0 { // else it has none
		old, at, err := find(t.tx, t.write.Log, e.Dedupe)
		if err != nil {
			return Event{}, t.fail(err)
		}
		if at.Record > 0 {
			t.known = append(t.known, found{at, old})
			return old, nil
		}
	}
	e.Index = t.head.Next + uint64(len(t.ours))
	t.ours = append(t.ours, e)
	t.ids[e.ID], t.keys[e.Dedupe] = true, true
	return e, nil
}

// Keep keeps content of at most [MaxBytes], once by its digest, which it returns. Content
// that no log pins goes when retention comes to it; see [Tx.Pin].
func (t *Tx) Keep(media, data string) (Digest, error) {
	if err := t.usable(); err != nil {
		return Digest{}, err
	}
	k := record.NewKept(media, data)
	if err := fits(k); err != nil {
		return Digest{}, t.fail(err)
	}
	t.kept = append(t.kept, k)
	return k.Sum, nil
}

// fits says why content cannot be kept.
func fits(k record.Kept) error {
	if _, _, err := mime.ParseMediaType(k.Media); err != nil {
		return fmt.Errorf("media type %.80q: %w", k.Media, err)
	}
	if len(k.Data) > MaxBytes {
		return fmt.Errorf("content of %d bytes: want at most %d", len(k.Data), MaxBytes)
	}
	return nil
}

// Pin says that an event of this append rests on content, which has to be on record or kept
// by this append. It stays as long as the log does.
func (t *Tx) Pin(of Digest, event string) error {
	if err := t.usable(); err != nil {
		return err
	}
	t.pins = append(t.pins, record.Pin{Content: of, Event: event})
	return nil
}

// Over says whether anything is due in the log from now on. A log that is over may be
// removed, once it has been silent for long; a later append may go on with it.
func (t *Tx) Over(over bool) { t.next.Over = over }

// Held says whether the log waits for something outside from now on.
func (t *Tx) Held(held bool) { t.next.Held = held }

// Acts names the session that the log's steps are calls of, and the token of the approval
// that it began with, which stay as long as the log is open; "" for none.
func (t *Tx) Acts(session, approval string) { t.next.Acts, t.next.Approval = session, approval }

// Origin names the log that this one is a copy of.
func (t *Tx) Origin(log string) { t.next.Origin = log }

func (t *Tx) usable() error {
	if t.over.Load() {
		return ErrOver
	}
	return t.err
}

func (t *Tx) fail(err error) error {
	if t.err == nil {
		t.err = err
	}
	return err
}

// commit writes what the steps made.
func (t *Tx) commit() (Appended, error) {
	switch {
	case t.err != nil:
		return Appended{}, t.err
	case len(t.known)+len(t.ours) == 0:
		return Appended{}, errors.New("an append without events")
	case len(t.ours) == 0:
		out := Appended{Known: true, Place: t.known[0].at}
		for _, x := range t.known {
			out.Events = append(out.Events, x.event)
		}
		return out, nil
	case len(t.known) > 0:
		return Appended{}, fmt.Errorf("%s is known, %s is not: %w", t.known[0].event.Dedupe, t.ours[0].Dedupe,
			ErrPartlyKnown)
	}
	for _, k := range t.kept {
		if err := t.logs.keep(t.tx, t.write.Log, k); err != nil {
			return Appended{}, err
		}
	}
	if err := errors.Join(t.pin(), t.leave(), t.wake()); err != nil {
		return Appended{}, err
	}
	return t.enter()
}

// keep writes content, unless it is on record.
func (l *Logs) keep(tx *journal.Tx, log string, k record.Kept) error {
	key := record.TableKept.Key(k.Sum)
	at, err := tx.Get(key)
	if err != nil || at != nil {
		return err
	}
	rec, err := record.AppendPrinted(tx, log, &k, l.print)
	if err == nil {
		tx.Set(key, record.Number(rec.Seq))
	}
	return err
}

// pin checks the pins, and notes them.
func (t *Tx) pin() error {
	for _, p := range t.pins {
		if !t.ids[p.Event] {
			return fmt.Errorf("a pin names event %q, which this append does not enter", p.Event)
		}
		at, err := t.tx.Get(record.TableKept.Key(p.Content))
		if err != nil {
			return err
		}
		if at == nil {
			return fmt.Errorf("pin of %s: %w", p.Content, ErrNoContent)
		}
		t.tx.Set(record.TablePin.Key(p.Content, t.write.Log), nil)
	}
	return nil
}

// enter writes the events, and how the log stands with them.
func (t *Tx) enter() (Appended, error) {
	log := t.write.Log
	body := record.Events{Log: log, Family: t.write.Family, By: t.write.By, Version: record.EventsVersion,
		First: t.head.Next, Events: t.ours, Pins: t.pins, Over: t.next.Over, Held: t.next.Held, Acts: t.next.Acts,
		Approval: t.next.Approval, Origin: t.next.Origin, Root: t.next.Root}
	if body.Seal(); body.Bytes > MaxBytes {
		return Appended{}, fmt.Errorf("events of %d bytes: want at most %d in one append", body.Bytes, MaxBytes)
	}
	rec, err := record.AppendPrinted(t.tx, log, &body, t.logs.print)
	if err != nil {
		return Appended{}, err
	}
	for _, e := range t.ours {
		t.tx.Set(record.TableEventKey.Key(log, e.Dedupe), append(record.Number(rec.Seq), record.Number(e.Index)...))
	}
	t.tx.Set(record.TableEvents.Key(log, body.First), record.Number(rec.Seq))
	t.next.Next, t.next.Last, t.next.At = body.First+uint64(len(t.ours)), rec.Seq, t.tx.Now()
	return Appended{Place: Place{rec.Seq, rec.Hash}, Events: t.ours}, t.next.set(t.tx)
}
