// Package runs finds contiguous runs of words in everything that was entered, in time
// that depends on the length of the run and not on the amount of text.
//
// Words are numbered by a [Dict]; equal numbers mean equal words, so that no collision
// of hashes can be made to pass for a match. A run is looked up by its rarest pair of
// neighbours, and every candidate is compared in full.
package runs

// Dict numbers words. The zero number stands for none.
type Dict struct {
	ids   map[string]int32
	words []string
}

// NewDict returns an empty dictionary.
func NewDict() *Dict { return &Dict{ids: map[string]int32{}, words: []string{""}} }

// Add returns the number of a word, which it gets if it has none. The text that the
// word was cut from is not kept.
func (d *Dict) Add(w string) int32 {
	if id, ok := d.ids[w]; ok {
		return id
	}
	id := int32(len(d.words))
	w = string(append([]byte(nil), w...))
	d.ids[w] = id
	d.words = append(d.words, w)
	return id
}

// ID returns the number of a word, or 0.
func (d *Dict) ID(w string) int32 { return d.ids[w] }

// Word returns the word of a number.
func (d *Dict) Word(id int32) string { return d.words[id] }

// chain is a list of positions, oldest first.
type chain struct{ head, tail, count int32 }

// Runs is a growing sequence of words.
type Runs struct {
	dict         *Dict
	seq          []int32 // numbers of words; 0 between texts
	off          []int32 // where each stands in its own text
	next1, next2 []int32 // the next position with the same word, with the same pair
	ones         map[int32]chain
	twos         map[uint64]chain
}

// New returns an empty sequence over a dictionary.
func New(d *Dict) *Runs { return &Runs{dict: d} }

// Len returns the position that the next text will start at.
func (r *Runs) Len() int { return len(r.seq) + 1 }

// Add enters a text's words and returns the positions that they take.
func (r *Runs) Add(keys []string, offsets []int) (from, to int) {
	if r.ones == nil {
		r.ones, r.twos = map[int32]chain{}, map[uint64]chain{}
	}
	r.push(0, 0)
	from = len(r.seq)
	for i, k := range keys {
		r.push(r.dict.Add(k), int32(offsets[i]))
		at := int32(len(r.seq) - 1)
		id := r.seq[at]
		c := r.ones[id]
		r.ones[id] = extend(c, r.next1, at)
		if prev := r.seq[at-1]; prev != 0 {
			p := pair(prev, id)
			r.twos[p] = extend(r.twos[p], r.next2, at-1)
		}
	}
	return from, len(r.seq)
}

func (r *Runs) push(id, off int32) {
	r.seq = append(r.seq, id)
	r.off = append(r.off, off)
	r.next1 = append(r.next1, 0)
	r.next2 = append(r.next2, 0)
}

// extend puts a position at the end of a chain. Position 0 is never a word.
func extend(c chain, next []int32, at int32) chain {
	if c.count == 0 {
		return chain{at, at, 1}
	}
	next[c.tail] = at
	return chain{c.head, at, c.count + 1}
}

func pair(a, b int32) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) }

// Offset returns where the word at a position stands in its own text.
func (r *Runs) Offset(pos int) int { return int(r.off[pos]) }

// WordAt returns the word at a position.
func (r *Runs) WordAt(pos int) string { return r.dict.Word(r.seq[pos]) }

// Steps is the most candidates that one search compares.
const Steps = 4096

// Find calls yield with each position where the words stand one after the other, oldest
// first, until yield returns false. It reports whether it looked at all that there are.
func (r *Runs) Find(keys []string, yield func(pos int) bool) bool {
	if len(keys) == 0 || len(r.ones) == 0 {
		return true
	}
	ids := make([]int32, len(keys))
	for i, k := range keys {
		if ids[i] = r.dict.ID(k); ids[i] == 0 {
			return true
		}
	}
	c, at, next := r.ones[ids[0]], 0, r.next1
	if len(ids) > 1 {
		next = r.next2
		c = chain{count: -1}
		for i := 1; i < len(ids); i++ {
			p := r.twos[pair(ids[i-1], ids[i])]
			if p.count == 0 {
				return true
			}
			if c.count < 0 || p.count < c.count {
				c, at = p, i-1
			}
		}
	}
	pos := c.head
	for n := int32(0); n < c.count; n++ {
		if n == Steps {
			return false
		}
		if start := int(pos) - at; r.stands(ids, start) && !yield(start) {
			return true
		}
		pos = next[pos]
	}
	return true
}

// Has reports whether the words stand somewhere, and whether that is certain.
func (r *Runs) Has(keys []string) (found, sure bool) {
	sure = r.Find(keys, func(int) bool { found = true; return false })
	return found, found || sure
}

// Knows reports whether a word may stand somewhere: no other does.
func (r *Runs) Knows(word string) bool { return r.dict.ID(word) != 0 }

func (r *Runs) stands(ids []int32, start int) bool {
	if start < 1 || start+len(ids) > len(r.seq) {
		return false
	}
	for i, id := range ids {
		if r.seq[start+i] != id {
			return false
		}
	}
	return true
}
