package talk

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/lines"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
)

func TestPlacesAreThoseOfAllInput(t *testing.T) {
	c := lines.Chunk{Text: "(a\n b)", First: 10}
	at, err := place(c, &repl.Error{Code: repl.CodeFailed, Pos: sexpr.Pos{Line: 2, Col: 2}, Err: errors.New("odd")},
		sexpr.Pos{Line: 1, Col: 1})
	assert.Equal(t, sexpr.Pos{Line: 11, Col: 2}, at)
	assert.ErrorContains(t, err, "odd")
	at, _ = place(c, errors.New("away"), sexpr.Pos{Line: 1, Col: 1})
	assert.Equal(t, sexpr.Pos{Line: 10, Col: 1}, at)
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n\tGrüße 日本 👍":                   "plain\n\tGrüße 日本 👍",
		"\x1b]0;title\x07\x1b[2J":               `\u{1b}]0;title\u{7}\u{1b}[2J`,
		"a\rb\x00\x7f":                          `a\u{d}b\u{0}\u{7f}`,
		"\u009b31m\u202eevil\u2066\u200b\ufeff": `\u{9b}31m\u{202e}evil\u{2066}\u{200b}\u{feff}`,
		"bad \xff byte":                         "bad \ufffd byte",
	} {
		assert.Equal(t, want, card.Plain(in))
	}
}

func TestPretty(t *testing.T) {
	read := func(text string) sexpr.Value {
		v, err := sexpr.Reader{Code: true}.Read("", text)
		require.NoError(t, err)
		return v
	}
	for in, want := range map[string]string{
		`(:a 1)`: `(:a 1)`,
		`(:first 1 :second "two words" :third (1 2 3))`: "(:first 1\n :second \"two words\"\n :third (1 2 3))",
		`(1 2 3 4 5 6 7 8 9 10 11 12 13)`:               "(1 2 3 4 5 6 7 8 9 10 11\n 12 13)",
		`(:k ((:a 1 :b "long enough") (:a 2 :b "long enough")))`: "(:k ((:a 1\n      :b \"long enough\")\n     (:a 2\n    " +
			"  :b \"long enough\")))",
		`"a text that is longer than a line is"`: `"a text that is longer than a line is"`,
	} {
		got := pretty(read(in), 24)
		assert.Equal(t, want, got)
		assert.True(t, sexpr.Equal(read(in), read(got)), "it reads back as the same")
	}
}

func TestNamed(t *testing.T) {
	for in, want := range map[string]string{
		"(:a :b :c sym :d t :e false :f null :g nil :h (1 :x y))": `{"a":"b","c":"sym","d":true,"e":false,"f":null,"g":[],"h":[1,"x","y"]}`,
		"(+ 1 2)": `["+",1,2]`,
		"{}":      "{}",
		":k":      `"k"`,
	} {
		v, err := sexpr.Read("", in)
		require.NoError(t, err)
		got, err := sexpr.ToJSON(named(v))
		require.NoError(t, err)
		assert.JSONEq(t, want, string(got))
	}
}

// No line of the screen is wider than that, whatever the toolchain calls the program.
func TestTheGreetingFitsATerminal(t *testing.T) {
	const version = "v0.12.345-0.20261128010233-3cffed948a1f+incompatible+dirty"
	for line := range strings.Lines(greeting(version)) {
		assert.LessOrEqual(t, len(line), 80, line)
	}
}
