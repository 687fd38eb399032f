package author

import (
	"cmp"
	"context"
	"slices"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills"
)

// Flip is a group of decisions that two rulebooks take differently: with the same
// outcome by the same clause in each.
type Flip struct {
	Was, Is string // kind and key
	Count   int
	Some    []string // the first requests, by the name that the caller gave
}

// Comparison is what two rulebooks decide differently.
type Comparison struct {
	Requests int
	Flips    []Flip // most first
	Changed  int    // decisions of the same kind by another clause, or with other arguments
}

// Differ compares two policies, request by request.
type Differ struct {
	A, B skills.Policy
	Most int // requests that a [Flip] names

	total int
	other int
	flips map[[2]string]*Flip
}

// Judge has both policies decide on a request.
func (d *Differ) Judge(ctx context.Context, name string, req reason.Request) {
	req.NoTrace = true
	req.Policy = d.A
	was := reason.Decide(ctx, req)
	req.Policy = d.B
	is := reason.Decide(ctx, req)
	d.total++
	d.Note(name, was, is)
}

// Note takes down how two decisions differ, which the caller derived, and counts no
// request.
func (d *Differ) Note(name string, was, is *reason.Decision) {
	if was.Kind == is.Kind {
		if verdictOf(was) != verdictOf(is) {
			d.other++
		}
		return
	}
	key := [2]string{was.Kind.String() + " " + was.Key, is.Kind.String() + " " + is.Key}
	if d.flips == nil {
		d.flips = map[[2]string]*Flip{}
	}
	f := d.flips[key]
	if f == nil {
		f = &Flip{Was: key[0], Is: key[1]}
		d.flips[key] = f
	}
	f.Count++
	if len(f.Some) < d.Most {
		f.Some = append(f.Some, name)
	}
}

// Comparison is what was found so far.
func (d *Differ) Comparison() Comparison {
	out := Comparison{Requests: d.total, Changed: d.other}
	for _, f := range d.flips {
		out.Flips = append(out.Flips, *f)
	}
	slices.SortFunc(out.Flips, func(a, b Flip) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Was, b.Was), cmp.Compare(a.Is, b.Is))
	})
	return out
}
