package lexicon

import (
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// slowTokens cuts a text one character after the other, and knows no word from before.
func slowTokens(l *Lexicon, text string) (out []Token) {
	var at []int
	var all []rune
	for i, r := range text {
		at, all = append(at, i), append(all, r)
	}
	at = append(at, len(text))
	letter := func(i int) bool { return i < len(all) && unicode.IsLetter(all[i]) }
	inside := func(i, from int) bool {
		switch r := all[i]; r {
		case '_':
			return true
		case '\'', '’':
			return i > from && letter(i+1)
		default:
			return letter(i) || unicode.IsDigit(r) || unicode.Is(unicode.Cf, r) || unicode.IsMark(r)
		}
	}
	spaced, line := true, true
	for i := 0; i < len(all); {
		if unicode.IsSpace(all[i]) {
			spaced, line = true, line || all[i] == '\n'
			i++
			continue
		}
		end := i
		for end < len(all) && inside(end, i) {
			end++
		}
		word := end > i
		end = max(end, i+1)
		key := words.Skeleton(text[at[i]:at[end]])
		if key != "" {
			known := &Lexeme{text[at[i]:at[end]], key, l.Stem(key), l.begins(key), l.Verbs[key], l.VerbNouns[key]}
			out = append(out, Token{known, at[i], at[end], word, spaced, line})
		}
		spaced, line, i = false, false, end
	}
	return out
}

func FuzzTokens(f *testing.F) {
	l, err := Load(File{"english.lisp", English()})
	require.NoError(f, err)
	for _, s := range []string{
		"", "It isn't Ann’s, is it?", "'quoted' don'T rock'n'roll o' 'tis a'1 x’", "send_money _a __ 3rd v2.0 1,000.50",
		"a\u200bb \u200b café ａｂ раураl a\u0301",
		"line\n\nline\r\n\u00a0x\t<b>y</b>", "\xff a\xffb 'é'é",
		"Pay pay PAY. Pay!",
		"a_word_that_is_longer_than_the_longest_that_a_reader_keeps",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, want := l.Tokens(s), slowTokens(l, s)
		require.Len(t, got, len(want), "%q", s)
		for i := range want {
			require.Equal(t, want[i], got[i], "%q", s)
		}
	})
}
