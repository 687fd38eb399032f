package glob

import (
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What the tests hold against the reference, which imports this package.
var (
	Overlap = overlap
	Meet    = meet
)

// TokenOf is the token that the product reads.
func TokenOf(t *rapid.T, text string) token {
	if text[0] == 92 { // one that means itself
		r, _ := utf8.DecodeRuneInString(text[1:])
		return token{kind: literal, r: r}
	}
	if text == "?" {
		return token{kind: wild}
	}
	c, n, ok := readClass(text)
	require.True(t, ok && n == len(text), text)
	return token{kind: oneOf, class: c}
}
