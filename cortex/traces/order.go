package traces

import (
	"cmp"
	"slices"
)

func sortByBeginning(list []*Trace) {
	slices.SortFunc(list, func(a, b *Trace) int { return cmp.Compare(a.Begun.Seq, b.Begun.Seq) })
}
