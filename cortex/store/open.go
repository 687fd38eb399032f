package store

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/folder"
	"github.com/opencortex-go/cortex/cortex/store/internal/tables"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
)

// start opens the database in dir, and makes it if there is none.
func (s *store) start(dir string) error {
	if err := folder.FinishRepair(s.disk, dir); err != nil {
		return err
	}
	was, err := tables.Peek(dir, s.disk)
	if err != nil {
		return err
	}
	if was.Exists && was.FormatMajorVersion != tables.Format {
		if err := s.checkEmpty(dir, was.FormatMajorVersion); err != nil {
			return err
		}
	}
	if s.db, err = pebble.Open(dir, tables.Options(s.disk)); err != nil {
		return err
	}
	if was.FormatMajorVersion != tables.Format {
		// A new database writes its first log before it takes on the format, and
		// damage in that one goes unnoticed. The second log is of the new format.
		if err := s.db.Close(); err != nil {
			return err
		}
		if s.db, err = pebble.Open(dir, tables.Options(s.disk)); err != nil {
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
	reached, err := tables.Applied(s.db)
	if err != nil {
		return err
	}
	if reached.Seq == 0 {
		if err := s.checkFresh(); err != nil {
			return err
		}
	}
	var what wal.Found
	s.log, what, err = wal.Open(s.disk, s.disk.PathJoin(dir, "log"), s.segment, reached,
		func(payload []byte, at wal.Place) error {
			return tables.Apply(s.db, at, func(add func(journal.Write) error) error { return wal.EachWrite(payload, add) })
		})
	if err != nil {
		return err
	}
	if what.Torn > 0 {
		s.death.Log.Warn("the last commit of the log was not whole: it was cut off by a crash, and no caller was told that "+
			"it was done, or the disk has lost its end", "commit", what.Torn)
	}
	if what.Replayed > 0 {
		s.death.Log.Info("commits that were in the log alone are in the tables again", "commits", what.Replayed,
			"bytes", what.Bytes)
	}
	s.look()
	s.keep(what.Bytes)
	return nil
}

// checkFresh refuses tables that no log belongs to.
func (s *store) checkFresh() error {
	none, err := tables.Empty(s.db)
	if err != nil {
		return err
	}
	if !none {
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
	opt := tables.Options(s.disk)
	opt.FormatMajorVersion = was
	db, err := pebble.Open(dir, opt)
	if err != nil {
		return tables.FormatError(err)
	}
	none, err := tables.Empty(db)
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	if !none {
		return fmt.Errorf("%w: it is %d, this version has %d", ErrFormat, was, tables.Format)
	}
	return nil
}
