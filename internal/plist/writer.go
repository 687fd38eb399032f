package plist

import (
	"fmt"

	"github.com/opencortex-go/cortex/sexpr"
)

// Writer prints a plist in canonical form while its members are put, without building
// a value. Members must be put in canonical order; [Writer.End] returns an error if
// one is not. A reused Writer does not allocate.
type Writer struct {
	text  []byte
	depth int    // of the lists that the plist stands in
	open  []part // that are not closed, the outermost first
	err   error  // the first
}

// part is a plist or a list that is being printed.
type part struct {
	from    int    // where its text begins, with its key
	list    bool   // of plists
	members int    // so far
	last    string // the key that was put last, and ...
	before  string // ... the one before that
}

// maxRoom bounds the room for text that a Writer keeps, in bytes.
const maxRoom = 1 << 20

// Begin forgets what was printed and begins a plist that stands inside depth lists.
func (w *Writer) Begin(depth int) {
	if cap(w.text) > maxRoom {
		w.text = nil
	}
	w.text, w.depth, w.open, w.err = w.text[:0], depth, append(w.open[:0], part{}), nil
}

// End returns the text, which is valid until the next Begin, or the first error:
// a member out of order, or one that has no canonical form.
func (w *Writer) End() ([]byte, error) {
	if len(w.open) != 1 {
		w.fail(fmt.Errorf("a plist ends %d parts deep", len(w.open)-1))
	}
	if w.err != nil {
		return nil, w.err
	}
	w.end(w.open[0])
	return w.text, nil
}

func (w *Writer) end(p part) {
	if p.members == 0 {
		w.text = append(w.text, "{}"...)
		return
	}
	w.text = append(w.text, ')')
}

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// member begins a member: what follows is its value.
func (w *Writer) member(key string) {
	p := &w.open[len(w.open)-1]
	lead := byte(' ')
	if p.members == 0 {
		lead = '('
	}
	w.text = append(w.text, lead)
	p.members++
	if p.list {
		return
	}
	if p.members > 1 && key <= p.last {
		w.fail(fmt.Errorf("the key :%s is put after :%s, which comes later in canonical order", key, p.last))
	}
	p.before, p.last = p.last, key
	var err error
	if w.text, err = sexpr.AppendKey(w.text, key); err != nil {
		w.fail(err)
	}
	w.text = append(w.text, ' ')
}

func (w *Writer) print(v sexpr.Value) {
	var err error
	if w.text, err = sexpr.AppendCanonicalIn(w.text, w.depth+len(w.open), v); err != nil {
		w.fail(err)
	}
}

// Add implements [Sink].
func (w *Writer) Add(key string, v sexpr.Value) {
	w.member(key)
	w.print(v)
}

// Text implements [Sink].
func (w *Writer) Text(key, s string) {
	if s != "" {
		w.Add(key, sexpr.Str(s))
	}
}

// Int implements [Sink].
func (w *Writer) Int(key string, i int64) {
	if i != 0 {
		w.Add(key, sexpr.Int64(i))
	}
}

// True implements [Sink].
func (w *Writer) True(key string, x bool) {
	if x {
		w.Add(key, sexpr.T())
	}
}

// Value implements [Sink].
func (w *Writer) Value(key string, v sexpr.Value) {
	if !v.IsNil() {
		w.Add(key, v)
	}
}

// Digest implements [Sink].
func (w *Writer) Digest(key string, d sexpr.Digest) {
	if !d.IsZero() {
		w.member(key)
		w.text = append(d.Append(append(w.text, '"')), '"')
	}
}

// Open implements [Sink].
func (w *Writer) Open(key string) { w.begin(key, false) }

// OpenList implements [Sink].
func (w *Writer) OpenList(key string) { w.begin(key, true) }

func (w *Writer) begin(key string, list bool) {
	from := len(w.text)
	w.member(key)
	w.open = append(w.open, part{from: from, list: list})
}

// Close implements [Sink].
func (w *Writer) Close() (empty bool) {
	last := len(w.open) - 1
	p, in := w.open[last], &w.open[last-1]
	w.open = w.open[:last]
	if p.members > 0 || in.list {
		w.end(p)
		return false
	}
	w.text = w.text[:p.from]
	in.members, in.last = in.members-1, in.before
	return true
}
