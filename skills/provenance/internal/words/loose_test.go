package words

import (
	"hash/fnv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var looseTexts = []string{
	"", " ", "Bob@Evil.net, please.", "pay 1,000.50 at 10.0.0.1", "007 x007 12ab 3rd 7. v2",
	"раураl.com a\u200bb café CAFÉ",
	"ｅｖｉｌ send_money Straße aé éa a\u0301 İK½①", "a\xffb \x80", "don't Bob’s don\u200b't ⍴ay pa⍴", "\u200b\u200b x",
}

// LooseSum goes where NextLoose goes, from any byte, and sums what it finds there.
func FuzzLooseSum(f *testing.F) {
	for _, s := range looseTexts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for from := 0; from <= min(len(s), 64); from++ {
			w, wantNext, wantOK := NextLoose(s, from)
			start, next, sum, ok := LooseSum(s, from)
			require.Equal(t, wantOK, ok)
			require.Equal(t, wantNext, next)
			if !ok {
				continue
			}
			require.Equal(t, w.Start, start)
			h := fnv.New64a()
			_, _ = h.Write([]byte(w.Key))
			require.Equal(t, h.Sum64(), sum, w.Key)
		}
	})
}

func TestLooseSumMeetsWords(t *testing.T) {
	start, next, sum, ok := LooseSum("- Pay bob", 0)
	assert.Equal(t, []any{2, 5, Sum("pay"), true}, []any{start, next, sum, ok})
	_, _, _, ok = LooseSum("- ", 0)
	assert.False(t, ok)
}
