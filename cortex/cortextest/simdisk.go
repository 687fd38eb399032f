package cortextest

// The disk of a simulation: a sorted table for each first byte of a key. Commits
// are whole and durable when they return, until the power goes; then nothing is
// written any more. What disks do to halves of a commit is torture-power's matter.

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// simDisk is what stays when an engine goes.
type simDisk struct {
	clock *Clock
	begun time.Time

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

// simCommit is what two lives are compared by.
type simCommit struct {
	at     time.Duration // since the simulation began
	wall   time.Time     // what the engine took it for
	writes []journal.Write
}

func (c simCommit) String() string {
	return fmt.Sprintf("day %d + %v, by its clock %s: %q %v", c.at/simDay, c.at%simDay, c.wall.Format(time.RFC3339Nano),
		c.writes[0].Key, kindsIn(c.writes))
}

// differs returns the first write that another commit has not, in both, or "".
func (c simCommit) differs(other simCommit) string {
	for i := range max(len(c.writes), len(other.writes)) {
		if i >= len(c.writes) || i >= len(other.writes) {
			return fmt.Sprintf("%d writes and %d", len(c.writes), len(other.writes))
		}
		one, two := fmt.Sprintf("%q", c.writes[i]), fmt.Sprintf("%q", other.writes[i])
		if one == two {
			continue
		}
		from := 0
		for from < min(len(one), len(two)) && one[from] == two[from] {
			from++
		}
		from = max(0, from-40)
		return fmt.Sprintf("write %d: ...%.200s and ...%.200s", i, one[from:], two[from:])
	}
	if c.at != other.at || !c.wall.Equal(other.wall) {
		return "the same at another time"
	}
	return ""
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
		return ErrPower
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
		return ErrPower
	}
	d.apply(writes)
	return nil
}

func (d *simDisk) apply(writes []journal.Write) {
	kept := make([]journal.Write, len(writes))
	for n, w := range writes {
		w = journal.Write{Key: bytes.Clone(w.Key), Value: bytes.Clone(w.Value)}
		kept[n] = w
		table := d.tables[w.Key[0]]
		i, ok := find(table, string(w.Key))
		switch {
		case ok && w.Value == nil:
			table = slices.Delete(table, i, i+1)
		case ok:
			table[i].value = w.Value
		case w.Value != nil:
			table = slices.Insert(table, i, simEntry{string(w.Key), w.Value})
		}
		d.tables[w.Key[0]] = table
		if len(w.Key) == 9 && w.Key[0] == 'e' && w.Value != nil {
			d.stamps[binary.BigEndian.Uint64(w.Key[1:])] = stampOf(d.clock)
		}
	}
	d.log = append(d.log, simCommit{time.Since(d.begun), d.clock.Now(), kept})
}

func (d *simDisk) stamp(seq uint64) stamp {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.stamps[seq]
}

// differs tells of the first commit that another disk has not, and of those around
// it, or returns "".
func (d *simDisk) differs(other *simDisk) string {
	n := 0
	for n < min(len(d.log), len(other.log)) && d.log[n].differs(other.log[n]) == "" {
		n++
	}
	if n == len(d.log) && n == len(other.log) {
		return ""
	}
	text := fmt.Sprintf("%d commits are the same", n)
	if n < min(len(d.log), len(other.log)) {
		text += "; then " + d.log[n].differs(other.log[n])
	}
	for _, c := range d.log[max(0, n-5):n] {
		text += fmt.Sprint("\n both ", c)
	}
	for i, log := range [][]simCommit{d.log, other.log} {
		for _, c := range log[n:min(n+5, len(log))] {
			text += fmt.Sprintf("\n %s %s", []string{"one ", "two "}[i], c)
		}
	}
	return text
}

// digest stands for all that was ever committed, and when, so that two processes
// can be compared: the SHA-256 in hexadecimal.
func (d *simDisk) digest() string {
	h := sha256.New()
	for _, c := range d.log {
		_, _ = fmt.Fprintf(h, "%d %d %d\n", c.at, c.wall.UnixNano(), len(c.writes))
		for _, w := range c.writes {
			_, _ = fmt.Fprintf(h, "%q %q\n", w.Key, w.Value)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// kindsIn lists the kinds of the records in a commit, each once.
func kindsIn(writes []journal.Write) []string {
	found := map[string]bool{}
	for _, w := range writes {
		if len(w.Key) != 9 || w.Key[0] != 'e' {
			continue
		}
		if _, rest, ok := strings.Cut(string(w.Value[max(0, bytes.LastIndex(w.Value, []byte(`:kind "`))):]), `"`); ok {
			kind, _, _ := strings.Cut(rest, `"`)
			found[kind] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// stampOf is what a clock shows.
func stampOf(c *Clock) stamp {
	boot, up := c.Uptime()
	return stamp{c.Now(), boot, up}
}
