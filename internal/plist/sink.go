package plist

import "github.com/opencortex-go/cortex/sexpr"

// Sink receives the members of a plist: a [Builder] makes a value of them, a
// [Writer] prints them. So a type lists its members only once.
type Sink interface {
	// Add puts a member, whatever its value.
	Add(key string, v sexpr.Value)
	// Text puts a string, unless it is empty.
	Text(key, s string)
	// Int puts an integer, unless it is 0.
	Int(key string, i int64)
	// True puts t, unless x is false.
	True(key string, x bool)
	// Value puts v, unless it is nil.
	Value(key string, v sexpr.Value)
	// Digest puts a digest as text, unless it was never set.
	Digest(key string, d sexpr.Digest)

	// Open begins a plist under key; without a key, as the next element of a list.
	// What is put from then on is in it, up to Close.
	Open(key string)
	// OpenList begins a list of plists under key.
	OpenList(key string)
	// Close ends what was begun last, and leaves it out if it stands under a key
	// and nothing was put into it. It reports whether it was left out.
	Close() (empty bool)
}

// Each puts the list of f applied to each of xs, unless xs is empty.
func Each[T any](b Sink, key string, xs []T, f func(T) sexpr.Value) {
	if len(xs) == 0 {
		return
	}
	out := make([]sexpr.Value, len(xs))
	for i, x := range xs {
		out[i] = f(x)
	}
	b.Add(key, sexpr.ListOf(out...))
}

// Plists puts the list of the plists that put makes of each of xs, unless xs is
// empty.
func Plists[T any](b Sink, key string, xs []T, put func(b Sink, x *T)) {
	if len(xs) == 0 {
		return
	}
	b.OpenList(key)
	for i := range xs {
		b.Open("")
		put(b, &xs[i])
		b.Close()
	}
	b.Close()
}
