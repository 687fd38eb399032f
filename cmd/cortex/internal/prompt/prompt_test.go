package prompt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		assert.Equal(t, want, Words(line), line)
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
