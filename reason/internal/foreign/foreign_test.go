package foreign

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestClipNeverCutsACharacter(t *testing.T) {
	for n := range 12 {
		got := Clip("aéééé", n)
		assert.True(t, utf8.ValidString(got), "%d: %q", n, got)
		assert.LessOrEqual(t, len(got), n+len("..."))
	}
	assert.Equal(t, "abc", Clip("abc", 3))
	assert.Equal(t, "...", Clip("\x80\x80", 1), "bytes that are no character at all")
}

func TestLegible(t *testing.T) {
	for in, want := range map[string]string{"": "", "é": "é", "\x00a": "\uFFFDa", "a\x00": "a\uFFFD", "a\xff": "a\uFFFD"} {
		assert.Equal(t, want, Legible(in), "%q", in)
	}
}
