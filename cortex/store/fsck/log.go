package fsck

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/folder"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
)

// logReading is a log that was read from its beginning as far as it goes.
type logReading struct {
	fs     vfs.FS
	dir    string
	tables *tableReading
	base   *wal.Base // nil for none
	segs   []*wal.Segment

	baseless bool // there is a base, and it cannot be read

	claim  uint64 // the newest commit that a head, or a frame, names
	whole  bool   // it could be read from its beginning on, up to last
	last   wal.Place
	state  state // as of last
	torn   uint64
	beyond wal.Place // how far one comes from where the tables end
	fault  *Fault    // the first thing that is damaged
	end    *Fault    // the log does not go as far as it should

	headLast, headTables uint64 // the newest record as of last, and beyond
	newest, newestIn     uint64 // the newest record of which anything tells, and its commit
}

// heads is the newest record that a place has.
func (l *logReading) heads(place string) uint64 {
	switch place {
	case inLog:
		return l.headLast
	case inTables:
		return l.headTables
	}
	return 0
}

// readLog reads all of the log in dir, compares what it says with the tables where
// they end, and goes on from there if the log is broken before.
func readLog(ctx context.Context, fs vfs.FS, dir string, t *tableReading) (l logReading, err error) {
	l = logReading{fs: fs, dir: dir, tables: t, state: state{}, beyond: t.applied, headTables: t.head}
	l.saw(t.head, t.applied.Seq)
	if err := l.list(); err != nil || len(l.segs) == 0 {
		return l, err
	}
	for _, s := range l.segs {
		l.claim = max(l.claim, s.Newest().Tail.Seq)
	}
	var broken *Fault
	l.last, l.whole, broken, err = l.walk(ctx, l.put, l.commit)
	if err != nil {
		return l, err
	}
	if broken != nil {
		l.broken(*broken)
	}
	if l.whole && broken == nil {
		l.finish()
	}
	l.claim = max(l.claim, l.last.Seq)
	if l.last.Seq < t.applied.Seq && t.fault == nil {
		l.beyond, err = l.follow(ctx, l.putFollowing)
		l.claim = max(l.claim, l.beyond.Seq)
	}
	if l.fault != nil || l.end != nil {
		err = errors.Join(err, l.search(ctx))
	}
	for _, f := range []*Fault{l.fault, l.end} {
		if f != nil && l.whole && f.Commit == l.last.Seq+1 && l.headLast < l.newest {
			f.Record = l.headLast + 1
		}
	}
	return l, err
}

// closed reports whether the log says of itself that it is complete, and is.
func (l *logReading) closed() bool {
	n := len(l.segs)
	return n > 0 && l.whole && l.fault == nil && l.end == nil && l.segs[n-1].Newest().Closed
}

// saw remembers the newest record.
func (l *logReading) saw(record, commit uint64) {
	if record >= l.newest {
		l.newest, l.newestIn = record, max(commit, l.newestIn)
	}
}

func (l *logReading) broken(f Fault) {
	if l.fault == nil {
		l.fault = &f
	}
}

// list finds the segments, and the newest base.
func (l *logReading) list() error {
	gone, err := folder.Missing(l.fs, l.dir)
	if err != nil {
		return err
	}
	if gone {
		if l.tables.exist {
			l.broken(Fault{File: l.dir, Commit: l.tables.applied.Seq, Text: "the log is gone"})
		}
		return nil
	}
	all, err := wal.Bases(l.fs, l.dir)
	if err != nil {
		l.broken(asFault(err, Fault{File: l.dir}))
		l.baseless = true
	} else if len(all) > 0 {
		l.base = all[len(all)-1]
		l.claim = l.base.At.Seq
	}
	segs, err := wal.Segments(l.fs, l.dir)
	if err != nil {
		l.broken(asFault(err, Fault{File: l.dir}))
		return nil
	}
	if n := len(segs); n > 0 && segs[n-1].Unmade() && (n > 1 || l.tables.applied.Seq == 0) {
		segs = segs[:n-1]
	}
	// One that lost its heads is taken to begin where the one before ends: whether it
	// does, its frames tell.
	end := l.start()
	for _, s := range segs {
		if s.Newest() == nil {
			l.broken(Fault{File: s.Path, Text: "neither of its heads can be read"})
			s.Assume(end)
		}
		end = s.Newest().Tail
	}
	if len(segs) == 0 && (l.tables.applied.Seq > 0 || l.base != nil) {
		l.broken(Fault{File: l.dir, Commit: l.tables.applied.Seq, Text: "the log is gone"})
	}
	l.segs = segs
	l.whole = len(segs) == 0 && l.fault == nil
	return nil
}

// start is as of when the log has everything before its first frame: nothing, or a base.
func (l *logReading) start() wal.Mark {
	if l.base == nil {
		return wal.Mark{}
	}
	return l.base.At
}

// put takes one write of the log's into its state.
func (l *logReading) put(w journal.Write) error {
	l.state.put(w)
	if seq, ok := journal.HeadIn(w); ok {
		l.headLast = seq
	}
	return nil
}

// commit looks at the tables where they should be as the log is now.
func (l *logReading) commit(at wal.Mark) error {
	l.saw(l.headLast, at.Seq)
	t := l.tables
	switch {
	case t.fault != nil:
	case l.base != nil && at == l.base.At && t.applied.Seq < at.Seq:
		t.fault = &Fault{File: t.dir, Commit: at.Seq,
			Text: fmt.Sprintf("the tables end with commit %d, and the log begins with all there is as of commit %d",
				t.applied.Seq, at.Seq)}
	case at.Seq != t.applied.Seq:
	case at.Hash != t.applied.Hash:
		t.fault = &Fault{File: t.dir, Commit: at.Seq, Text: "the tables have another commit of this number"}
		if f := t.differ(l.state, at); f != nil {
			t.fault.Record = f.Record
		}
	default:
		t.fault = t.differ(l.state, at)
	}
	return nil
}
