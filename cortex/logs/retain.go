package logs

import (
	"context"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
)

// Each calls f with every log that was not deleted.
func Each(r record.Reader, f func(Head)) error {
	return heads(r, func(h Head) error {
		if !h.deleted {
			f(h)
		}
		return nil
	})
}

// Removal takes old logs away in one update of retention. A log goes whole or not at all:
// once its first record goes, it is deleted, and nothing can be appended to it any more.
type Removal struct {
	Tx     *journal.Tx
	To     uint64 // a log that was appended to behind this record stays
	Silent int64  // and so does one that was appended to after this, in Unix nanoseconds
	lives  map[string]bool
}

// Stays reports whether a record of the kinds "events", "kept" and "standing" stays. An
// error names a log that is old enough to go and that is not sound: no more is removed then.
func (r *Removal) Stays(rec journal.Record) (bool, error) {
	if rec.Kind != record.KindKept {
		return r.alive(rec.Body.GetText("log"))
	}
	of, err := sexpr.ParseDigest(rec.Body.GetText("sha256"))
	if err != nil {
		return false, err
	}
	stays := false
	err = record.TablePin.Scan(r.Tx, of, func(log string, _ []byte) error {
		alive, err := r.alive(log)
		stays = stays || alive
		return err
	})
	return stays, err
}

// alive reports whether a log stays. One that does not is deleted.
func (r *Removal) alive(log string) (bool, error) {
	if live, known := r.lives[log]; known {
		return live, nil
	}
	h, err := headOf(r.Tx, log)
	if err != nil {
		return false, err
	}
	live := h.Next > 0 && (!h.deleted || h.Last > r.To) // what was deleted goes whole too
	if live && !h.deleted && h.Over && !h.Exempt && h.Last <= r.To && h.At <= r.Silent {
		if live, err = false, r.end(&h); err != nil {
			return false, err
		}
	}
	if r.lives == nil {
		r.lives = map[string]bool{}
	}
	r.lives[log] = live
	return live, nil
}

// end deletes a log that is sound.
func (r *Removal) end(h *Head) error {
	l, err := read(context.Background(), r.Tx, *h)
	if err != nil {
		return err
	}
	if bad := l.Health; bad.Condition != Healthy {
		return fmt.Errorf("log %s is %s at event %d, so nothing is removed; repair or delete it: %w", h.Log, bad.Condition,
			bad.Index, bad.Err)
	}
	h.deleted = true
	return h.set(r.Tx)
}

// Forget removes what the tables hold of a record that goes.
func (r *Removal) Forget(rec journal.Record) error {
	switch rec.Kind {
	case record.KindKept:
		return r.forgetKept(rec)
	case record.KindEvents:
		return r.forgetEvents(rec)
	}
	return nil
}

func (r *Removal) forgetKept(rec journal.Record) error {
	of, err := sexpr.ParseDigest(rec.Body.GetText("sha256"))
	if err != nil {
		return err
	}
	r.Tx.Delete(record.TableKept.Key(of))
	return record.TablePin.Scan(r.Tx, of, func(log string, _ []byte) error {
		r.Tx.Delete(record.TablePin.Key(of, log))
		return nil
	})
}

func (r *Removal) forgetEvents(rec journal.Record) error {
	e, err := record.EventsFrom(rec.Body)
	if err != nil {
		return err
	}
	for _, x := range e.Events {
		r.Tx.Delete(record.TableEventKey.Key(e.Log, x.Dedupe))
	}
	for _, p := range e.Pins {
		r.Tx.Delete(record.TablePin.Key(p.Content, e.Log))
	}
	r.Tx.Delete(record.TableEvents.Key(e.Log, e.First))
	h, err := headOf(r.Tx, e.Log)
	if err == nil && h.Last == rec.Seq {
		r.Tx.Delete(record.TableLog.Key(e.Log))
	}
	return err
}
