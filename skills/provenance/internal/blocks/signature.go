package blocks

// bits are three of 512, which stand for a word.
type bits struct{ a, b, c uint16 }

// bitsOf returns the bits of a word by the [words.Sum] of its key, with its halves mixed.
func bitsOf(sum uint64) bits {
	sum ^= sum >> 29
	sum *= 0x9e3779b97f4a7c15
	return bits{uint16(sum>>55) & 511, uint16(sum>>46) & 511, uint16(sum>>37) & 511}
}

// signatures are those of 64 blocks, turned round: of each bit, the blocks that have it. So
// one look at three numbers tells which of 64 blocks may hold a word.
type signatures [512]uint64

// set puts a word into a block.
func (s *signatures) set(block int, w bits) {
	bit := uint64(1) << (block % 64)
	s[w.a] |= bit
	s[w.b] |= bit
	s[w.c] |= bit
}

// may returns the blocks that may hold a word.
func (s *signatures) may(w bits) uint64 { return s[w.a] & s[w.b] & s[w.c] }
