package archtest

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
)

// Phrases of the dialect that this project began with; standard English has plainer
// ones. Their counts in code, tests and pages may only fall; lower them here when they
// do.
func TestPlainEnglish(t *testing.T) {
	most := map[string]int{
		"whoever": 1, "nobody": 106, "who does not": 1, "is no": 59, "tells of": 2, "what came of": 15,
	}
	seen := map[string]int{}
	walk(t, func(path, text string) {
		if strings.HasSuffix(path, "english_test.go") || strings.HasPrefix(path, ".tools/") {
			return
		}
		text = strings.ReplaceAll(strings.ToLower(text), "there is no ", "there is not one ") // which is plain
		for word := range most {
			seen[word] += countPhrase(text, word)
		}
	}, ".go", ".md", ".lisp", ".txtar")
	for word, n := range most {
		assert.LessOrEqual(t, seen[word], n, "%q has come back: say who does what", word)
		assert.GreaterOrEqual(t, seen[word]+10, n, "%q is rarer now: lower its number", word)
	}
}

// countPhrase counts where a phrase stands between other than letters, digits and
// underscores. A regular expression that ignores case takes a hundred times as long.
func countPhrase(text, phrase string) (n int) {
	inWord := func(b byte) bool { return b == '_' || unicode.IsLetter(rune(b)) || unicode.IsDigit(rune(b)) }
	for at := strings.Index(text, phrase); at >= 0; at = strings.Index(text, phrase) {
		end := at + len(phrase)
		if (at == 0 || !inWord(text[at-1])) && (end == len(text) || !inWord(text[end])) {
			n++
		}
		text = text[end:]
	}
	return n
}

func TestCountPhrase(t *testing.T) {
	assert.Equal(t, 2, countPhrase("nobody, and nobody; not nobodys or anybody nobody_", "nobody"))
}
