package store

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/folder"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
	"github.com/opencortex-go/cortex/cortex/store/internal/tables"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
)

var (
	// ErrInUse is returned by [Open] when another process, or another store in
	// this one, holds the folder.
	ErrInUse = guard.ErrInUse
	// ErrFormat is returned by [Open] for a folder that another version wrote,
	// in a format that this one does not read or does not write.
	ErrFormat = guard.ErrFormat
	// ErrCorrupt is in the error of a read, and the cause of a store's death, when
	// what was read back from the disk is not what was written.
	ErrCorrupt = guard.ErrCorrupt
	// ErrClosed is returned by a store that has been closed.
	ErrClosed = guard.ErrClosed
	// ErrNotWritable is returned by [Open] for a folder that this process cannot write
	// to. With [Options.ReadOnly] it can be opened all the same.
	ErrNotWritable = guard.ErrNotWritable
)

// Damage says where a store is not as it was written: its File, the Offset in bytes,
// the Frame, which is the commit that stands there or should, and a Text. It is an
// [ErrCorrupt].
type Damage = guard.Damage

// Options says how a store is to run. The zero value is ready to use.
type Options struct {
	// Logger hears of the store's death and of what Pebble reports as errors;
	// nil discards it.
	Logger *slog.Logger
	// Segment is how large a file of the log becomes, in bytes; 0 is 64 MiB.
	Segment int64
	// Compact is how large the log becomes, in bytes, before what was deleted or
	// written over is taken out of it, which happens when that is half of it; 0 is
	// 64 MiB.
	Compact int64
	// Reserve is how much space on the disk is kept back, in bytes, a quarter of it
	// in a file named BALLAST: below it [journal.Store.Room] refuses what is new,
	// and the rest is for what finishes something. 0 is 64 MiB, or an eighth of a
	// disk that is smaller than half a GiB.
	Reserve int64
	// ReadOnly opens a store that this process cannot write to, or must not, such as a
	// copy that is evidence: what opening has to bring up to date, and what is in the last
	// segment, is kept in memory, and every Commit is refused. Nothing is locked: the
	// caller makes sure that no process writes there.
	ReadOnly bool
	// Disk takes the place of the operating system's file system, for tests.
	Disk Disk
}

// Disk is what a store stands on: a disk of package storetest.
type Disk interface {
	// System is the file system, for the store alone.
	System() guard.System
}

// Exists reports whether there is a store in dir, whole or not: one of its files.
func Exists(dir string) (bool, error) { return folder.Exists(vfs.Default, dir) }

// Open opens the store in the folder dir, and makes it, readable for its owner
// alone, if there is none. With dir "" the store is in memory, and gone after
// Close.
//
// What one Commit writes is durable, whole, when Commit returns. Where the disk is
// full it is [journal.ErrFull], and later commits succeed when there is space. After
// any other failed write the store is dead: Commit returns the cause, Get and Scan
// go on with what was durable. A dead store keeps its memory until the process ends.
//
// A store that was not written whole, or that the disk has damaged, is not opened:
// the error is a [*Damage] where the log tells, else [ErrCorrupt] or [ErrFormat].
// Where there is no space to open it, it is [journal.ErrFull].
func Open(dir string, opt Options) (journal.Store, error) {
	s, err := open(dir, opt)
	if !errors.Is(err, journal.ErrFull) {
		err = guard.Full(err)
	}
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return s, nil
}

func open(dir string, opt Options) (*store, error) {
	log := opt.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	on := guard.System{FS: vfs.Default}
	memory := dir == ""
	if opt.Disk != nil {
		if given := opt.Disk.System(); given.FS != nil {
			on, memory = given, false
		}
	}
	if memory {
		on.FS = vfs.NewMem()
	}
	if dir == "" {
		dir = "store"
	}
	if opt.ReadOnly {
		if there, err := folder.Exists(on.FS, dir); err != nil || !there {
			return nil, errors.Join(err, fmt.Errorf("there is no store in %q", dir))
		}
		on = guard.System{FS: guard.NewOverlay(on.FS)}
	}
	if err := guard.MakeDir(on.FS, dir); err != nil {
		return nil, err
	}
	held, err := folder.Lock(on.FS, dir)
	if err != nil {
		return nil, err
	}
	s := &store{death: guard.NewDeath(log), lock: held, memory: memory, readOnly: opt.ReadOnly, segment: opt.Segment,
		most: opt.Compact}
	if s.most == 0 {
		s.most = wal.SegmentCap
	}
	s.idle.L = &s.mu
	s.disk = guard.New(on, s.death)
	if !memory {
		s.disk.KeepBack(dir, opt.Reserve)
	}
	if err := s.death.Alive(func() error { return s.start(dir) }); err != nil {
		return nil, errors.Join(err, s.abandon())
	}
	s.disk.Space.Ready()
	return s, nil
}

