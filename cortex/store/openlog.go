package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// found is what opening a log came upon.
type found struct {
	replayed int    // frames that Pebble did not have
	bytes    int64  // of those
	torn     uint64 // a frame that was cut off: it was never acknowledged, or its end is damaged; 0 for none
}

// openLog opens the log in dir, or begins one. applied is the last frame that
// Pebble has; apply is called with each that follows.
func openLog(disk *guarded, dir string, most int64, applied place,
	apply func(payload []byte, at place) error) (*segmentLog, found, error) {
	if most == 0 {
		most = segmentCap
	}
	l := &segmentLog{disk: disk, dir: dir, most: most}
	var what found
	all, err := l.survey(applied)
	if err != nil {
		return nil, what, err
	}
	if len(all) == 0 {
		return l, what, l.begin(1, mark{})
	}
	// What is found in the last segment need not have been synced by the process
	// that wrote it, and Pebble must not be ahead of it.
	l.seg = all[len(all)-1]
	err = disk.do("create", l.seg.path, func() (err error) {
		l.file, err = disk.FS.OpenReadWrite(l.seg.path, vfs.WriteCategoryUnspecified)
		return err
	})
	if err != nil {
		return nil, what, err
	}
	if err = l.sync(); err == nil {
		l.tail, what, err = replay(disk.FS, all, applied, apply)
	}
	if err == nil {
		err = l.resume(what.torn > 0)
	}
	if err != nil {
		return nil, what, errors.Join(err, l.file.Close())
	}
	return l, what, nil
}

// survey lists the segments of a log whose files fit one another, and clears away
// what an end of the process has left.
func (l *segmentLog) survey(applied place) ([]*segment, error) {
	if err := makeDir(l.disk, l.dir); err != nil {
		return nil, err
	}
	if err := l.clear(); err != nil {
		return nil, err
	}
	all, err := segments(l.disk.FS, l.dir)
	if err != nil {
		return nil, err
	}
	based, err := bases(l.disk.FS, l.dir)
	if err != nil {
		return nil, err
	}
	if n := len(all); n > 0 && all[n-1].unmade() && (n > 1 || applied.seq == 0 && len(based) == 0) {
		if err := l.remove(all[n-1].path); err != nil {
			return nil, err
		}
		all = all[:n-1]
	}
	if len(all) == 0 {
		if applied.seq > 0 || len(based) > 0 {
			return nil, &Damage{File: l.dir, Frame: applied.seq, Text: "the log is gone"}
		}
		return nil, nil
	}
	if n := len(based); n > 0 {
		if err := based[n-1].cut(l.disk.FS); err != nil { // before anything is removed for it
			return nil, err
		}
	}
	if n := len(based); n > 0 && applied.seq >= based[n-1].at.seq {
		if all, err = l.forget(all, based); err != nil {
			return nil, err
		}
	}
	if err := connected(all); err != nil {
		return nil, err
	}
	for _, s := range all {
		l.bytes.Add(s.size)
	}
	return all, grounded(all[0], based)
}

// clear removes a base that was being made when the process ended.
func (l *segmentLog) clear() error {
	names, err := l.disk.FS.List(l.dir)
	for _, name := range names {
		if err == nil && strings.HasSuffix(name, newSuffix) {
			err = l.remove(l.disk.PathJoin(l.dir, name))
		}
	}
	return err
}

// connected checks that segments are as large as they should be, and follow one another.
func connected(all []*segment) error {
	for i, s := range all {
		if s.newest() == nil {
			return &Damage{File: s.path, Text: "neither of its heads can be read"}
		}
		if err := s.cut(); err != nil {
			return err
		}
		if i == 0 {
			continue
		}
		was := all[i-1]
		// One that lost its newer head tells of the frame before the last.
		if n := was.newest().tail; n != s.newest().before && n.seq+1 != s.newest().before.seq {
			return &Damage{File: was.path, Offset: was.newest().end, Frame: n.seq + 1,
				Text: fmt.Sprintf("it ends with commit %d, and the next segment follows on commit %d", n.seq,
					s.newest().before.seq)}
		}
	}
	return nil
}

// grounded checks that the first segment begins where the base ends, or before it.
func grounded(first *segment, based []*base) error {
	var from mark
	if n := len(based); n > 0 {
		from = based[n-1].at
	}
	begins := first.newest().before
	if begins.seq > from.seq || begins.seq == from.seq && begins != from {
		return &Damage{File: first.path, Frame: begins.seq + 1,
			Text: fmt.Sprintf("the log begins behind commit %d, and its base is of commit %d", begins.seq, from.seq)}
	}
	return nil
}

