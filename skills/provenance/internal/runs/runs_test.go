package runs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// Find gives what comparing at every place gives.
func TestFindIsNaiveSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c", "dd"})
		r := New(NewDict())
		var all []string
		for range rapid.IntRange(0, 4).Draw(t, "texts") {
			text := rapid.SliceOfN(word, 0, 12).Draw(t, "text")
			r.Add(text, make([]int, len(text)))
			all = append(append(all, ""), text...)
		}
		keys := rapid.SliceOfN(word, 1, 5).Draw(t, "keys")
		var want, got []int
		for i := range all {
			if i+len(keys) <= len(all) && strings.Join(all[i:i+len(keys)], " ") == strings.Join(keys, " ") {
				want = append(want, i)
			}
		}
		assert.True(t, r.Find(keys, func(p int) bool { got = append(got, p); return true }))
		assert.Equal(t, want, got)
	})
}

func TestFindStopsAtItsBound(t *testing.T) {
	r := New(NewDict())
	var text []string
	for range 3 * Steps {
		text = append(text, "p", "q", "p", "p", "q", "q")
	}
	r.Add(text, make([]int, len(text)))
	_, sure := r.Has([]string{"q", "q", "p", "p", "q", "q"})
	assert.False(t, sure)
}
