package talk

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/lines"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
)

func TestWords(t *testing.T) {
	for line, want := range map[string]bool{
		"hello there": true, "  hello there  ": true, "don't panic (now": true, "Grüße aus Berlin": true, "ship it!": true,
		"a ; b": true,
		"":      false, "hello": false, "(say \"hello there\")": false, "'a b": false, "\"two words\"": false, "1 2": false,
		"* **":       false,
		":key value": false, "name(more": false, "a;b c": false, "hello\n(more\nlines)": false, "+ 1 2": false,
		"; a comment": false,
	} {
		assert.Equal(t, want, words(line), line)
	}
}

// Input is cut where forms end, whatever stands on a line.
func TestChunks(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []chunk
	}{
		{"", nil},
		{"1", []chunk{{"1\n", 1}}},
		{"1 (a)\n\n(b\n c) 2\n3\n", []chunk{{"1 (a)\n", 1}, {"\n", 2}, {"(b\n c) 2\n", 3}, {"3\n", 5}}},
		{"(a \"(\n\" ; )\n)\n4", []chunk{{"(a \"(\n\" ; )\n)\n", 1}, {"4\n", 4}}},
		{") (\n5\n", []chunk{{") (\n", 1}, {"5\n", 2}}},
		{"'\r\nx\r\n6", []chunk{{"'\nx\n", 1}, {"6\n", 3}}},
		{"(open\n", []chunk{{"(open\n", 1}}},
	} {
		in := &chunks{lines: lines.New(strings.NewReader(c.in))}
		var got []chunk
		for {
			next, err := in.next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			got = append(got, next)
		}
		assert.Equal(t, c.want, got, c.in)
	}
}

// Every way of cutting a text into chunks reads the same forms.
func FuzzChunks(f *testing.F) {
	for _, seed := range []string{"1 (a)\n\n(b\n c) 2\n3\n",
		"(a \"(\n\" ; )\n)\n4", "'\n x", "|a\nb| \"\\\n\"", ")(", "; only\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, err := sexpr.Reader{Code: true}.ReadAll("", text)
		if err != nil || strings.Contains(text, "\r") {
			return // what is dropped of a broken text is its business
		}
		in := &chunks{lines: lines.New(strings.NewReader(text))}
		var got []sexpr.Value
		for {
			c, err := in.next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			forms, err := c.read()
			require.NoError(t, err)
			for _, v := range forms {
				at, _ := c.place(errors.New("x"), v.Pos())
				got = append(got, v.At(at))
			}
		}
		require.Len(t, got, len(want))
		for i := range got {
			assert.True(t, sexpr.Equal(want[i], got[i]))
			assert.Equal(t, want[i].Pos(), got[i].Pos())
		}
	})
}

func TestPlacesAreThoseOfAllInput(t *testing.T) {
	c := chunk{"(a\n b)", 10}
	at, err := c.place(&repl.Error{Code: repl.CodeFailed, Pos: sexpr.Pos{Line: 2, Col: 2}, Err: errors.New("odd")},
		sexpr.Pos{Line: 1, Col: 1})
	assert.Equal(t, sexpr.Pos{Line: 11, Col: 2}, at)
	assert.ErrorContains(t, err, "odd")
	at, _ = c.place(errors.New("away"), sexpr.Pos{Line: 1, Col: 1})
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

func TestWordBefore(t *testing.T) {
	for in, want := range map[string][2]string{
		"(sta":           {"(", "sta"},
		"(approve \"ab":  {"(approve \"", "ab"},
		"(rule 'guard/w": {"(rule '", "guard/w"},
		"":               {"", ""},
		"(a\nb":          {"(a\n", "b"},
	} {
		before, word := wordBefore([]rune(in), len([]rune(in)))
		assert.Equal(t, want, [2]string{before, word}, in)
	}
	before, word := wordBefore([]rune("(é stat)"), 5)
	assert.Equal(t, [2]string{"(é ", "st"}, [2]string{before, word}, "up to the cursor, in characters")
}

func TestHistoryIsKeptAndBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "history")
	h, err := openHistory(path)
	require.NoError(t, err)
	for _, e := range []string{"(+ 1\n 2)", "(+ 1\n 2)", " (secret)", "", "  ", strings.Repeat("x", maxEntry+1),
		"(say \"é\")"} {
		_, err := h.Write(e)
		require.NoError(t, err)
	}
	other, err := openHistory(path)
	require.NoError(t, err)
	assert.Equal(t, []string{"(+ 1\n 2)", "(say \"é\")"}, other.Dump(),
		"no repeats, nothing that begins with a blank, nothing huge")
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	info, err = os.Stat(filepath.Dir(path))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())

	_, err = other.Write("(other)") // two terminals share the file
	require.NoError(t, err)
	_, err = h.Write("(one)")
	require.NoError(t, err)
	h, err = openHistory(path)
	require.NoError(t, err)
	assert.Equal(t, 4, h.Len())
	last, err := h.GetLine(3)
	require.NoError(t, err)
	assert.Equal(t, "(one)", last)
	for _, i := range []int{-1, 4} {
		_, err = h.GetLine(i)
		assert.ErrorIs(t, err, errNoEntry)
	}

	for i := range 2*maxHistory + 10 {
		_, err := h.Write(sexpr.Int64(int64(i)).String())
		require.NoError(t, err)
	}
	assert.Equal(t, maxHistory, h.Len())
	h, err = openHistory(path)
	require.NoError(t, err)
	assert.Equal(t, maxHistory, h.Len())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, maxHistory, strings.Count(string(text), "\n"), "and the file is cut")
}

// A file that others can read is closed to them; lines that are no entries are
// passed over; a file that cannot be read is said.
func TestHistoryFilesOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	require.NoError(t, os.WriteFile(path, []byte("nonsense\n\"(good)\"\n{}\n"), 0o644))
	h, err := openHistory(path)
	require.NoError(t, err)
	assert.Equal(t, []string{"(good)"}, h.Dump())
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("x", 9*maxEntry)), 0o600))
	_, err = openHistory(path)
	assert.Error(t, err)
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
