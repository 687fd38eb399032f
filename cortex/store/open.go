package store

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/opencortex-go/cortex/cortex/journal"
)

// format is what this version reads and writes: by name, because moving on is
// for good and happens on an order, not because a library was updated. It is
// the first that tells a damaged log from one that was cut off by a crash, in
// all but the log's last block.
const format = pebble.FormatValueSeparation

// memTable is how much a memtable holds, in bytes: small enough to be replayed
// quickly after a crash, large enough that flushes are rare.
const memTable = 16 << 20

// How many tables may lie over each other before they are merged, and before writers
// wait for that: twice what Pebble takes by itself. Merging was a sixth of what the
// processor did for durable decisions with 64 callers, and each takes a tenth less
// time so; four times as many save little more.
const (
	l0Merge = 8
	l0Stop  = 24
)

func (s *store) options() *pebble.Options {
	return &pebble.Options{
		FS:                    pebbleDisk{s.disk},
		FormatMajorVersion:    format,
		MemTableSize:          memTable,
		DisableWAL:            true, // the log is one
		L0CompactionThreshold: l0Merge,
		L0StopWritesThreshold: l0Stop,
		Logger:                logger{s.death},
		EventListener:         listener(s.death),
	}
}

// start opens the database in dir, and makes it if there is none.
func (s *store) start(dir string) error {
	if err := finishRepair(s.disk, dir); err != nil {
		return err
	}
	was, err := pebble.Peek(dir, s.disk)
	if err != nil {
		return formatError(err)
	}
	if gone := markerGone(s.disk, dir, was); gone != nil {
		return gone
	}
	if was.Exists && was.FormatMajorVersion != format {
		if err := s.checkEmpty(dir, was.FormatMajorVersion); err != nil {
			return err
		}
	}
	if s.db, err = pebble.Open(dir, s.options()); err != nil {
		return err
	}
	if was.FormatMajorVersion != format {
		// A new database writes its first log before it takes on the format, and
		// damage in that one goes unnoticed. The second log is of the new format.
		if err := s.db.Close(); err != nil {
			return err
		}
		if s.db, err = pebble.Open(dir, s.options()); err != nil {
			return err
		}
	}
	if err := s.recover(dir); err != nil {
		return errors.Join(err, s.db.Close())
	}
	return nil
}

// recover brings Pebble up to the end of the log.
func (s *store) recover(dir string) error {
	if s.memory {
		s.look()
		return nil
	}
	applied, err := s.applied()
	if err != nil {
		return err
	}
	if applied.seq == 0 {
		if err := s.checkFresh(); err != nil {
			return err
		}
	}
	var what found
	s.log, what, err = openLog(s.disk, s.disk.PathJoin(dir, "log"), s.segment, applied,
		func(payload []byte, at place) error {
			return s.apply(at, func(add func(journal.Write) error) error { return eachWrite(payload, add) })
		})
	if err != nil {
		return err
	}
	if what.torn > 0 {
		s.death.log.Warn("the last commit of the log was not whole: it was cut off by a crash, and nobody was told that "+
			"it was done, or the disk has lost its end", "commit", what.torn)
	}
	if what.replayed > 0 {
		s.death.log.Info("commits that were in the log alone are in the tables again", "commits", what.replayed,
			"bytes", what.bytes)
	}
	s.look()
	s.keep(what.bytes)
	return nil
}

// checkFresh refuses tables that no log belongs to.
func (s *store) checkFresh() error {
	it, err := s.db.NewIter(nil)
	if err != nil {
		return err
	}
	empty := !it.First()
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		return err
	}
	if !empty {
		return fmt.Errorf("%w: it was written without a log", ErrFormat)
	}
	return nil
}

// checkEmpty allows the one reason for an older format: the process ended while
// it made the database, between two of the steps up to the format.
func (s *store) checkEmpty(dir string, was pebble.FormatMajorVersion) error {
	if was == pebble.FormatDefault {
		return nil // no step was made yet; Pebble itself refuses if there is data
	}
	opt := s.options()
	opt.FormatMajorVersion = was
	db, err := pebble.Open(dir, opt)
	if err != nil {
		return formatError(err)
	}
	it, err := db.NewIter(nil)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	empty := !it.First()
	if err := errors.Join(it.Error(), it.Close(), db.Close()); err != nil {
		return err
	}
	if !empty {
		return fmt.Errorf("%w: it is %d, this version has %d", ErrFormat, was, format)
	}
	return nil
}

// formatError says that what Pebble cannot make out is another format, unless
// the disk is to blame.
func formatError(err error) error {
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrFormat, err)
}

// makeDir makes dir and the folders above it that are missing, so that they
// outlive a loss of power.
func makeDir(disk vfs.FS, dir string) error {
	var parents []string
	for at := dir; ; {
		_, err := disk.Stat(at)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		up := disk.PathDir(at)
		if up == at {
			break
		}
		parents = append(parents, up)
		at = up
	}
	if err := disk.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, parent := range parents {
		d, err := disk.OpenDir(parent)
		if err != nil {
			return err
		}
		if err := errors.Join(d.Sync(), d.Close()); err != nil {
			return err
		}
	}
	return nil
}
