package blocks

// Lately remembers the blocks that were cut lately: one question often looks at the same
// ones. Its zero value is empty. It is not safe for concurrent use.
type Lately struct{ cut [16]cutBlock }

// cutBlock is the words of a block.
type cutBlock struct {
	of    *Blocks
	n     int
	words []word
}

// word is one word of a block.
type word struct {
	key      string
	text, at int32
}

// of returns the words of a block.
func (l *Lately) of(b *Blocks, n int) []word {
	c := &l.cut[n%len(l.cut)]
	if c.of != b || c.n != n || len(c.words) != b.words(n) {
		*c = cutBlock{b, n, b.cutAgain(n)}
	}
	return c.words
}

// cutAgain cuts a block.
func (b *Blocks) cutAgain(n int) []word {
	size := b.words(n)
	out := make([]word, 0, size)
	text, at := b.blocks[n].text, int(b.blocks[n].at)
	for len(out) < size {
		p := &b.texts[text]
		w, after, ok := b.cut(p.text, at)
		if !ok || w.Start >= int(p.end) {
			text++
			at = int(b.texts[text].start)
			continue
		}
		out = append(out, word{w.Key, text, int32(w.Start)})
		at = after
	}
	return out
}
