package record

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/opencortex-go/cortex/sexpr"
)

// Part is what keys are made of. A text ends with a zero byte, which names are not allowed
// to have ([Named]), so that no key is the beginning of another. Numbers are big-endian.
type Part interface {
	string | Setting | OpenCount | uint64 | sexpr.Digest
}

// Table1 is a table whose keys have one part. Its value is the first byte of each key.
type Table1[A Part] byte

// Table2 is a table whose keys have two parts.
type Table2[A, B Part] byte

// Table3 is a table whose keys have three parts.
type Table3[A, B, C Part] byte

// Key returns the key of an entry.
func (t Table1[A]) Key(a A) []byte { return put(begin(byte(t)), a) }

// Key returns the key of an entry.
func (t Table2[A, B]) Key(a A, b B) []byte { return put(put(begin(byte(t)), a), b) }

// Key returns the key of an entry.
func (t Table3[A, B, C]) Key(a A, b B, c C) []byte { return put(put(put(begin(byte(t)), a), b), c) }

// Under returns how every key with this first part begins.
func (t Table2[A, B]) Under(a A) []byte { return put(begin(byte(t)), a) }

// Under returns how every key with this first part begins.
func (t Table3[A, B, C]) Under(a A) []byte { return put(begin(byte(t)), a) }

// UnderBoth returns how every key with these two parts begins.
func (t Table3[A, B, C]) UnderBoth(a A, b B) []byte { return put(put(begin(byte(t)), a), b) }

// Scan calls f with every entry until f returns an error. The value holds until f returns.
func (t Table1[A]) Scan(r Reader, f func(a A, value []byte) error) error {
	return Scan(r, begin(byte(t)), func(k, v []byte) error {
		p := partsOf(k)
		a := next[A](&p)
		if err := p.end(); err != nil {
			return err
		}
		return f(a, v)
	})
}

// Scan is [Table1.Scan] for the entries under a first part.
func (t Table2[A, B]) Scan(r Reader, a A, f func(b B, value []byte) error) error {
	return Scan(r, t.Under(a), t.each(f))
}

// Range is Scan from one second part up to another, which is left out.
func (t Table2[A, B]) Range(r Reader, a A, from, to B, f func(b B, value []byte) error) error {
	return scanRange(r, t.Key(a, from), t.Key(a, to), t.each(f))
}

func (t Table2[A, B]) each(f func(b B, value []byte) error) func(k, v []byte) error {
	return func(k, v []byte) error {
		p := partsOf(k)
		_, b := next[A](&p), next[B](&p)
		if err := p.end(); err != nil {
			return err
		}
		return f(b, v)
	}
}

// Scan is [Table1.Scan].
func (t Table3[A, B, C]) Scan(r Reader, f func(a A, b B, c C, value []byte) error) error {
	return Scan(r, begin(byte(t)), t.each(f))
}

// ScanUnder is [Table1.Scan] for the entries under a first part.
func (t Table3[A, B, C]) ScanUnder(r Reader, a A, f func(b B, c C, value []byte) error) error {
	return Scan(r, t.Under(a), t.each(func(_ A, b B, c C, v []byte) error { return f(b, c, v) }))
}

func (t Table3[A, B, C]) each(f func(a A, b B, c C, value []byte) error) func(k, v []byte) error {
	return func(k, v []byte) error {
		p := partsOf(k)
		a, b, c := next[A](&p), next[B](&p), next[C](&p)
		if err := p.end(); err != nil {
			return err
		}
		return f(a, b, c, v)
	}
}

// begin begins a key. Few keys are longer than the space it takes.
func begin(table byte) []byte { return append(make([]byte, 0, 64), table) }

// put puts a part at the end of a key.
func put[P Part](key []byte, part P) []byte {
	switch p := any(part).(type) {
	case string:
		key = append(append(key, p...), 0)
	case Setting:
		key = append(append(key, p...), 0)
	case OpenCount:
		key = append(append(key, p...), 0)
	case uint64:
		key = binary.BigEndian.AppendUint64(key, p)
	case sexpr.Digest:
		key = append(key, p[:]...)
	}
	return key
}

// parts reads a key, part by part.
type parts struct {
	key, rest []byte
	short     bool // the key ended within a part
}

func partsOf(key []byte) parts { return parts{key: key, rest: key[1:]} }

// next reads the next part.
func next[P Part](p *parts) (part P) {
	switch to := any(&part).(type) {
	case *string:
		*to = p.text()
	case *Setting:
		*to = Setting(p.text())
	case *OpenCount:
		*to = OpenCount(p.text())
	case *uint64:
		*to = AsNumber(p.bytes(8))
	case *sexpr.Digest:
		copy(to[:], p.bytes(len(to)))
	}
	return part
}

func (p *parts) text() string {
	text, rest, ok := bytes.Cut(p.rest, []byte{0})
	p.rest, p.short = rest, p.short || !ok
	return string(text)
}

func (p *parts) bytes(n int) []byte {
	if len(p.rest) < n {
		p.rest, p.short = nil, true
		return nil
	}
	out := p.rest[:n]
	p.rest = p.rest[n:]
	return out
}

// end returns an error if the key was not made of the parts that were read.
func (p *parts) end() error {
	if p.short || len(p.rest) > 0 {
		return fmt.Errorf("table %c: malformed key %x", p.key[0], p.key)
	}
	return nil
}
