package nearby

import (
	"math"

	"github.com/opencortex-go/cortex/sexpr"
)

// maxLowered bounds the numbers that are lowered: beyond it, floats skip integers.
const maxLowered = 1 << 53

// Lower finds, for the first number of args that allows it, the greatest whole number
// below it whose edit take takes, by halving what is left. It begins with 1, and passes
// on to the next number if that is not taken. Where take is not monotonic, it may miss
// greater numbers; what it returns was taken.
func (s Search) Lower(args sexpr.Value, take func(Edit) bool) (Edit, bool) {
	for _, p := range s.places(args) {
		if at, ok := number(p.value); ok && at > 1 && at <= maxLowered {
			if e := p.numbered(1); take(e) {
				return p.halve(e, take), true
			}
		}
	}
	return Edit{}, false
}

// Nearer goes on from an edit of args that was taken and lowers a number, as Lower does.
// It returns other edits as they are.
func (s Search) Nearer(args sexpr.Value, e Edit, take func(Edit) bool) Edit {
	at, ok := number(e.Old)
	if !ok || at > maxLowered || e.Dropped || e.New.Kind() != sexpr.Int || float64(e.New.Int()) >= at {
		return e
	}
	for _, p := range s.places(args) {
		if sexpr.Equal(sexpr.ListOf(p.at...), sexpr.ListOf(e.At...)) {
			return p.halve(e, take)
		}
	}
	return e
}

// numbered is the edit that puts n at a place.
func (p place) numbered(n int64) Edit {
	v := sexpr.Int64(n)
	return Edit{Path: p.path, At: p.at, Old: p.value, New: v, Args: p.edit(&v)}
}

// halve looks between a number that was taken and the one that stands there.
func (p place) halve(best Edit, take func(Edit) bool) Edit {
	at, _ := number(p.value)
	for lo, hi := best.New.Int(), int64(math.Ceil(at)); hi-lo > 1; {
		mid := lo + (hi-lo)/2
		if e := p.numbered(mid); take(e) {
			best, lo = e, mid
		} else {
			hi = mid
		}
	}
	return best
}
