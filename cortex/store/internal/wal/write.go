package wal

import "github.com/opencortex-go/cortex/cortex/store/internal/guard"

// zeros are what a segment is filled with. They are never written to, so that they
// take up no memory.
var zeros [growBy]byte

// fill has the file reach to end and beyond, so that its size does not change with
// each commit.
func (l *Log) fill(end int64) error {
	if end <= l.filled {
		return nil
	}
	upTo := max(min(end+growBy, l.most), end)
	for at := l.filled; at < upTo; at += int64(len(zeros)) {
		if err := l.write(zeros[:min(upTo-at, int64(len(zeros)))], at); err != nil {
			return guard.Full(err) // what there is of it does no harm
		}
	}
	if err := l.sync(); err != nil {
		return err
	}
	l.bytes.Add(upTo - l.filled)
	l.filled = upTo
	return nil
}

// head writes the next slot.
func (l *Log) head(closed bool) error {
	s := Slot{Turn: l.turn + 1, Before: l.seg.Newest().Before, Tail: l.tail.Mark, End: l.tail.End, Closed: closed}
	l.slot = s.append(l.slot[:0])
	if err := l.write(l.slot, int64(s.Turn%2)*SlotBlock); err != nil {
		return err
	}
	l.turn, l.seg.slots[s.Turn%2] = s.Turn, &s
	return nil
}

// erase makes sure that no frame stands behind the tail.
func (l *Log) erase() error {
	if l.tail.End+FrameHead > l.filled {
		return nil
	}
	return l.write(make([]byte, FrameHead), l.tail.End)
}

func (l *Log) write(b []byte, at int64) error {
	return l.disk.Do("write", l.seg.Path, func() error {
		n, err := l.file.WriteAt(b, at)
		return guard.Short(n, b, err)
	})
}

func (l *Log) sync() error { return l.disk.Do("sync", l.seg.Path, l.file.SyncData) }

// remove removes a file of the log.
func (l *Log) remove(path string) error {
	return l.disk.Do("remove", path, func() error { return l.disk.FS.Remove(path) })
}
