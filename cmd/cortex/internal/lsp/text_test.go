package lsp

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
)

// slowPosition counts as the protocol says it: in lines and code units of UTF-16.
func slowPosition(src string, off int) position {
	lines := strings.Split(strings.NewReplacer("\r\n", "\r\n\x00", "\n", "\n\x00", "\r", "\r\x00").Replace(src[:off]),
		"\x00")
	if off < len(src) && src[off] == '\n' && strings.HasSuffix(src[:off], "\r") { // inside \r\n
		lines = lines[:len(lines)-1]
	}
	return position{len(lines) - 1, len(utf16.Encode([]rune(lines[len(lines)-1])))}
}

func TestPositions(t *testing.T) {
	src := "a\u00e9\n\"🙂\" b\r\n\r(x 🙂🙂)\n\n ü"
	text := newText(src)
	for off := 0; off <= len(src); off++ {
		if off < len(src) && !utf8.RuneStart(src[off]) || off > 0 && off < len(src) && src[off-1:off+1] == "\r\n" {
			continue
		}
		want := slowPosition(src, off)
		require.Equal(t, want, text.position(off), off)
		assert.Equal(t, off, text.offset(want), off)
	}
	assert.Equal(t, 3, text.offset(position{0, 99}), "behind the end of a line")
	assert.Equal(t, len(src), text.offset(position{99, 0}))
	assert.Equal(t, 5, text.offset(position{1, 2}), "in the middle of a pair")
	assert.Equal(t, 0, text.offset(position{0, -1}))
	// The places of errors count characters, and lines by line feeds alone.
	_, err := sexpr.Read("", "(a \"🙂\" \r #)")
	var e *sexpr.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, "#)", "(a \"🙂\" \r #)"[newText("(a \"🙂\" \r #)").at(e.Pos):])
}

func FuzzPositions(f *testing.F) {
	f.Add("a\n🙂\r\nb\rc", 7)
	f.Fuzz(func(t *testing.T, src string, off int) {
		if off < 0 || off > len(src) || !utf8.ValidString(src) || strings.Contains(src, "\x00") {
			return
		}
		if off < len(src) && !utf8.RuneStart(src[off]) || off > 0 && off < len(src) && src[off-1:off+1] == "\r\n" {
			return
		}
		text := newText(src)
		require.Equal(t, slowPosition(src, off), text.position(off))
		require.Equal(t, off, text.offset(text.position(off)))
		require.Equal(t, len(src), text.offset(position{1 << 30, 1 << 30}))
	})
}