// store is a journal.Store on Pebble.
type store struct {
	death *guard.Death
	disk  *guard.Disk
	lock  io.Closer
	db    *pebble.DB

	memory   bool  // there is no log
	readOnly bool  // nothing is written
	segment  int64 // bytes of a segment
	most     int64 // bytes of the log, before it is looked through for what lives
	keeper   *keeper

	compacting sync.Mutex
	writing    sync.Mutex // held during a commit, and while the log is rotated
	log        *wal.Log   // under writing, but for its counters

	mu      sync.Mutex
	view    *view // nil only before the store is open
	closed  bool
	readers int
	idle    sync.Cond // readers has become 0
}

// Commit implements journal.Store.
func (s *store) Commit(writes []journal.Write) error {
	if err := s.Err(); err != nil {
		return wrap(err)
	}
	if s.readOnly {
		return wrap(fmt.Errorf("%w: it was opened to be read", ErrNotWritable))
	}
	for _, w := range writes {
		if len(w.Key) == 0 || w.Key[0] == tables.Own {
			return fmt.Errorf("store: the key %q is the store's own", w.Key)
		}
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	err := s.roomy(writes)
	if err != nil && !errors.Is(err, journal.ErrFull) {
		s.death.Die(err)
	}
	return wrap(err)
}

// roomy commits if the disk has space, with the help of the ballast if need be.
func (s *store) roomy(writes []journal.Write) error {
	if err := s.disk.Space.Admit(size(writes)); err != nil {
		return err
	}
	err := s.death.Alive(func() error { return s.commit(writes) })
	if errors.Is(err, journal.ErrFull) && s.disk.Space.Refused(err) {
		err = s.death.Alive(func() error { return s.commit(writes) })
	}
	return err
}

// size is about what writes take up, in Pebble's memory too.
func size(writes []journal.Write) (n int64) {
	for _, w := range writes {
		n += int64(len(w.Key)+len(w.Value)) + writeSize
	}
	return n
}

// writeSize is what Pebble needs to keep a write in memory, besides the write.
const writeSize = 100

// commit makes writes durable in the log, and then visible in Pebble, which must
// never be ahead of it.
func (s *store) commit(writes []journal.Write) error {
	var at wal.Place
	if !s.memory {
		var err error
		if at, err = s.log.Append(writes); err != nil {
			return err
		}
	}
	if err := tables.Apply(s.db, at, func(add func(journal.Write) error) error {
		for _, w := range writes {
			if err := add(w); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	s.look()
	if !s.memory { // now, since a flush before had taken nothing of it into tables
		s.keeper.written(size(writes) + wal.FrameHead)
	}
	return nil
}

// Room implements journal.Store.
func (s *store) Room() error { return wrap(s.disk.Space.Room()) }

// Err implements journal.Store.
func (s *store) Err() error {
	if err := s.death.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	return nil
}

// Close implements journal.Store. It waits for reads to end. Closing a store
// that works leaves everything in tables, where any damage is found on reading.
func (s *store) Close() error {
	s.disk.Space.Hurry() // first: a compaction reads, and may wait for space
	s.mu.Lock()
	again := s.closed
	s.closed = true
	for s.readers > 0 {
		s.idle.Wait()
	}
	s.mu.Unlock()
	if again {
		return nil
	}
	s.release(s.view)
	s.keeper.stop()
	if s.death.Err() == nil {
		err := s.death.Alive(s.shut)
		if s.death.Err() == nil {
			return wrap(errors.Join(err, s.lock.Close()))
		}
	}
	return wrap(s.abandon())
}

// shut leaves everything in both places, and says so in the log.
func (s *store) shut() error {
	err := s.db.Flush()
	if err == nil && s.log != nil {
		err = s.log.Close()
	}
	return errors.Join(err, s.db.Close())
}

// abandon lets go of the folder without Pebble's help, which cannot be had once
// a goroutine of its own is parked. Nothing can write there any more.
func (s *store) abandon() error {
	s.death.Die(ErrClosed)
	s.disk.Settle()
	return s.lock.Close()
}

func wrap(err error) error {
	if err == nil {
		return nil
	}
	if pebble.IsCorruptionError(err) && !errors.Is(err, ErrCorrupt) {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return fmt.Errorf("store: %w", err)
}
