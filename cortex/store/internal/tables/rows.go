package tables

import (
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
)

// Own begins the keys that are the store's own; callers never see them.
const Own = 0

// AppliedKey is the key of the place in the log that Pebble has reached.
var AppliedKey = []byte{Own, 'a'}

// Apply has Pebble take in what stands in the log at a place, which is the zero one
// where there is no log.
func Apply(db *pebble.DB, at wal.Place, writes func(add func(journal.Write) error) error) error {
	b := db.NewBatch()
	err := writes(func(w journal.Write) error {
		if w.Value == nil {
			return b.Delete(w.Key, nil)
		}
		return b.Set(w.Key, w.Value, nil)
	})
	if err == nil && at.Seq > 0 {
		err = b.Set(AppliedKey, at.Append(nil), nil)
	}
	if err == nil {
		err = b.Commit(pebble.NoSync)
	}
	return errors.Join(err, b.Close())
}

// Applied is the place in the log that Pebble has reached; the zero place if it is
// empty.
func Applied(db *pebble.DB) (at wal.Place, err error) {
	raw, closer, err := db.Get(AppliedKey)
	if errors.Is(err, pebble.ErrNotFound) {
		return at, nil
	}
	if err != nil {
		return at, err
	}
	at, err = wal.ParsePlace(raw)
	return at, errors.Join(err, closer.Close())
}

// Each calls f with each key that is not the store's own, in order.
func Each(db pebble.Reader, f func(w journal.Write) error) (err error) {
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte{Own + 1}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if value == nil {
			value = []byte{} // not a deletion
		}
		if err := f(journal.Write{Key: it.Key(), Value: value}); err != nil {
			return err
		}
	}
	return it.Error()
}

// Empty reports whether Pebble has nothing, not even what is the store's own.
func Empty(db *pebble.DB) (bool, error) {
	it, err := db.NewIter(nil)
	if err != nil {
		return false, err
	}
	none := !it.First()
	return none, errors.Join(it.Error(), it.Close())
}
