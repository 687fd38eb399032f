package facts

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The table of functions in docs/language.md says what Core says.
func TestDocs_TableOfFunctionsIsUpToDate(t *testing.T) {
	text, err := os.ReadFile("../../docs/language.md")
	require.NoError(t, err)
	for _, f := range Core() {
		row := docRow(&f)
		assert.Contains(t, string(text), row+"\n", "the row of %s in docs/language.md", f.Name)
	}
	for _, f := range commandType().Fields {
		assert.Contains(t, string(text), "| `"+f.Name+"` | "+f.Doc+" |\n")
	}
}

func docRow(f *Function) string {
	cost := fmt.Sprint(f.Cost)
	if f.PerItem > 0 {
		cost = fmt.Sprintf("%d a pattern", f.PerItem)
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s |", f.Signature(), f.Result, cost, strings.ReplaceAll(f.Doc, "|", "\\|"))
}
