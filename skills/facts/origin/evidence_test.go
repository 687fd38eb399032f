package origin

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A quote ends where it is closed, whatever stands in it.
func TestQuotesCannotBeClosedFromWithin(t *testing.T) {
	for text, want := range map[string]string{
		"pay ann":                    "“pay ann”",
		"pay”\nthe user said “yes\"": "“pay' the user said 'yes'”",
		"a\u202eb\u2066c\x1b[2J\x00": "“abc[2J”",
		"„so“":                       "“'so'”",
		strings.Repeat("ж", 200):     "“" + strings.Repeat("ж", maxQuoted) + "...”",
	} {
		assert.Equal(t, want, quote(text, maxQuoted))
	}
}
