package scenarios

import (
	"cmp"
	"crypto/sha256"
	"slices"
)

// Draw returns a third of the names, rounded up: those with the least SHA-256 of the seed,
// a line feed and the name. The order in which the names come does not matter.
func Draw(seed string, names []string) []string {
	lot := func(name string) string {
		sum := sha256.Sum256([]byte(seed + "\n" + name))
		return string(sum[:])
	}
	drawn := slices.Clone(names)
	slices.SortFunc(drawn, func(a, b string) int { return cmp.Compare(lot(a), lot(b)) })
	drawn = drawn[:(len(drawn)+2)/3]
	slices.Sort(drawn)
	return drawn
}
