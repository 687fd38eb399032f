package vocabulary

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the tables of docs/language.md anew")

// The tables of words in docs/language.md are the tables of this package, row by row.
func TestDocs_TablesOfWordsAreUpToDate(t *testing.T) {
	const file = "../../../docs/language.md"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	page := string(text)
	for _, want := range tables() {
		header, _, _ := strings.Cut(want, "\n")
		_, rest, ok := strings.Cut(page, "\n"+header+"\n")
		require.True(t, ok, "docs/language.md has no table %s", header)
		rows, _, _ := strings.Cut(rest, "\n\n")
		found := header + "\n" + rows + "\n"
		if *update {
			page = strings.Replace(page, found, want, 1)
			continue
		}
		assert.Equal(t, want, found, "write it anew with -update")
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(page), 0o644))
	}
}

func tables() []string {
	return []string{
		formTable("| definition | what it says |", Definitions()),
		formTable("| clause | what it does |", Clauses()),
		keyTable("| key | of | what it says |", append(Definitions(), Clauses()...)),
		formTable("| part | what it is |", Parts()),
		keyTable("| key | in | what it says |", Parts()),
		wordTable("| kind | what it takes |", Kinds()),
		wordTable("| name | what it is |", Names()),
		wordTable("| constant | what it is |", Constants()),
	}
}

func formTable(header string, forms []Form) string {
	var b strings.Builder
	b.WriteString(header + "\n|---|---|\n")
	for _, f := range forms {
		written := f.Name
		switch {
		case f.Front != "":
			written = "(" + f.Name + " " + f.Front + ")"
		case f.Name == "defaults":
			written = "(defaults :unknown-tool WORD)"
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", written, f.Doc)
	}
	return b.String()
}

// keyTable has one row for a key of several forms that means the same in all of them.
func keyTable(header string, forms []Form) string {
	type row struct{ name, doc string }
	var order []row
	of := map[row][]string{}
	for _, f := range forms {
		for _, k := range f.Keys {
			r := row{k.Name, k.Doc}
			if of[r] == nil {
				order = append(order, r)
			}
			of[r] = append(of[r], "`"+f.Name+"`")
		}
	}
	var b strings.Builder
	b.WriteString(header + "\n|---|---|---|\n")
	for _, r := range order {
		fmt.Fprintf(&b, "| `:%s` | %s | %s |\n", r.name, strings.Join(of[r], " "), r.doc)
	}
	return b.String()
}

func wordTable(header string, words []Word) string {
	var b strings.Builder
	b.WriteString(header + "\n|---|---|\n")
	for _, w := range words {
		written := w.Name
		if w.Args != "" {
			written = "(" + w.Name + " " + w.Args + ")"
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", written, w.Doc)
	}
	return b.String()
}

// The page lists the names that no skill has.
func TestDocs_ReservedNamesAreListed(t *testing.T) {
	text, err := os.ReadFile("../../../docs/language.md")
	require.NoError(t, err)
	assert.Contains(t, string(text), "`"+strings.Join(Reserved(), "` `")+"`")
}

// Every word is explained, and each form has a name of its own, so that the keys of one
// are never taken for those of another.
func TestEveryWordIsExplained(t *testing.T) {
	seen := map[string]bool{}
	for _, forms := range [][]Form{Definitions(), Clauses(), Parts()} {
		for _, f := range forms {
			assert.False(t, seen[f.Name], f.Name)
			seen[f.Name] = true
			assert.NotEmpty(t, f.Doc, f.Name)
			for _, k := range f.Keys {
				assert.NotEmpty(t, k.Doc, k.Name)
			}
		}
	}
	for _, words := range [][]Word{Kinds(), Names(), Constants()} {
		for _, w := range words {
			assert.NotEmpty(t, w.Doc, w.Name)
		}
	}
}