// replay reads the frames behind applied and returns the log's end.
func replay(fs vfs.FS, all []*segment, applied place, apply func([]byte, place) error) (last place, what found,
	err error) {
	end := all[len(all)-1].newest()
	if applied.seq > end.tail.seq+1 {
		return last, what, &Damage{File: all[len(all)-1].path, Offset: end.end, Frame: end.tail.seq + 1,
			Text: fmt.Sprintf("the log ends with commit %d, and the tables have commit %d", end.tail.seq, applied.seq)}
	}
	i := slices.IndexFunc(all, func(s *segment) bool { return s.newest().before.seq > applied.seq })
	if i == 0 {
		return last, what, &Damage{File: all[0].path, Offset: framesAt, Frame: applied.seq + 1,
			Text: fmt.Sprintf("the log begins with commit %d, and the tables end with commit %d", all[0].newest().before.seq+1,
				applied.seq)}
	}
	if i < 0 {
		i = len(all)
	}
	last = all[i-1].start()
	if last.seq == applied.seq && last.hash != applied.hash {
		return last, what, &Damage{File: all[i-1].path, Offset: framesAt, Frame: applied.seq,
			Text: "the tables have another commit of this number"}
	}
	if applied.segment == all[i-1].number && applied.end >= framesAt && applied.seq <= end.tail.seq {
		last = applied
	}
	for _, s := range all[i-1:] {
		if last.segment != s.number {
			if last.mark != s.newest().before {
				return last, what, &Damage{File: segmentOf(all, last.segment).path, Offset: last.end, Frame: last.seq + 1,
					Text: "what stands there is no whole commit"}
			}
			last = s.start()
		}
		last, err = s.scan(fs, last, func(payload []byte, at place) error {
			if at.seq == applied.seq && at.hash != applied.hash {
				return &Damage{File: s.path, Offset: at.end, Frame: at.seq, Text: "the tables have another commit of this number"}
			}
			if at.seq <= applied.seq {
				return nil
			}
			what.replayed++
			what.bytes += frameHead + int64(len(payload))
			return apply(payload, at)
		})
		if err != nil {
			return last, what, err
		}
	}
	what.torn, err = tornAt(all[len(all)-1], last, applied)
	if what.torn > 0 {
		err = notTorn(fs, all[len(all)-1], last)
	}
	return last, what, err
}

// notTorn returns the damage where a whole commit stands behind the place at which the last
// one seems to have been cut off.
func notTorn(fs vfs.FS, s *segment, last place) error {
	raw, err := contents(fs, s)
	if err != nil {
		return err
	}
	behind := uint64(0)
	if err := eachFrame(context.Background(), raw, func(at int, frame []byte) {
		if int64(at) >= last.end {
			behind = binary.LittleEndian.Uint64(frame[4:])
		}
	}); err != nil || behind <= last.seq+1 {
		return err
	}
	return &Damage{File: s.path, Offset: last.end, Frame: last.seq + 1,
		Text: fmt.Sprintf("what stands there is no whole commit, and commit %d stands behind it", behind)}
}

func segmentOf(all []*segment, number uint64) *segment {
	return all[slices.IndexFunc(all, func(s *segment) bool { return s.number == number })]
}

// tornAt judges where the whole frames end. One frame less than the head tells of
// may be one that was being written when the process or the power ended: the head
// and the frame are synced together, and either may come first.
func tornAt(s *segment, last place, applied place) (torn uint64, err error) {
	head := s.newest()
	switch {
	case last.seq < applied.seq && last.seq >= head.tail.seq:
		return 0, &Damage{File: s.path, Offset: last.end, Frame: last.seq + 1,
			Text: fmt.Sprintf("the log ends there, and the tables have commit %d", applied.seq)}
	case last.seq == head.tail.seq && last.hash != head.tail.hash:
		return 0, &Damage{File: s.path, Offset: last.end, Frame: last.seq,
			Text: "the head tells of another commit of this number"}
	case last.seq >= head.tail.seq:
		return 0, nil
	case last.seq+1 == head.tail.seq && !head.closed && applied.seq < head.tail.seq:
		return head.tail.seq, nil
	}
	return 0, &Damage{File: s.path, Offset: last.end, Frame: last.seq + 1,
		Text: fmt.Sprintf("what stands there is no whole commit, and the log goes on to commit %d", head.tail.seq)}
}
