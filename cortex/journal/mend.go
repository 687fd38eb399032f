package journal

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/opencortex-go/cortex/sexpr"
)

// Lost is a contiguous run of lost records of one kind: missing records that
// retention did not remove.
type Lost struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
	Kind string `json:"kind,omitempty"` // "" if unknown
}

// String describes the run briefly.
func (l Lost) String() string {
	kind := l.Kind
	if kind == "" {
		kind = "of an unknown kind"
	}
	if l.From == l.To {
		return fmt.Sprintf("record %d, %s", l.From, kind)
	}
	return fmt.Sprintf("records %d to %d, %s", l.From, l.To, kind)
}

// WholeRecord reports whether w writes a record that matches its own hash.
func WholeRecord(w Write) bool {
	seq := RecordIn(w)
	if seq == 0 || seq > maxSeq {
		return false
	}
	_, err := decodeAt(seq, w.Value)
	return err == nil
}

// Mending repairs a journal with missing records so that it verifies. Its input is
// all remaining entries, its output the entries to write in addition.
type Mending struct {
	there  map[uint64]link
	texts  map[string][]byte // of retention records, by key
	kinds  map[string]bool
	runs   []run // of records that are there
	bounds *boundary
	head   Head
	lost   []Lost
	writes []Write
}

// link is the part of a record that links it into the chain.
type link struct{ prev, hash sexpr.Digest }

// NewMending begins with an empty journal.
func NewMending() *Mending {
	return &Mending{there: map[uint64]link{}, texts: map[string][]byte{}, kinds: map[string]bool{}}
}

// Add adds one remaining entry, and replaces an earlier one under the same key. It
// ignores entries that are not records, and damaged records.
func (m *Mending) Add(w Write) {
	seq := RecordIn(w)
	if seq == 0 || seq > maxSeq {
		return
	}
	delete(m.there, seq)
	delete(m.texts, string(w.Key))
	if w.Value == nil {
		return
	}
	r, err := decodeAt(seq, w.Value)
	if err != nil {
		return
	}
	m.there[seq], m.kinds[r.Kind] = link{r.Prev, r.Hash}, true
	if r.Kind == KindRetention {
		m.texts[string(w.Key)] = slices.Clone(w.Value)
	}
}

// Has reports whether a record of this kind remains.
func (m *Mending) Has(kind string) bool { return m.kinds[kind] }

// Get returns a retention record in its stored form.
func (m *Mending) Get(key []byte) ([]byte, error) { return m.texts[string(key)], nil }

func (m *Mending) set(key, value []byte) {
	m.writes = append(m.writes, Write{Key: slices.Clone(key), Value: value})
}

// Newest is the newest remaining record.
func (m *Mending) Newest() (newest uint64) {
	for seq := range m.there {
		newest = max(newest, seq)
	}
	return newest
}

// Finish returns the entries to write: the head, and, if records are missing, a
// record of kind [KindRetention] at the chain's end that lists them (:lost) and keeps
// all others. newest is the newest record of which there is any trace. Lost records
// after the last remaining one appear only in that list, and their numbers are used
// again. more says that other entries are lost, too; then the record is always
// written.
func (m *Mending) Finish(newest uint64, more bool, now time.Time) (writes []Write, lost []Lost, err error) {
	if newest == 0 && len(m.there) == 0 {
		return nil, nil, nil // not a journal
	}
	m.bound()
	m.connect()
	m.missing(newest)
	switch {
	case len(m.lost) > 0 || more:
		err = m.note(now)
	case m.bounds.raw != nil:
		m.set(boundaryKey(), m.bounds.raw)
	}
	m.set(headKey(), m.head.seal())
	return m.writes, m.lost, err
}

// run is a contiguous run of intact records.
type run struct {
	Span
	prev sexpr.Digest // the hash before the first one
}

// bound finds the newest retention boundary that can still be derived.
func (m *Mending) bound() {
	for _, key := range slices.Backward(slices.Sorted(maps.Keys(m.texts))) {
		seq := seqOf([]byte(key))
		b := &boundary{last: Head{Seq: seq, Hash: m.there[seq].hash}}
		b.raw = b.seal()
		if b.fold(m) == nil {
			m.bounds = b
			return
		}
	}
	m.bounds = &boundary{}
}

