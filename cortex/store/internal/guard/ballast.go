package guard

import (
	"errors"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func (sp *space) path() string { return sp.disk.PathJoin(sp.dir, "BALLAST") }

// ballastSize is what the ballast holds, in bytes.
func (sp *space) ballastSize() int64 { return sp.reserve / 4 }

// refill makes the ballast anew, not too often. Where the disk does not say how
// much is free, this is how it is found out.
func (sp *space) refill(now time.Time) bool {
	if now.Sub(sp.tried) < probeEvery {
		return false
	}
	sp.tried = now
	return sp.fillBallast()
}

// fillBallast makes the ballast, and reports false where there is no space for it.
// A file system that cannot set space aside gets an empty one.
func (sp *space) fillBallast() bool {
	err := sp.disk.Do("create", sp.path(), func() error {
		f, err := sp.disk.FS.Create(sp.path(), vfs.WriteCategoryUnspecified)
		if err != nil {
			return err
		}
		if err = f.Preallocate(0, sp.ballastSize()); !noSpace(err) {
			err = nil
		}
		return errors.Join(err, f.Close())
	})
	sp.ballast = err == nil
	if err != nil {
		_ = sp.disk.FS.Remove(sp.path()) // what there is of it may stay
	}
	return !noSpace(err)
}

// drop removes the ballast and reports whether that has made space.
func (sp *space) drop() bool {
	if !sp.ballast {
		return false
	}
	sp.ballast, sp.asked = false, time.Time{}
	err := sp.disk.Do("remove", sp.path(), func() error { return sp.disk.FS.Remove(sp.path()) })
	sp.disk.Death.Log.Warn("the ballast was removed to finish what was begun", "dir", sp.dir, "error", err)
	sp.look(time.Now())
	return err == nil
}

// Refused hears that the disk has refused to write, and reports whether to try
// again at once.
func (sp *space) Refused(cause error) bool {
	if sp == nil {
		return false
	}
	sp.mu.Lock()
	defer sp.mu.Unlock()
	sp.files = NoDescriptor(cause)
	sp.becomeShort(cause)
	return !sp.files && sp.drop()
}
