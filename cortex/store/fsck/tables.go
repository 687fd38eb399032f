package fsck

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/cockroachdb/pebble/v2"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
	"github.com/opencortex-go/cortex/cortex/store/internal/tables"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
)

// tableReading is Pebble's files as they are found.
type tableReading struct {
	dir     string
	death   *guard.Death // of this reading alone
	db      *pebble.DB   // open for reading; nil where it does not open
	exist   bool
	applied wal.Place
	head    uint64 // the newest record
	record  uint64 // the last one that could be read
	state   state
	fault   *Fault // the first; state is not whole then
}

func (t *tableReading) close() error {
	db := t.db
	t.db = nil
	if db == nil || t.death.Err() != nil {
		return nil // a goroutine of its own may be parked: it keeps what it has
	}
	return t.death.Alive(db.Close)
}

// readTables reads all that Pebble has.
func readTables(ctx context.Context, dir string, disk *guard.Disk) (t tableReading, err error) {
	was, err := tables.Peek(dir, disk)
	if gone := (*guard.Damage)(nil); errors.As(err, &gone) {
		t.dir, t.state, t.exist, t.fault = dir, state{}, true, &Fault{File: gone.File, Text: gone.Text}
		return t, nil
	}
	if err != nil {
		return t, err
	}
	if was.Exists && was.FormatMajorVersion != tables.Format {
		return t, fmt.Errorf("%w: it is %d, this version has %d", guard.ErrFormat, was.FormatMajorVersion, tables.Format)
	}
	t.dir, t.state, t.exist = dir, state{}, was.Exists
	if !was.Exists {
		return t, nil
	}
	// What fails in here must not be the end of the disk that a repair works on.
	t.death = guard.NewDeath(disk.Death.Log)
	own := guard.New(guard.System{FS: disk.FS}, t.death)
	var bad pebble.DataCorruptionInfo
	err = t.death.Alive(func() error { return t.read(ctx, dir, own, &bad) })
	switch {
	case ctx.Err() != nil:
		return t, errors.Join(context.Cause(ctx), t.close())
	case err != nil:
		t.fault = &Fault{File: dir, Text: firstLine(err)}
		if t.head == 0 && t.record > 0 { // it is behind that one
			t.fault.Record = t.record + 1
		}
		if bad.Path != "" {
			t.fault.File = bad.Path
		}
	}
	return t, nil
}

func (t *tableReading) read(ctx context.Context, dir string, disk *guard.Disk,
	bad *pebble.DataCorruptionInfo) (err error) {
	opt := tables.Options(disk)
	opt.ReadOnly = true
	opt.EventListener = &pebble.EventListener{DataCorruption: func(info pebble.DataCorruptionInfo) { *bad = info }}
	if t.db, err = pebble.Open(dir, opt); err != nil {
		return err
	}
	t.applied, err = tables.Applied(t.db)
	return errors.Join(err, tables.Each(t.db, until(ctx, func(w journal.Write) error {
		t.state.put(w)
		if seq := journal.RecordIn(w); seq > 0 {
			t.record = seq
		}
		if seq, ok := journal.HeadIn(w); ok {
			t.head = seq
		}
		return nil
	})))
}

// until is f, and the cause of ctx behind it once that is over.
func until(ctx context.Context, f func(journal.Write) error) func(journal.Write) error {
	return func(w journal.Write) error {
		if err := f(w); err != nil || ctx.Err() == nil {
			return err
		}
		return context.Cause(ctx)
	}
}

// differ finds what the tables have otherwise than the log says, and names the first
// record among that.
func (t *tableReading) differ(want state, at wal.Mark) *Fault {
	if maps.Equal(t.state, want) {
		return nil
	}
	f := &Fault{File: t.dir, Commit: at.Seq}
	seen := func(key string) {
		if seq := journal.RecordIn(journal.Write{Key: []byte(key)}); seq > 0 && (f.Record == 0 || seq < f.Record) {
			f.Record = seq
		}
	}
	more, less, other := 0, 0, 0
	for k, v := range t.state {
		if w, ok := want[k]; !ok {
			more++
			seen(k)
		} else if w != v {
			other++
			seen(k)
		}
	}
	for k := range want {
		if _, ok := t.state[k]; !ok {
			less++
			seen(k)
		}
	}
	f.Text = fmt.Sprintf("the tables are not what the log says: of %d keys %d are missing, %d are others, %d are too many",
		len(want), less, other, more)
	return f
}
