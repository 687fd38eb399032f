package lint

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The table in docs/language.md is the list of classes.
func TestTheTableOfClassesIsComplete(t *testing.T) {
	text, err := os.ReadFile("../../docs/language.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(text), "### What lint finds\n")
	require.True(t, ok)
	section, _, _ = strings.Cut(section, "\n#")
	want := "| class | what it means | example |\n|---|---|---|\n"
	for _, c := range Classes() {
		want += "| `" + c.ID + "` | " + c.Doc + " | " + c.Example + " |\n"
	}
	assert.Contains(t, section, want)
	assert.Equal(t, len(Classes())+2, strings.Count(section, "\n|"))
}
