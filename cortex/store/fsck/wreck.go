package fsck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/tables"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
)

// wreck is one file of the tables, of which parts may not be readable.
type wreck struct {
	path string
	gaps []gap
}

// gap is a part of a table that cannot be read: the keys between two others, which it
// does not include. to is nil where there is none behind it.
type gap struct{ from, to []byte }

// openTables looks at all versions of all keys that the tables' files give back.
func (s *salvage) openTables(ctx context.Context) error {
	live, known := s.x.tables.files()
	s.all, s.complete = known, known
	names, err := s.x.disk.List(s.x.dir)
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		if !strings.HasSuffix(name, ".sst") {
			continue
		}
		if !live[name] { // it is of no use any more, or Pebble's list of files has lost its end
			s.all = false
		}
		delete(live, name)
		part := len(s.parts)
		s.parts = append(s.parts, &wreck{path: s.x.disk.PathJoin(s.x.dir, name)})
		err := s.readTable(ctx, part, func(key []byte, v version, value func() ([]byte, error)) error {
			if old, ok := s.newest[string(key)]; !ok || old.number <= v.number && (old.part != v.part || old.number < v.number) {
				s.newest[string(key)] = v
				return s.reached(key, value)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if len(live) > 0 { // a file is not there
		s.all, s.complete = false, false
	}
	return nil
}

// reached takes note of how far the tables say that they have come.
func (s *salvage) reached(key []byte, value func() ([]byte, error)) error {
	if !bytes.Equal(key, tables.AppliedKey) {
		return nil
	}
	raw, err := value()
	if err != nil {
		return &unreadable{err}
	}
	if at, err := wal.ParsePlace(raw); err == nil && at.Seq > s.at.Seq {
		s.at = at.Mark
	}
	return nil
}

// files are the names of the tables' files, if it is known which these are.
func (t *tableReading) files() (live map[string]bool, known bool) {
	if t.db == nil {
		return nil, false
	}
	err := t.death.Alive(func() error {
		levels, err := t.db.SSTables()
		live = map[string]bool{}
		for _, level := range levels {
			for _, table := range level {
				live[fmt.Sprintf("%s.sst", table.BackingSSTNum)] = true
			}
		}
		return err
	})
	return live, err == nil
}

// readTable calls f with each version of each key in one file that can be read, and
// notes the gaps.
func (s *salvage) readTable(ctx context.Context, part int,
	f func(key []byte, v version, value func() ([]byte, error)) error) error {
	p := s.parts[part]
	p.gaps = nil
	r, err := openTable(s.x.disk.FS, p.path)
	if err != nil {
		p.gaps = []gap{{}}
		return nil //nolint:nilerr // nothing of it can be had
	}
	defer func() { _ = r.Close() }() // it was only read
	var last []byte                  // the last key that was read
	for from := []byte{0}; from != nil && err == nil; {
		err = s.someOf(r, &last, from, func(key []byte, v version, value func() ([]byte, error)) error {
			if n := len(p.gaps); n > 0 && p.gaps[n-1].to == nil {
				p.gaps[n-1].to = bytes.Clone(key)
			}
			v.part = part
			return errors.Join(f(key, v, value), context.Cause(ctx))
		})
		var end *unreadable
		if !errors.As(err, &end) {
			break
		}
		err = nil
		if n := len(p.gaps); n == 0 || p.gaps[n-1].to != nil {
			p.gaps = append(p.gaps, gap{from: bytes.Clone(last)})
		}
		if from = bytesMax(last, from); bytes.Equal(from, last) {
			s.step = 0
		}
		from = s.candidate(from)
	}
	return err
}

// fromTables adds the newest version of each key in the tables, and takes away what
// they do not have any more.
func (s *salvage) fromTables(ctx context.Context, put func(journal.Write) error) error {
	before := make(map[string]bool, len(s.state))
	for k := range s.state {
		before[k] = true
	}
	for part := range s.parts {
		err := s.readTable(ctx, part, func(key []byte, v version, value func() ([]byte, error)) error {
			if s.newest[string(key)] != v || len(key) == 0 || key[0] == tables.Own || s.all && s.inGap(key) &&
				before[string(key)] {
				return nil
			}
			w := journal.Write{Key: bytes.Clone(key)}
			if !v.gone {
				b, err := value()
				if err != nil {
					return &unreadable{err}
				}
				w.Value = append([]byte{}, b...)
			}
			return put(w)
		})
		if err != nil {
			return err
		}
	}
	if !s.all {
		return nil
	}
	for k := range before {
		if _, ok := s.newest[k]; !ok && !s.inGap([]byte(k)) {
			if err := put(journal.Write{Key: []byte(k)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// inGap reports whether a key may stand in a part of the tables that cannot be read.
func (s *salvage) inGap(key []byte) bool {
	for _, p := range s.parts {
		for _, g := range p.gaps {
			if bytes.Compare(key, g.from) > 0 && (g.to == nil || bytes.Compare(key, g.to) < 0) {
				return true
			}
		}
	}
	return false
}
