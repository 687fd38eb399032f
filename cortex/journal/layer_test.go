package journal

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// To merge a layer is to set its writes one by one.
func TestMergeIsSetOneByOne(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		var merged, set layer
		for update := range 1 + r.IntN(8) {
			var own layer
			for range r.IntN(10) {
				key := fmt.Sprint(r.IntN(40))
				own.set(Write{Key: []byte(key), Value: fmt.Append(nil, update, "/", key)})
			}
			before := slices.Clone(own)
			for _, w := range own {
				set.set(w)
			}
			merged.merge(own)
			require.Equal(t, before, own, seed)
			require.Equal(t, set, merged, seed)
		}
	}
}
