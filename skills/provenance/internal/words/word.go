package words

// Word is one word of a text.
type Word struct {
	Start, End int    // bytes of the text
	Key        string // what it is compared by
	Shape      Shape  // of an atom
	Break      bool   // a sentence or paragraph ended before it
}

// Keys returns the keys of words.
func Keys(ws []Word) []string {
	out := make([]string, len(ws))
	for i, w := range ws {
		out[i] = w.Key
	}
	return out
}
