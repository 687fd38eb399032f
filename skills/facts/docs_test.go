package facts

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
)

// The table of functions in docs/language.md says what Core says.
func TestDocs_TableOfFunctionsIsUpToDate(t *testing.T) {
	text, err := os.ReadFile("../../docs/language.md")
	require.NoError(t, err)
	for _, f := range Core() {
		row := docRow(&f)
		assert.True(t, strings.Contains(string(text), "\n"+row+" `"), "the row of %s in docs/language.md", f.Name)
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

// The tables of the plain language in docs/language.md are the list in plain.go.
func TestDocs_TablesOfThePlainLanguageAreUpToDate(t *testing.T) {
	text, err := os.ReadFile("../../docs/language.md")
	require.NoError(t, err)
	for _, row := range docPlain() {
		assert.True(t, strings.Contains(string(text), row+"\n"), "docs/language.md lacks %s", row)
	}
}

func docPlain() []string {
	code := func(s string) string {
		return "`` " + strings.NewReplacer("\n", "⏎", "|", "\\|", "\x01", "^A").Replace(s) + " ``"
	}
	cell := strings.NewReplacer("|", "\\|", "*", "\\*", "<", "&lt;", "`", "\\`", "$", "\\$")
	rows := []string{"| read | example |", "|---|---|"}
	for _, c := range shell.Plain() {
		rows = append(rows, "| "+cell.Replace(c.Name)+" | "+code(c.Example)+" |")
	}
	rows = append(rows, "", "| not read | example | instead |", "|---|---|---|")
	for _, c := range shell.NotPlain() {
		rows = append(rows, "| "+cell.Replace(c.Name)+" | "+code(c.Example)+" | "+cell.Replace(c.Instead)+" |")
	}
	return rows
}
