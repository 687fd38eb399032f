package origin

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The page of the language says of each question what the function says of itself, and
// names every class, role and origin.
func TestDocs_QuestionsAboutOriginAreUpToDate(t *testing.T) {
	text, err := os.ReadFile("../../../docs/language.md")
	require.NoError(t, err)
	for _, f := range Functions(new(Words)) {
		row := fmt.Sprintf("| `%s` | %s | %d | %s |", f.Signature(), f.Result, f.Cost, f.Doc)
		assert.True(t, strings.Contains(string(text), "\n"+row+" `"), "the row of %s in docs/language.md", f.Name)
	}
	for _, f := range argumentType().Fields {
		assert.Contains(t, string(text), "| `"+f.Name+"` | "+f.Doc+" |\n")
	}
	for _, list := range [][]string{Classes(), Roles(), names()} {
		for _, word := range list {
			assert.True(t, strings.Contains(string(text), "`:"+word+"`") || strings.Contains(string(text), "`"+word+"`"),
				"docs/language.md does not name %s", word)
		}
	}
}
