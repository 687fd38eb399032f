// Package plist writes and reads the property lists of records.
//
// A [Builder] or [Writer] omits zero values. A [Reader] returns zero for absent
// members and keeps the first error about a member of the wrong kind.
package plist

import (
	"fmt"
	"math"
	"slices"

	"github.com/opencortex-go/cortex/sexpr"
)

// Builder is a plist under construction. The zero Builder is ready.
type Builder struct {
	items []sexpr.Value // of all that is open, the outermost first
	open  []opened
}

// opened is a plist or list that is not closed.
type opened struct {
	from int  // its first item
	key  bool // it stands under one
}

// Add implements [Sink].
func (b *Builder) Add(key string, v sexpr.Value) {
	if b.items == nil {
		b.items = make([]sexpr.Value, 0, 16) // eight members are more than most have
	}
	b.items = append(b.items, sexpr.Key(key), v)
}

// Text implements [Sink].
func (b *Builder) Text(key, s string) {
	if s != "" {
		b.Add(key, sexpr.Str(s))
	}
}

// Int implements [Sink].
func (b *Builder) Int(key string, i int64) {
	if i != 0 {
		b.Add(key, sexpr.Int64(i))
	}
}

// True implements [Sink].
func (b *Builder) True(key string, x bool) {
	if x {
		b.Add(key, sexpr.T())
	}
}

// Value implements [Sink].
func (b *Builder) Value(key string, v sexpr.Value) {
	if !v.IsNil() {
		b.Add(key, v)
	}
}

// Digest implements [Sink].
func (b *Builder) Digest(key string, d sexpr.Digest) {
	if !d.IsZero() {
		b.Add(key, sexpr.Str(d.String()))
	}
}

// Open implements [Sink].
func (b *Builder) Open(key string) {
	if key != "" {
		b.items = append(b.items, sexpr.Key(key))
	}
	b.open = append(b.open, opened{len(b.items), key != ""})
}

// OpenList implements [Sink].
func (b *Builder) OpenList(key string) { b.Open(key) }

// Close implements [Sink].
func (b *Builder) Close() (empty bool) {
	o := b.open[len(b.open)-1]
	b.open = b.open[:len(b.open)-1]
	items := b.items[o.from:]
	switch {
	case len(items) > 0:
		b.items = append(b.items[:o.from], sexpr.ListOf(slices.Clone(items)...))
	case o.key:
		b.items = b.items[:o.from-1]
		return true
	default:
		b.items = append(b.items, sexpr.EmptyObject())
	}
	return false
}

// Done returns the plist, or {} if nothing was put.
func (b *Builder) Done() sexpr.Value {
	if len(b.items) == 0 {
		return sexpr.EmptyObject()
	}
	return sexpr.ListOf(b.items...)
}

// Reader reads a plist. After an error every method returns zero.
type Reader struct {
	v    sexpr.Value
	what string
	err  *error
}

// NewReader reads v, which errors call what.
func NewReader(v sexpr.Value, what string) Reader {
	r := Reader{v: v, what: what, err: new(error)}
	if !v.IsObject() {
		r.fail("", "a plist", v)
	}
	return r
}

// Err returns the first error, of this reader and of all readers made of it.
func (r Reader) Err() error { return *r.err }

// Fail makes err the reader's error, unless it has one or err is nil.
func (r Reader) Fail(err error) {
	if *r.err == nil && err != nil {
		*r.err = fmt.Errorf("%s: %w", r.what, err)
	}
}

func (r Reader) fail(key, expected string, got sexpr.Value) {
	where := r.what
	if key != "" {
		where += " :" + key
	}
	if *r.err == nil {
		*r.err = fmt.Errorf("%s: %s: found %s, expected %s", got.Pos(), where, Kind(got), expected)
	}
}

func (r Reader) get(key string, kind sexpr.Kind) (sexpr.Value, bool) {
	v, ok := r.v.Get(key)
	if !ok || *r.err != nil {
		return sexpr.Value{}, false
	}
	if v.Kind() != kind {
		r.fail(key, article(kind), v)
		return sexpr.Value{}, false
	}
	return v, true
}

// Text returns the string under key, or "".
func (r Reader) Text(key string) string {
	v, _ := r.get(key, sexpr.String)
	return v.Text()
}

// Int returns the integer under key, or 0.
func (r Reader) Int(key string) int64 {
	v, _ := r.get(key, sexpr.Int)
	return v.Int()
}

// Seq returns the integer under key, which must not be negative, or 0.
func (r Reader) Seq(key string) uint64 {
	i := r.Int(key)
	if i < 0 {
		v, _ := r.v.Get(key)
		r.fail(key, "a number that is not negative", v)
		return 0
	}
	return uint64(i)
}

// Small is Int for what must fit an int32.
func (r Reader) Small(key string) int {
	i := r.Int(key)
	if i > math.MaxInt32 || i < math.MinInt32 {
		v, _ := r.v.Get(key)
		r.fail(key, "a small integer", v)
		return 0
	}
	return int(i)
}

// Float returns the float under key, or 0.
func (r Reader) Float(key string) float64 {
	v, _ := r.get(key, sexpr.Float)
	return v.Float()
}

// True reports whether t stands under key. Anything but t and false is an error.
func (r Reader) True(key string) bool {
	v, ok := r.v.Get(key)
	if !ok || *r.err != nil {
		return false
	}
	if !v.IsSym("t") && !v.IsSym("false") {
		r.fail(key, "t", v)
	}
	return v.IsSym("t")
}

// Value returns what stands under key, or nil.
func (r Reader) Value(key string) sexpr.Value {
	v, _ := r.v.Get(key)
	return v
}

// Digest returns the digest under key, or the zero one.
func (r Reader) Digest(key string) sexpr.Digest {
	s := r.Text(key)
	if s == "" {
		return sexpr.Digest{}
	}
	d, err := sexpr.ParseDigest(s)
	r.Fail(err)
	return d
}

// Sub returns a reader of the plist under key; of {} if there is none.
func (r Reader) Sub(key string) Reader {
	s := Reader{v: sexpr.EmptyObject(), what: r.what + " :" + key, err: r.err}
	if v, ok := r.v.Get(key); ok {
		s.v = v
		if !v.IsObject() {
			s.fail("", "a plist", v)
		}
	}
	return s
}

// List returns a reader for each element of the list under key.
func (r Reader) List(key string) []Reader {
	v, ok := r.get(key, sexpr.List)
	if !ok || v.IsNil() {
		return nil
	}
	out := make([]Reader, v.Len())
	for i, x := range v.Items() {
		out[i] = Reader{v: x, what: fmt.Sprintf("%s :%s[%d]", r.what, key, i), err: r.err}
		if !x.IsObject() {
			out[i].fail("", "a plist", x)
		}
	}
	return out
}

// Texts returns the list of strings under key, or nil.
func (r Reader) Texts(key string) []string {
	v, ok := r.get(key, sexpr.List)
	if !ok || v.IsNil() {
		return nil
	}
	out := make([]string, v.Len())
	for i, x := range v.Items() {
		if x.Kind() != sexpr.String {
			r.fail(key, "strings", x)
			return nil
		}
		out[i] = x.Text()
	}
	return out
}

// Kind says what v is, as a message does: "a string", "an integer".
func Kind(v sexpr.Value) string { return article(v.Kind()) }

func article(k sexpr.Kind) string {
	if k == sexpr.Int {
		return "an integer"
	}
	return "a " + k.String()
}