// connect finds the contiguous runs.
func (m *Mending) connect() {
	for _, seq := range slices.Sorted(maps.Keys(m.there)) {
		if m.bounds.removed(seq) { // a remnant of an older state of the disk
			m.set(recordKey(seq), nil)
			continue
		}
		r := m.there[seq]
		if n := len(m.runs); n > 0 && m.runs[n-1].To+1 == seq {
			m.runs[n-1].To, m.runs[n-1].Hash = seq, r.hash
		} else {
			m.runs = append(m.runs, run{Span{seq, seq, r.hash}, r.prev})
		}
		m.head = Head{Seq: seq, Hash: r.hash}
	}
}

// missing lists the records that should be there.
func (m *Mending) missing(newest uint64) {
	next := uint64(1)
	add := func(from, to uint64) {
		for from = m.bounds.due(from); from <= to; from = m.bounds.due(from) {
			last := to
			if s, ok := m.bounds.span(from); ok && from <= m.bounds.to.Seq {
				last = min(to, s.To)
			}
			m.lost = append(m.lost, Lost{From: from, To: last})
			from = last + 1
		}
	}
	for _, r := range m.runs {
		add(next, r.From-1)
		next = r.To + 1
	}
	if newest >= next {
		add(next, newest)
	}
}

// note writes the record that lists the lost records, and moves the retention
// boundary behind the last gap.
func (m *Mending) note(now time.Time) error {
	to := m.bounds.to
	var list, kept []sexpr.Value
	for _, l := range m.lost {
		list = append(list, sexpr.Plist("from", sexpr.Int64(int64(l.From)), "to", sexpr.Int64(int64(l.To))))
	}
	for _, r := range m.runs {
		if r.From > 1 && r.From-1 > to.Seq {
			to = Head{Seq: r.From - 1, Hash: r.prev}
		}
	}
	for _, r := range m.runs {
		if r.From > to.Seq {
			break
		}
		s := r.Span
		if s.To > to.Seq { // the boundary of retention lies in it
			s.To, s.Hash = to.Seq, to.Hash
		}
		kept = append(kept, sexpr.Plist("from", sexpr.Int64(int64(s.From)), "hash", sexpr.Str(s.Hash.String()),
			"to", sexpr.Int64(int64(s.To))))
	}
	if len(kept) > maxSpans || len(list) > maxSpans {
		return ErrScattered
	}
	r := Record{Seq: m.head.Seq + 1, Kind: KindRetention, At: now.UnixNano(), Prev: m.head.Hash, Body: sexpr.Plist(
		"boundary", sexpr.Int64(int64(to.Seq)), "from", sexpr.Int64(1), "full", sexpr.Bool(true), "gone", sexpr.ListOf(),
		"hash", sexpr.Str(to.Hash.String()),
		"kept", sexpr.ListOf(kept...), "lost", sexpr.ListOf(list...), "previous", sexpr.Int64(int64(m.bounds.last.Seq)),
		"removed", sexpr.Int64(0), "to", sexpr.Int64(int64(to.Seq)))}
	raw, err := sealed(&r)
	if err != nil {
		return err
	}
	m.head = Head{Seq: r.Seq, Hash: r.Hash}
	m.set(recordKey(r.Seq), raw)
	b := &boundary{last: m.head}
	m.set(boundaryKey(), b.seal())
	return nil
}

// Mended returns the record that lists the losses of the last repair; 0 if there is
// none, or if retention has moved on since.
func (j *Journal) Mended() (uint64, error) {
	b, err := boundaryOf(j.store, &j.bounds)
	if err != nil || b.last.Seq == 0 {
		return 0, err
	}
	r, err := j.Read(b.last.Seq)
	if _, lost := r.Body.Get("lost"); err != nil || !lost {
		return 0, err
	}
	return r.Seq, nil
}
