// Package blocks finds contiguous runs of words in texts, and keeps little beside the
// texts themselves.
//
// Words are counted into blocks of [Size], over the borders of short texts. A block
// keeps a signature: three bits of 512 for each of its words. A search looks at the
// signatures of all blocks, and cuts the few again that may hold the words. So no hit
// rests on a hash, and a text that is made to fill the signatures costs time, up to
// [Steps], and never makes a value appear or disappear: what was not looked at is said.
package blocks

import (
	mathbits "math/bits"

	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// Size is how many words a block has.
const Size = 48

// Steps is about how many words one search cuts again at most.
const Steps = 1 << 14

// Cut returns the next word of a text at or after a byte, and the byte after it; false if
// there is none.
type Cut func(text string, from int) (w words.Word, next int, ok bool)

// CutSum is a Cut that gives where a word begins and the [words.Sum] of its key.
type CutSum func(text string, from int) (start, next int, sum uint64, ok bool)

// Blocks is a growing sequence of texts, each of which belongs to something.
type Blocks struct {
	cut    Cut
	sum    CutSum
	lately *Lately
	texts  []part
	blocks []place       // where the words of each begin
	signs  []*signatures // of 64 blocks each
	last   int           // words in the last block
}

// part is the part of a text whose words begin at start and before end. Words before own
// belong to the part before it: they count for what reaches into this one.
type part struct {
	text            string
	start, own, end int32
	owner           int32
}

// place is a text and a byte of it.
type place struct{ text, at int32 }

// New returns an empty sequence of texts that are cut so; sum is the same cut, or nil. Several
// may share what was cut lately.
func New(cut Cut, sum CutSum, lately *Lately) *Blocks {
	if sum == nil {
		sum = func(text string, from int) (int, int, uint64, bool) {
			w, next, ok := cut(text, from)
			return w.Start, next, words.Sum(w.Key), ok
		}
	}
	return &Blocks{cut: cut, sum: sum, lately: lately}
}

// Add enters the words of a text that begin at start and before end, for an owner. Words
// before own count only for what reaches beyond them. Start is where a word begins, or a
// byte that no word stands across. It returns where the first word at or after end begins,
// and where the fourth word before that does, or the first.
func (b *Blocks) Add(owner int32, text string, start, own, end int) (next, before int) {
	b.texts = append(b.texts, part{text, int32(start), int32(own), int32(end), owner})
	var recent [4]int
	at, n := start, 0
	for ; ; n++ {
		w, after, sum, ok := b.sum(text, at)
		if !ok || w >= end {
			if n == 0 {
				b.texts = b.texts[:len(b.texts)-1]
			}
			if !ok {
				w = len(text)
			}
			return w, recent[max(0, n-len(recent))%len(recent)]
		}
		recent[n%len(recent)] = w
		if b.last == Size || len(b.blocks) == 0 {
			b.begin(place{int32(len(b.texts) - 1), int32(w)})
		}
		b.signs[len(b.signs)-1].set(len(b.blocks)-1, bitsOf(sum))
		b.last++
		at = after
	}
}

// begin begins a block.
func (b *Blocks) begin(at place) {
	if len(b.blocks)%64 == 0 {
		b.signs = append(b.signs, &signatures{})
	}
	b.blocks = append(b.blocks, at)
	b.last = 0
}

// Find calls yield with the owner of each text that holds the words one after the other,
// and with the byte where they begin, oldest first, until it returns false. It reports
// whether it looked at all that there are.
func (b *Blocks) Find(keys []string, yield func(owner int32, at int) bool) bool {
	if len(keys) == 0 {
		return true
	}
	want := make([]bits, min(len(keys), Size)) // what stands in a block or the one after it
	for i := range want {
		want[i] = bitsOf(words.Sum(keys[i]))
	}
	steps := 0
	for group := range b.signs {
		for may := b.may(group, want); may != 0; may &= may - 1 {
			i := group*64 + mathbits.TrailingZeros64(may)
			for j, w := range b.lately.of(b, i) {
				if steps++; steps > Steps {
					return false
				}
				if w.key == keys[0] && b.stands(i, j, keys, &steps) && !yield(b.texts[w.text].owner, int(w.at)) {
					return true
				}
			}
		}
	}
	return true
}

// may returns the blocks of a group that may hold the first word, and the others there or
// in the next block.
func (b *Blocks) may(group int, want []bits) uint64 {
	s := b.signs[group]
	out := s.may(want[0])
	for i := 1; i < len(want) && out != 0; i++ {
		m := s.may(want[i])
		if m |= m >> 1; group+1 < len(b.signs) {
			m |= b.signs[group+1].may(want[i]) << 63
		}
		out &= m
	}
	return out
}

// stands reports whether the words stand from a word on, in one text, and reach into what
// is the part's own.
func (b *Blocks) stands(block, from int, keys []string, steps *int) bool {
	ws := b.lately.of(b, block)[from:]
	text := ws[0].text
	last := ws[0]
	for _, k := range keys {
		if len(ws) == 0 {
			if block++; block == len(b.blocks) {
				return false
			}
			ws = b.lately.of(b, block)
		}
		if last = ws[0]; last.key != k || last.text != text || *steps > Steps {
			return false
		}
		ws = ws[1:]
		*steps++
	}
	return last.at >= b.texts[text].own
}

// words is how many words a block has.
func (b *Blocks) words(i int) int {
	if i == len(b.blocks)-1 {
		return b.last
	}
	return Size
}
