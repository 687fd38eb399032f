package fsck

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/folder"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
)

// Options says how a store is to be looked at. The zero value is ready to use.
type Options struct {
	// Logger hears of what Pebble reports as errors; nil discards it.
	Logger *slog.Logger
	// Disk takes the place of the operating system's file system, for tests: a disk of
	// package storetest.
	Disk interface{ System() guard.System }
}

// Check reads all of both places of the store in dir, and compares them key by
// key: what the log says there should be as of the last commit that the tables
// have, with what they have. It changes nothing. The error is for what kept it from
// looking: store.ErrInUse, store.ErrFormat, [fs.ErrNotExist], the context's.
//
// It keeps some 100 bytes in memory for each key.
func Check(ctx context.Context, dir string, opt Options) (Report, error) {
	x, err := examineLocked(ctx, dir, opt, false)
	if err != nil {
		return Report{}, fmt.Errorf("store: check: %w", err)
	}
	return x.report, errors.Join(x.close(), x.unlock())
}

// state is everything that a store holds as of one commit, each value as the
// beginning of its SHA-256.
type state map[string][16]byte

func (s state) put(w journal.Write) {
	if w.Value == nil {
		delete(s, string(w.Key))
		return
	}
	sum := sha256.Sum256(w.Value)
	s[string(w.Key)] = [16]byte(sum[:16])
}

// examination is a look at a store in which both places are read whole.
type examination struct {
	report Report
	dir    string
	disk   *guard.Disk
	lock   func() error

	unfinished bool // a repair was cut off; nothing was read
	parked     bool // a goroutine that a disk failed may still be reading: nothing is closed
	tables     tableReading
	log        logReading
	// Where Repair takes everything from, "" if there is nothing to take it from;
	// the last commit it has then, and what there is as of it.
	source string
	reach  wal.Mark
	state  state
	// What can be had where neither place is whole; nil where one is.
	salvage *salvage
}

func diskOf(opt Options, d *guard.Death) *guard.Disk {
	if opt.Disk != nil {
		if given := opt.Disk.System(); given.FS != nil {
			return guard.New(given, d)
		}
	}
	return guard.New(guard.System{FS: vfs.Default}, d)
}

// examineLocked takes the folder's lock, and keeps it until unlock is called. Where the
// folder cannot be written to there is none, and only who changes it needs it.
func examineLocked(ctx context.Context, dir string, opt Options, change bool) (*examination, error) {
	log := opt.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	disk := diskOf(opt, guard.NewDeath(log))
	if there, err := folder.Exists(disk.FS, dir); err != nil {
		return nil, err
	} else if !there {
		return nil, fmt.Errorf("there is no store in %q: %w", dir, fs.ErrNotExist)
	}
	held, err := folder.Lock(disk.FS, dir)
	if err != nil {
		if change || !errors.Is(err, guard.ErrNotWritable) {
			return nil, err
		}
		held = io.NopCloser(nil)
	}
	x, err := examine(ctx, dir, disk)
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	x.lock = held.Close
	return x, nil
}

func (x *examination) unlock() error { return x.lock() }

func (x *examination) close() error {
	if x.parked {
		return nil
	}
	return x.tables.close()
}

// examine reads the store in dir, whose lock is held. The caller closes what it
// returns.
func examine(ctx context.Context, dir string, disk *guard.Disk) (x *examination, err error) {
	x = &examination{dir: dir, disk: disk, report: Report{Dir: dir, Faults: []Fault{}}}
	if unfinished, err := folder.UnfinishedRepair(disk, dir); err != nil {
		return nil, err
	} else if unfinished != "" {
		x.report.Faults = append(x.report.Faults,
			Fault{File: unfinished, Text: "a repair was cut off; opening the store, or `cortex fsck --repair`, ends it",
				Good: inLog})
		x.unfinished = true
		return x, nil
	}
	looked := x
	defer func() {
		if err != nil {
			err = errors.Join(err, looked.close())
		}
	}()
	if x.tables, err = readTables(ctx, dir, disk); err != nil {
		return nil, err
	}
	x.log, err = readLog(ctx, disk.FS, disk.PathJoin(dir, "log"), &x.tables)
	if err != nil {
		return nil, err
	}
	if x.tables.fault == nil && len(x.tables.state) > 0 && x.tables.applied.Seq == 0 {
		return nil, fmt.Errorf("%w: it was written without a log", guard.ErrFormat)
	}
	x.judge()
	if x.source == "" || x.report.Loss.some() || x.report.Torn > 0 || x.tables.fault != nil && !x.log.closed() {
		return x, x.combine(ctx)
	}
	return x, nil
}
