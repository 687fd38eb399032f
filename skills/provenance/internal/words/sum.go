package words

// NoSum is the [Sum] of the empty key.
const NoSum uint64 = 14695981039346656037

// Sum returns the FNV-1a of a key. Others can make keys of the same sum.
func Sum(key string) uint64 {
	sum := NoSum
	for i := range len(key) {
		sum = AddTo(sum, key[i])
	}
	return sum
}

// AddTo returns the sum of a key that is one byte longer.
func AddTo(sum uint64, c byte) uint64 { return (sum ^ uint64(c)) * 1099511628211 }
