package logs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/sexpr"
)

// Event is one entry of a log.
type Event = record.Event

// Digest names content: the SHA-256 of its bytes.
type Digest = sexpr.Digest

// Logs are the logs of a record. The engine makes them; see its Hosts.
type Logs struct {
	j      *journal.Journal
	usable func() error
	update func(context.Context, func(*journal.Tx) error) error
	enter  func(ctx context.Context, log string) (leave func(), err error)
	print  *plist.Writer // of the journal's writer
	mask   func(log, text string, mark func(secret string) string) string
}

// New returns the logs of a record. usable says why nothing may be written, or nil; update is
// the journal's, for new work; enter takes the turn of the session that is named as the log.
func New(j *journal.Journal, usable func() error, update func(context.Context, func(*journal.Tx) error) error,
	enter func(ctx context.Context, log string) (leave func(), err error)) *Logs {
	return &Logs{j: j, usable: usable, update: update, enter: enter, print: &plist.Writer{}}
}

// MaskWith has [Logs.Masked] find secrets with f.
func (l *Logs) MaskWith(f func(log, text string, mark func(secret string) string) string) *Logs {
	l.mask = f
	return l
}

// Masked replaces the secrets in a text that was read from a log and is to leave the record, such as in a
// bundle. mark names a secret.
func (l *Logs) Masked(log, text string, mark func(secret string) string) string {
	if l.mask == nil {
		return text
	}
	return l.mask(log, text, mark)
}

// Write names the log of an append, and who appends.
type Write struct {
	Log    string // a-z, 0-9 and _ : > -, at most MaxName bytes
	Family string // likewise: whose words the kinds of event are. A log is of one family
	By     string // the principal; "" for none
}

// Appended is what became of an append.
type Appended struct {
	Place          // the record that holds the events
	Events []Event // as they stand on record
	// Known says that the log had the events already: nothing was written, and the events are
	// those of then.
	Known bool
}

// Append enters the events that f gives its [Tx], in one record and one commit with the
// content that it keeps. If f or any of its steps returns an error, nothing is written. f
// runs in the journal's writer: it must be quick, and must not call Logs.
//
// If the log has all events already, by their dedupe keys, Append writes nothing and returns
// those. If it has a part of them, the error is [ErrPartlyKnown].
func (l *Logs) Append(ctx context.Context, w Write, f func(*Tx) error) (out Appended, err error) {
	if err := errors.Join(l.usable(), named("log", w.Log), named("family", w.Family)); err != nil {
		return Appended{}, err
	}
	err = l.update(ctx, func(jtx *journal.Tx) (err error) {
		out, err = l.one(jtx, w, f)
		return err
	})
	if err != nil {
		return Appended{}, fmt.Errorf("log %s: %w", w.Log, err)
	}
	return out, nil
}

// one makes one append.
func (l *Logs) one(jtx *journal.Tx, w Write, f func(*Tx) error) (Appended, error) {
	tx, err := l.begin(jtx, w)
	if err != nil {
		return Appended{}, err
	}
	defer tx.over.Store(true) // also when f panics
	if err := f(tx); err != nil {
		return Appended{}, err
	}
	return tx.commit()
}

