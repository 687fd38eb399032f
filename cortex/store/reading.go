package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// logReading is a log that was read from its beginning as far as it goes.
type logReading struct {
	fs     vfs.FS
	dir    string
	tables *tables
	base   *base // nil for none
	segs   []*segment

	baseless bool // there is a base, and it cannot be read

	claim  uint64 // the newest commit that a head, or a frame, tells of
	whole  bool   // it could be read from its beginning on, up to last
	last   place
	state  state // as of last
	torn   uint64
	beyond place  // how far one comes from where the tables end
	fault  *Fault // the first thing that is damaged
	end    *Fault // the log does not go as far as it should

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
func readLog(ctx context.Context, fs vfs.FS, dir string, t *tables) (l logReading, err error) {
	l = logReading{fs: fs, dir: dir, tables: t, state: state{}, beyond: t.applied, headTables: t.head}
	l.saw(t.head, t.applied.seq)
	if err := l.list(); err != nil || len(l.segs) == 0 {
		return l, err
	}
	for _, s := range l.segs {
		l.claim = max(l.claim, s.newest().tail.seq)
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
	l.claim = max(l.claim, l.last.seq)
	if l.last.seq < t.applied.seq && t.fault == nil {
		l.beyond, err = l.follow(ctx, l.putFollowing)
		l.claim = max(l.claim, l.beyond.seq)
	}
	if l.fault != nil || l.end != nil {
		err = errors.Join(err, l.search(ctx))
	}
	for _, f := range []*Fault{l.fault, l.end} {
		if f != nil && l.whole && f.Commit == l.last.seq+1 && l.headLast < l.newest {
			f.Record = l.headLast + 1
		}
	}
	return l, err
}

// closed reports whether the log says of itself that it is complete, and is.
func (l *logReading) closed() bool {
	n := len(l.segs)
	return n > 0 && l.whole && l.fault == nil && l.end == nil && l.segs[n-1].newest().closed
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
	gone, err := missing(l.fs, l.dir)
	if err != nil {
		return err
	}
	if gone {
		if l.tables.exist {
			l.broken(Fault{File: l.dir, Commit: l.tables.applied.seq, Text: "the log is gone"})
		}
		return nil
	}
	all, err := bases(l.fs, l.dir)
	if err != nil {
		l.broken(asFault(err, Fault{File: l.dir}))
		l.baseless = true
	} else if len(all) > 0 {
		l.base = all[len(all)-1]
		l.claim = l.base.at.seq
	}
	segs, err := segments(l.fs, l.dir)
	if err != nil {
		l.broken(asFault(err, Fault{File: l.dir}))
		return nil
	}
	if n := len(segs); n > 0 && segs[n-1].unmade() && (n > 1 || l.tables.applied.seq == 0) {
		segs = segs[:n-1]
	}
	// One that lost its heads is taken to begin where the one before ends: whether it
	// does, its frames tell.
	end := l.start()
	for _, s := range segs {
		if s.newest() == nil {
			l.broken(Fault{File: s.path, Text: "neither of its heads can be read"})
			s.slots[0] = &slot{before: end, tail: end, end: framesAt}
		}
		end = s.newest().tail
	}
	if len(segs) == 0 && (l.tables.applied.seq > 0 || l.base != nil) {
		l.broken(Fault{File: l.dir, Commit: l.tables.applied.seq, Text: "the log is gone"})
	}
	l.segs = segs
	l.whole = len(segs) == 0 && l.fault == nil
	return nil
}

// start is as of when the log has everything before its first frame: nothing, or a base.
func (l *logReading) start() mark {
	if l.base == nil {
		return mark{}
	}
	return l.base.at
}

// walk calls put with each write that the log has, and done behind those of each
// commit. It returns the last one, and what keeps it from going on; without whole
// that is its beginning.
func (l *logReading) walk(ctx context.Context, put func(journal.Write) error, done func(mark) error) (last place,
	whole bool, broken *Fault, err error) {
	start := l.start()
	i := len(l.segs) - 1
	for i >= 0 && l.segs[i].newest().before.seq > start.seq {
		i--
	}
	if i < 0 || l.baseless {
		return last, false, &Fault{File: l.segs[0].path, Commit: start.seq + 1,
			Text: fmt.Sprintf("the log begins with commit %d", l.segs[0].newest().before.seq+1)}, nil
	}
	if l.base != nil {
		err := l.base.read(l.fs, func(w journal.Write) error { return errors.Join(put(w), context.Cause(ctx)) })
		if ctx.Err() != nil {
			return last, false, nil, err
		}
		if err != nil {
			f := asFault(err, Fault{File: l.base.path, Commit: start.seq})
			return last, false, &f, nil
		}
	}
	if err := done(start); err != nil {
		return last, false, nil, err
	}
	last, broken, err = l.frames(ctx, i, l.segs[i].start(), start, put, done)
	if broken == nil && last.seq < start.seq {
		broken = &Fault{File: l.segs[len(l.segs)-1].path, Offset: last.end, Commit: last.seq + 1,
			Text: fmt.Sprintf("what stands there is no whole commit, and the base is of commit %d", start.seq)}
	}
	return last, last.seq >= start.seq, broken, err
}

// frames is walk for the frames behind from, in the segments from the ith on. Those up
// to start are known.
func (l *logReading) frames(ctx context.Context, i int, from place, start mark, put func(journal.Write) error,
	done func(mark) error) (last place, broken *Fault, err error) {
	last = from
	var own error // of put or done
	for n, s := range l.segs[i:] {
		if n > 0 {
			if last.mark != s.newest().before {
				return last, &Fault{File: l.segs[i+n-1].path, Offset: last.end, Commit: last.seq + 1,
					Text: "what stands there is no whole commit"}, nil
			}
			last = s.start()
		}
		last, err = s.scan(l.fs, last, func(payload []byte, at place) error {
			if own = context.Cause(ctx); own != nil || at.seq < start.seq {
				return own
			}
			if at.seq == start.seq {
				if at.hash != start.hash {
					return &Damage{File: s.path, Offset: at.end, Frame: at.seq, Text: "the base has another commit of this number"}
				}
				return nil
			}
			if own = eachWrite(payload, put); own == nil && done != nil {
				own = done(at.mark)
			}
			return own
		})
		if own != nil {
			return last, nil, own
		}
		if err != nil {
			f := asFault(err, Fault{File: s.path, Offset: last.end, Commit: last.seq + 1})
			return last, &f, nil
		}
	}
	return last, nil, nil
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
func (l *logReading) commit(at mark) error {
	l.saw(l.headLast, at.seq)
	t := l.tables
	switch {
	case t.fault != nil:
	case l.base != nil && at == l.base.at && t.applied.seq < at.seq:
		t.fault = &Fault{File: t.dir, Commit: at.seq,
			Text: fmt.Sprintf("the tables end with commit %d, and the log begins with all there is as of commit %d",
				t.applied.seq, at.seq)}
	case at.seq != t.applied.seq:
	case at.hash != t.applied.hash:
		t.fault = &Fault{File: t.dir, Commit: at.seq, Text: "the tables have another commit of this number"}
		if f := t.differ(l.state, at); f != nil {
			t.fault.Record = f.Record
		}
	default:
		t.fault = t.differ(l.state, at)
	}
	return nil
}

// finish judges the log's end.
func (l *logReading) finish() {
	s, t := l.segs[len(l.segs)-1], l.tables
	torn, err := tornAt(s, l.last, t.applied)
	if torn > 0 {
		err = errors.Join(s.cut(), notTorn(l.fs, s, l.last))
	}
	switch {
	case err != nil:
		f := asFault(err, Fault{File: s.path})
		l.end = &f
	case t.applied.seq > l.last.seq:
		l.end = &Fault{File: s.path, Offset: l.last.end, Commit: l.last.seq + 1,
			Text: fmt.Sprintf("the log ends with commit %d, and the tables have commit %d", l.last.seq, t.applied.seq)}
	case s.newest().closed && t.fault == nil && t.applied.seq < l.last.seq:
		t.fault = &Fault{File: t.dir, Commit: t.applied.seq + 1,
			Text: fmt.Sprintf("the tables end with commit %d, and had commit %d when the store was closed", t.applied.seq,
				l.last.seq)}
	default:
		l.torn = torn
	}
}

// follow is walk for the frames behind where the tables end, which are whole even if
// the log is broken before.
func (l *logReading) follow(ctx context.Context, put func(journal.Write) error) (place, error) {
	from := l.tables.applied
	i := slices.IndexFunc(l.segs, func(s *segment) bool { return s.number == from.segment })
	if i < 0 || from.end < framesAt {
		return from, nil
	}
	// Whatever breaks it off: that is as far as one comes.
	last, _, err := l.frames(ctx, i, from, mark{}, put, nil)
	return last, err
}

// putFollowing takes one write of those behind the tables' end into their state.
func (l *logReading) putFollowing(w journal.Write) error {
	l.tables.state.put(w)
	if seq, ok := journal.HeadIn(w); ok {
		l.headTables = seq
	}
	return nil
}

// search looks for whole frames anywhere behind the place where the log is broken,
// so that it can be said what is lost. The error is the context's.
func (l *logReading) search(ctx context.Context) error {
	from := max(l.last.seq, l.beyond.seq)
	l.saw(l.headTables, l.beyond.seq)
	for _, s := range l.segs {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if s.newest().turn > 0 && s.newest().tail.seq < from {
			continue
		}
		raw, err := contents(l.fs, s)
		if err != nil {
			return nil // it cannot be said, then
		}
		if err := eachFrame(ctx, raw, func(_ int, frame []byte) {
			seq := binary.LittleEndian.Uint64(frame[4:])
			if seq > from {
				l.saw(newestIn(frame), seq)
				l.claim = max(l.claim, seq)
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// eachFrame calls f with each whole frame that stands anywhere in the bytes of a segment,
// and where. The error is the context's.
func eachFrame(ctx context.Context, raw []byte, f func(at int, frame []byte)) error {
	for at := framesAt; at+frameHead <= len(raw); at++ {
		if at%searchStep == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if n := frameAt(raw[at:]); n > 0 {
			f(at, raw[at:at+n])
			at += n - 1
		}
	}
	return nil
}

// frameAt is the size of the whole frame that b begins with, 0 if there is none.
func frameAt(b []byte) int {
	n, seq := int64(binary.LittleEndian.Uint32(b)), binary.LittleEndian.Uint64(b[4:])
	if seq == 0 || seq > maxCommit || n > maxFrame || n > int64(len(b)-frameHead) {
		return 0
	}
	frame := b[:frameHead+n]
	if frameSum(frame) != binary.LittleEndian.Uint32(frame[frameHead-4:]) {
		return 0
	}
	return len(frame)
}

// maxCommit is beyond any number that a commit will ever have.
const maxCommit = 1 << 48

// newestIn is the newest record as of a frame, 0 if it has none.
func newestIn(frame []byte) (head uint64) {
	_ = eachWrite(frame[frameHead:], func(w journal.Write) error {
		if seq, ok := journal.HeadIn(w); ok {
			head = seq
		}
		return nil
	})
	return head
}

// searchStep is how many bytes are looked at between two looks at the context.
const searchStep = 1 << 10

// contents is all of a segment that can be read.
func contents(fs vfs.FS, s *segment) ([]byte, error) {
	f, err := fs.Open(s.path)
	if err != nil {
		return nil, err
	}
	raw := make([]byte, s.size)
	n, err := io.ReadFull(f, raw)
	if n > 0 {
		err = nil
	}
	return raw[:n], errors.Join(err, f.Close())
}

func (d *Damage) fault() Fault {
	return Fault{File: d.File, Offset: d.Offset, Commit: d.Frame, Text: d.Text}
}

// asFault says what err says, with what else is known about where.
func asFault(err error, at Fault) Fault {
	var damage *Damage
	if !errors.As(err, &damage) {
		at.Text = firstLine(err)
		return at
	}
	f := damage.fault()
	if f.File == "" {
		f.File = at.File
	}
	return f
}
