package record

import (
	"github.com/opencortex-go/cortex/cortex/journal"
)

// Due is how a signal without an answer stands, in [TableUnanswered].
type Due struct {
	TakeUps uint64 // how often an engine has taken it up, for a run: since its last advance
	// Wakes counts how often the run of a root signal was woken since it came to rest. It is 0
	// for the signals that are no run's root.
	Wakes uint64
}

// DueFrom reads a value of [TableUnanswered].
func DueFrom(raw []byte) Due {
	if len(raw) != 16 {
		return Due{TakeUps: AsNumber(raw)}
	}
	return Due{AsNumber(raw[:8]), AsNumber(raw[8:])}
}

// Bytes is what [DueFrom] reads.
func (d Due) Bytes() []byte {
	if d.Wakes == 0 {
		return Number(d.TakeUps)
	}
	return append(Number(d.TakeUps), Number(d.Wakes)...)
}

// DueAt reads how a run stands. ok is false if it is at rest.
func DueAt(r journal.Getter, root uint64) (d Due, ok bool, err error) {
	raw, err := r.Get(TableUnanswered.Key(root))
	return DueFrom(raw), err == nil && raw != nil, err
}

// Wake notes that the run of a root signal has something to look at. One more take-up of it
// is the first.
func Wake(tx *journal.Tx, root uint64) error {
	d, _, err := DueAt(tx, root)
	if err == nil {
		tx.Set(TableUnanswered.Key(root), Due{Wakes: d.Wakes + 1}.Bytes())
	}
	return err
}

// Advanced notes that a run has advanced. If it is not at rest, its take-ups count anew.
func Advanced(tx *journal.Tx, root uint64) error {
	d, open, err := DueAt(tx, root)
	if err == nil && open && d.TakeUps > 0 {
		tx.Set(TableUnanswered.Key(root), Due{Wakes: d.Wakes}.Bytes())
	}
	return err
}

// Rest notes that a run is at rest, unless it was woken since it was read as seen. It reports
// whether it is.
func Rest(tx *journal.Tx, root uint64, seen Due) (bool, error) {
	d, open, err := DueAt(tx, root)
	if err != nil || open && d.Wakes != seen.Wakes {
		return false, err
	}
	tx.Delete(TableUnanswered.Key(root))
	return true, nil
}

// Woken is a store that says which runs are due after each commit, so that whatever wakes a
// run needs only write so.
type Woken struct {
	journal.Store
	Runs func(root uint64) // is called in the journal's writer, and must not wait
}

// Commit implements [journal.Store].
func (w *Woken) Commit(writes []journal.Write) error {
	if err := w.Store.Commit(writes); err != nil {
		return err
	}
	for _, x := range writes {
		if len(x.Key) == 9 && x.Key[0] == byte(TableUnanswered) && DueFrom(x.Value).Wakes > 0 {
			w.Runs(AsNumber(x.Key[1:]))
		}
	}
	return nil
}
