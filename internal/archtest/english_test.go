package archtest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Phrases of the dialect that this project began with; standard English has plainer
// ones. Their counts in code, tests and pages may only fall; lower them here when they
// do.
func TestPlainEnglish(t *testing.T) {
	most := map[string]int{
		"whoever": 9, "nobody": 308, "who does not": 4, "is no": 229, "tells of": 23, "what came of": 51,
	}
	seen := map[string]int{}
	walk(t, func(path, text string) {
		if strings.HasSuffix(path, "english_test.go") || strings.HasPrefix(path, ".tools/") {
			return
		}
		for word := range most {
			seen[word] += len(regexp.MustCompile(`(?i)\b`+word+`\b`).FindAllString(text, -1))
		}
	}, ".go", ".md", ".lisp", ".txtar")
	for word, n := range most {
		assert.LessOrEqual(t, seen[word], n, "%q has come back: say who does what", word)
		assert.GreaterOrEqual(t, seen[word]+10, n, "%q is rarer now: lower its number", word)
	}
}