// Restore enters a whole log that is not there yet. Each of parts makes one append, with a record
// of its own, as [Logs.Append] does; all of them are one commit, or none is entered. The error is
// [ErrThere] if there is a log of this name.
func (l *Logs) Restore(ctx context.Context, w Write, parts ...func(*Tx) error) error {
	if err := errors.Join(l.usable(), named("log", w.Log), named("family", w.Family)); err != nil {
		return err
	}
	err := l.update(ctx, func(jtx *journal.Tx) error {
		if h, err := headOf(jtx, w.Log); err != nil || h.Next > 0 {
			return cmp.Or(err, ErrThere)
		}
		for i, f := range parts {
			switch out, err := l.one(jtx, w, f); {
			case err != nil:
				return fmt.Errorf("part %d: %w", i, err)
			case out.Known:
				return fmt.Errorf("part %d repeats one before: %w", i, ErrPartlyKnown)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("log %s: %w", w.Log, err)
	}
	return nil
}

// Turn takes the turn of a log: of those who call it for the same log, one at a time goes
// on, in the order in which they came. leave must be called once. A turn that is free is
// taken at once, whatever ctx says; if ctx ends before another has left, the error is
// [ErrLocked]. It is the turn of the session that has the log's name too.
func (l *Logs) Turn(ctx context.Context, log string) (leave func(), err error) {
	leave, err = l.enter(ctx, log)
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("log %s: %w: %w", log, ErrLocked, err)
	}
	return leave, err
}

// Head returns how a log stands. The error is [ErrNoLog] if there is none.
func (l *Logs) Head(log string) (Head, error) {
	h, err := headOf(l.j, log)
	if err == nil && (h.Next == 0 || h.deleted) {
		err = ErrNoLog
	}
	if err != nil {
		return Head{}, fmt.Errorf("log %s: %w", log, err)
	}
	return h, nil
}

// List returns all logs, the one that was appended to last first.
func (l *Logs) List(ctx context.Context) (out []Head, err error) {
	err = heads(l.j, func(h Head) error {
		if h.Next > 0 && !h.deleted {
			out = append(out, h)
		}
		return context.Cause(ctx)
	})
	slices.SortFunc(out, func(a, b Head) int { return cmp.Compare(b.Last, a.Last) })
	return out, err
}

// Content returns kept content by its digest. The error is [ErrNoContent] if there is none.
func (l *Logs) Content(of Digest) (media, data string, err error) {
	k, err := content(l.j, of)
	return k.Media, k.Data, err
}

// Keep keeps content of at most [MaxBytes] without a log, once by its digest. What no log pins goes
// when retention comes to it.
func (l *Logs) Keep(ctx context.Context, media, data string) (of Digest, err error) {
	if err := l.usable(); err != nil {
		return of, err
	}
	k := record.NewKept(media, data)
	if err := fits(k); err != nil {
		return of, err
	}
	return k.Sum, l.j.Finish(ctx, func(tx *journal.Tx) error { return l.keep(tx, "", k) })
}

// content reads kept content, and checks that it is what its digest says.
func content(r reader, of Digest) (k record.Kept, err error) {
	at, err := r.Get(record.TableKept.Key(of))
	if err != nil {
		return k, err
	}
	if at == nil {
		return k, fmt.Errorf("%s: %w", of, ErrNoContent)
	}
	rec, err := r.Read(record.AsNumber(at))
	if err == nil {
		k, err = record.KeptFrom(rec.Body)
	}
	if err == nil && k.Sum != of {
		err = errors.New("the record keeps something else")
	}
	if err != nil {
		return record.Kept{}, fmt.Errorf("content %s: %w", of, err)
	}
	return k, nil
}

// SetExempt exempts a log from retention, or ends that. by and via name the operator and the
// channel, for the record.
func (l *Logs) SetExempt(ctx context.Context, log string, exempt bool, by, via string) error {
	return l.stand(ctx, log, func(h *Head) { h.Exempt = exempt }, by, via)
}

// Delete ends and hides a log at once. Its bytes go when retention comes to them. Nothing
// can be appended to it any more.
func (l *Logs) Delete(ctx context.Context, log, by, via string) error {
	return l.stand(ctx, log, func(h *Head) { h.deleted, h.Exempt = true, false }, by, via)
}

// Give gives a log to another principal.
func (l *Logs) Give(ctx context.Context, log, to, by, via string) error {
	if to == "" {
		return fmt.Errorf("log %s: name the principal to give it to", log)
	}
	return l.stand(ctx, log, func(h *Head) { h.Owner = to }, by, via)
}

func (l *Logs) stand(ctx context.Context, log string, change func(*Head), by, via string) error {
	if err := l.usable(); err != nil {
		return err
	}
	err := l.j.Finish(ctx, func(tx *journal.Tx) error {
		h, err := headOf(tx, log)
		if err != nil {
			return err
		}
		if h.Next == 0 || h.deleted {
			return ErrNoLog
		}
		was := h.Owner
		change(&h)
		standing := record.LogStanding{Log: log, Exempt: h.Exempt, Deleted: h.deleted, By: by, Via: via}
		if h.Owner != was {
			standing.Owner = h.Owner
		}
		if _, err := record.Append(tx, log, standing); err != nil {
			return err
		}
		if h.deleted && h.Root != 0 {
			if err := approval.Leave(tx, h.Acts, h.Root, "", by); err != nil {
				return err
			}
		}
		return h.set(tx)
	})
	if err != nil {
		return fmt.Errorf("log %s: %w", log, err)
	}
	return nil
}
