package blocks_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/skills/provenance/internal/blocks"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

type found struct {
	owner int32
	at    int
}

func find(b *blocks.Blocks, query string) (out []found, all bool) {
	all = b.Find(words.Keys(words.Loose(query)), func(owner int32, at int) bool {
		out = append(out, found{owner, at})
		return true
	})
	return out, all
}

// part is what one call of Add is told.
type part struct {
	text            string
	start, own, end int
}

// slow finds words by comparing all of a part's words from each place on.
func slow(parts []part, query string) (out []found) {
	want := words.Keys(words.Loose(query))
	for owner, p := range parts {
		var ws []words.Word
		for _, w := range words.Loose(p.text) {
			if w.Start >= p.start && w.Start < p.end {
				ws = append(ws, w)
			}
		}
		for i := range ws {
			if i+len(want) > len(ws) || ws[i+len(want)-1].Start < p.own {
				continue
			}
			if strings.Join(words.Keys(ws[i:i+len(want)]), " ") == strings.Join(want, " ") {
				out = append(out, found{int32(owner), ws[i].Start})
			}
		}
	}
	return out
}

// A search finds what comparing all words finds, over the borders of blocks, and not over
// those of texts.
func TestFindsWhatALookAtAllFinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string {
		var ws []string
		for range n {
			ws = append(ws, fmt.Sprintf("w%d", rng.IntN(12)))
		}
		return strings.Join(ws, [...]string{" ", ". ", "-"}[rng.IntN(3)])
	}
	hits, rounds := 0, 200
	if testing.Short() {
		rounds = 40
	}
	for range rounds {
		b := blocks.New(words.NextLoose, words.LooseSum, &blocks.Lately{})
		var parts []part
		for range rng.IntN(40) {
			p := part{text: text(1 + rng.IntN(90))}
			p.end = len(p.text) + 1
			if ws := words.Loose(p.text); rng.IntN(2) == 0 && len(ws) > 8 {
				p.start = ws[rng.IntN(len(ws)/2)].Start
				p.own = ws[len(ws)/2].Start
				p.end = ws[len(ws)/2+rng.IntN(len(ws)/2)].Start + 1
			}
			b.Add(int32(len(parts)), p.text, p.start, p.own, p.end)
			parts = append(parts, p)
			if rng.IntN(4) == 0 { // what was cut lately grows
				query := text(1 + rng.IntN(2))
				got, all := find(b, query)
				require.True(t, all)
				require.Equal(t, slow(parts, query), got, query)
			}
		}
		for range 10 {
			query := text(1 + rng.IntN(4))
			got, all := find(b, query)
			require.True(t, all)
			require.Equal(t, slow(parts, query), got, query)
			hits += len(got)
		}
	}
	assert.Greater(t, hits, 50*rounds)
}

// A text that holds the words of a query everywhere, and never together, ends the search,
// which says so.
func TestASearchIsBounded(t *testing.T) {
	b := blocks.New(words.NextLoose, words.LooseSum, &blocks.Lately{})
	text := strings.Repeat("pay eve bob ", 20_000)
	b.Add(1, text, 0, 0, len(text)+1)
	got, all := find(b, "pay bob")
	assert.Empty(t, got)
	assert.False(t, all)
	got, all = find(b, "pay mallory")
	assert.Empty(t, got)
	assert.True(t, all)
}

// Add tells where the text goes on, and where the fourth word before that begins.
func TestAddTellsWhereToGoOn(t *testing.T) {
	b := blocks.New(words.NextLoose, words.LooseSum, &blocks.Lately{})
	next, before := b.Add(1, "a bb cc dd ee ff", 0, 0, 12)
	assert.Equal(t, []int{14, 2}, []int{next, before}, "ff, bb")
	next, before = b.Add(1, "a bb", 0, 0, 9)
	assert.Equal(t, []int{4, 0}, []int{next, before})
}
