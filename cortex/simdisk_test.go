package cortex

// The disk of a simulation: a sorted table for each first byte of a key. Commits
// are whole and durable when they return, until the power goes; then nothing is
// written any more. What disks do to halves of a commit is torture-power's matter.

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/cortex/journal"
)

var errPower = errors.New("the power is gone")

// simDisk is what stays when an engine goes.
type simDisk struct {
	host *host

	mu     sync.RWMutex
	tables [256][]simEntry
	log    []simCommit // all that was ever committed
	stamps map[uint64]stamp
	left   int  // commits until the power goes
	last   bool // the last of them is still written, though nobody hears of it
	armed  bool
	off    bool
}

type simEntry struct {
	key   string
	value []byte
}

// simCommit is what two runs are compared by.
type simCommit struct {
	hash  [32]byte
	first string // when, and its first key
}

func (d *simDisk) on() bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return !d.off
}

// cutAfter takes the power away after so many commits.
func (d *simDisk) cutAfter(commits int, last bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left, d.last, d.armed, d.off = commits, last, true, commits == 0
}

func (d *simDisk) repower() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.armed, d.off = false, false
}

func (d *simDisk) mount() journal.Store { return &simStore{disk: d} }

// simStore is the disk as one life sees it.
type simStore struct{ disk *simDisk }

func (s *simStore) Room() error  { return nil }
func (s *simStore) Close() error { return nil }

func (s *simStore) Err() error {
	if !s.disk.on() {
		return errPower
	}
	return nil
}

func (s *simStore) Get(key []byte) ([]byte, error) {
	s.disk.mu.RLock()
	defer s.disk.mu.RUnlock()
	table := s.disk.tables[key[0]]
	if i, ok := find(table, string(key)); ok {
		return bytes.Clone(table[i].value), nil
	}
	return nil, nil
}

// Scan sees each table as it was when it got there; nobody asks for more than one
// at a time but to see whether there is anything at all.
func (s *simStore) Scan(lo, hi []byte, f func(key, value []byte) bool) error {
	first, last := 0, 255
	if len(lo) > 0 {
		first = int(lo[0])
	}
	if hi != nil {
		last = int(hi[0])
	}
	for n := first; n <= last; n++ {
		for _, e := range s.disk.between(n, lo, hi) {
			if !f([]byte(e.key), e.value) {
				return nil
			}
		}
	}
	return nil
}

func (d *simDisk) between(n int, lo, hi []byte) []simEntry {
	d.mu.RLock()
	defer d.mu.RUnlock()
	table := d.tables[n]
	from, _ := find(table, string(lo))
	to := len(table)
	if hi != nil {
		to, _ = find(table, string(hi))
	}
	return slices.Clone(table[from:max(from, to)])
}

func find(table []simEntry, key string) (int, bool) {
	return slices.BinarySearchFunc(table, key, func(e simEntry, k string) int { return cmp.Compare(e.key, k) })
}

func (s *simStore) Commit(writes []journal.Write) error {
	d := s.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.armed && !d.off {
		if d.left--; d.left <= 0 {
			d.off = true
			if d.last {
				d.apply(writes)
			}
		}
	}
	if d.off {
		return errPower
	}
	d.apply(writes)
	return nil
}

func (d *simDisk) apply(writes []journal.Write) {
	sum := sha256.New()
	for _, w := range writes {
		_, _ = fmt.Fprintf(sum, "%q %t %q\n", w.Key, w.Value == nil, w.Value)
		table := d.tables[w.Key[0]]
		i, ok := find(table, string(w.Key))
		switch {
		case ok && w.Value == nil:
			table = slices.Delete(table, i, i+1)
		case ok:
			table[i].value = bytes.Clone(w.Value)
		case w.Value != nil:
			table = slices.Insert(table, i, simEntry{string(w.Key), bytes.Clone(w.Value)})
		}
		d.tables[w.Key[0]] = table
		if len(w.Key) == 9 && w.Key[0] == 'e' && w.Value != nil {
			d.stamps[binary.BigEndian.Uint64(w.Key[1:])] = d.host.stamp()
		}
	}
	d.log = append(d.log, simCommit{[32]byte(sum.Sum(nil)), fmt.Sprintf("%s %q %v", d.host.now().Format(time.RFC3339Nano), writes[0].Key, kindsIn(writes))})
}

func (d *simDisk) stamp(seq uint64) stamp {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.stamps[seq]
}

// differs returns the first commit that another disk has not, or "".
func (d *simDisk) differs(other *simDisk) string {
	for i := range max(len(d.log), len(other.log)) {
		if i >= len(d.log) || i >= len(other.log) {
			return fmt.Sprintf("%d commits and %d", len(d.log), len(other.log))
		}
		if d.log[i] != other.log[i] {
			return fmt.Sprintf("commit %d of %d: %s and %s", i, len(d.log), d.log[i].first, other.log[i].first)
		}
	}
	return ""
}
