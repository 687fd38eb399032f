package wal

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
)

// Found is what opening a log came upon.
type Found struct {
	Replayed int    // frames that Pebble did not have
	Bytes    int64  // of those
	Torn     uint64 // a frame that was cut off: it was never acknowledged, or its end is damaged; 0 for none
}

// Open opens the log in dir, or begins one. applied is the last frame that
// Pebble has; apply is called with each that follows.
func Open(disk *guard.Disk, dir string, most int64, applied Place,
	apply func(payload []byte, at Place) error) (*Log, Found, error) {
	l := New(disk, dir, most)
	var what Found
	all, err := l.survey(applied)
	if err != nil {
		return nil, what, err
	}
	if len(all) == 0 {
		return l, what, l.Begin(1, Mark{})
	}
	// What is found in the last segment need not have been synced by the process
	// that wrote it, and Pebble must not be ahead of it.
	l.seg = all[len(all)-1]
	err = disk.Do("create", l.seg.Path, func() (err error) {
		l.file, err = disk.FS.OpenReadWrite(l.seg.Path, vfs.WriteCategoryUnspecified)
		return err
	})
	if err != nil {
		return nil, what, err
	}
	if err = l.sync(); err == nil {
		l.tail, what, err = replay(disk.FS, all, applied, apply)
	}
	if err == nil {
		err = l.resume(what.Torn > 0)
	}
	if err != nil {
		return nil, what, errors.Join(err, l.file.Close())
	}
	return l, what, nil
}

// survey lists the segments of a log whose files fit one another, and clears away
// what an end of the process has left.
func (l *Log) survey(applied Place) ([]*Segment, error) {
	if err := guard.MakeDir(l.disk, l.dir); err != nil {
		return nil, err
	}
	if err := l.clear(); err != nil {
		return nil, err
	}
	all, err := Segments(l.disk.FS, l.dir)
	if err != nil {
		return nil, err
	}
	based, err := Bases(l.disk.FS, l.dir)
	if err != nil {
		return nil, err
	}
	if n := len(all); n > 0 && all[n-1].Unmade() && (n > 1 || applied.Seq == 0 && len(based) == 0) {
		if err := l.remove(all[n-1].Path); err != nil {
			return nil, err
		}
		all = all[:n-1]
	}
	if len(all) == 0 {
		if applied.Seq > 0 || len(based) > 0 {
			return nil, &guard.Damage{File: l.dir, Frame: applied.Seq, Text: "the log is gone"}
		}
		return nil, nil
	}
	if n := len(based); n > 0 {
		if err := based[n-1].cut(l.disk.FS); err != nil { // before anything is removed for it
			return nil, err
		}
	}
	if n := len(based); n > 0 && applied.Seq >= based[n-1].At.Seq {
		if all, err = l.forget(all, based); err != nil {
			return nil, err
		}
	}
	if err := connected(all); err != nil {
		return nil, err
	}
	for _, s := range all {
		l.bytes.Add(s.Size)
	}
	return all, grounded(all[0], based)
}

// clear removes a base that was being made when the process ended.
func (l *Log) clear() error {
	names, err := l.disk.FS.List(l.dir)
	for _, name := range names {
		if err == nil && strings.HasSuffix(name, newSuffix) {
			err = l.remove(l.disk.PathJoin(l.dir, name))
		}
	}
	return err
}

// connected checks that segments are as large as they should be, and follow one another.
func connected(all []*Segment) error {
	for i, s := range all {
		if s.Newest() == nil {
			return &guard.Damage{File: s.Path, Text: "neither of its heads can be read"}
		}
		if err := s.Cut(); err != nil {
			return err
		}
		if i == 0 {
			continue
		}
		was := all[i-1]
		// One that lost its newer head names the frame before the last.
		if n := was.Newest().Tail; n != s.Newest().Before && n.Seq+1 != s.Newest().Before.Seq {
			return &guard.Damage{File: was.Path, Offset: was.Newest().End, Frame: n.Seq + 1,
				Text: fmt.Sprintf("it ends with commit %d, and the next segment follows on commit %d", n.Seq,
					s.Newest().Before.Seq)}
		}
	}
	return nil
}

// grounded checks that the first segment begins where the base ends, or before it.
func grounded(first *Segment, based []*Base) error {
	var from Mark
	if n := len(based); n > 0 {
		from = based[n-1].At
	}
	begins := first.Newest().Before
	if begins.Seq > from.Seq || begins.Seq == from.Seq && begins != from {
		return &guard.Damage{File: first.Path, Frame: begins.Seq + 1,
			Text: fmt.Sprintf("the log begins behind commit %d, and its base is of commit %d", begins.Seq, from.Seq)}
	}
	return nil
}
