package archtest

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
)

var update = flag.Bool("update", false, "write docs/rows.md, and the drawing in docs/insides.md")

// walk calls f with each file of the repository whose name ends so.
func walk(t *testing.T, f func(path, text string), ends ...string) {
	t.Helper()
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.ContainsFunc(ends, func(e string) bool { return strings.HasSuffix(path, e) }) {
			return err
		}
		text, err := os.ReadFile(path)
		f(strings.TrimPrefix(filepath.ToSlash(path), "../../"), string(text))
		return err
	}))
}

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	require.NoError(t, err)
	return string(text)
}

// found are the first groups of all matches.
func found(re, text string) (out []string) {
	for _, m := range regexp.MustCompile(re).FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// between is the part of a text between two others.
func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, text, ok := strings.Cut(text, from)
	require.True(t, ok, from)
	text, _, ok = strings.Cut(text, to)
	require.True(t, ok, to)
	return text
}

// The tables of docs/insides.md have what the code has: every kind of record, every
// table of the index, and every package.
func TestInsidesTablesAreComplete(t *testing.T) {
	var code strings.Builder
	walk(t, func(path, text string) {
		if strings.HasPrefix(path, "cortex/") && !strings.HasSuffix(path, "_test.go") {
			code.WriteString(text)
		}
	}, ".go")
	insides := page(t, "insides.md")
	kinds := found(`(?m)^\s*(?:const )?[kK]ind[A-Z]\w*\s*=\s*"([a-z-]+)"`, code.String())
	kinds = append(kinds, found(`(?m)^\s*(?:const )?\w*[kK]ind\w*\s*=\s*"(retention)"`, code.String())...)
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	require.Greater(t, len(kinds), 15)
	assert.Equal(t, kinds, found("(?m)^\\| `([a-z-]+)` \\|", between(t, insides, "### Kinds of record", "### ")))
	series := strings.ReplaceAll(code.String(), " Series = '", " Table2[string, uint64] = '")
	series = strings.ReplaceAll(series, " Keyring = '", " Table1[uint64] = '")
	tables, rows := map[string]string{}, map[string]string{} // letter: how many parts
	for _, m := range regexp.MustCompile(`\bTable[A-Z]\w*\s+Table(\d)\[.*\]\s*=\s*'(.)'`).FindAllStringSubmatch(series, -1) {
		tables[m[2]] = m[1]
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w)` ([^|]*) \\|").FindAllStringSubmatch(
		between(t, insides, "### Index keys", "### "), -1) {
		rows[m[1]] = fmt.Sprint(1 + strings.Count(m[2], ","))
	}
	require.Greater(t, len(tables), 15)
	assert.Equal(t, tables, rows)

	block := between(t, insides, "## The packages", "Each imports only")
	for _, p := range list(t, "./...") {
		rel := strings.TrimPrefix(p.ImportPath, module)
		if strings.HasPrefix(rel, "examples/") || len(p.GoFiles) == 0 {
			continue
		}
		assert.Regexp(t, `(?m)^    `+regexp.QuoteMeta(rel)+`\s`, block, "docs/insides.md does not list the package")
	}
}

// Every test that a page names exists.
func TestPagesNameTestsThatExist(t *testing.T) {
	tests := map[string]bool{}
	walk(t, func(_, text string) {
		for _, name := range found(`(?m)^func ((?:Test|Fuzz|Benchmark|Example)\w*)\(`, text) {
			tests[name] = true
		}
	}, "_test.go")
	walk(t, func(path, text string) {
		for _, name := range found("`((?:Test|Fuzz)[A-Z]\\w+)`", text) {
			assert.True(t, !strings.HasPrefix(path, "docs/") || tests[name], "%s names %s, which does not exist", path, name)
		}
	}, ".md")
}

// docs/locks.md has every lock once, in order, with the tests that show it or the reason why it is met
// otherwise. That the tests exist is seen to for all pages.
func TestLocksAreComplete(t *testing.T) {
	rows := regexp.MustCompile(`(?m)^\| (\d+) \| (.+) \| (.+) \|$`).FindAllStringSubmatch(page(t, "locks.md"), -1)
	require.Len(t, rows, 160)
	tests := regexp.MustCompile("^`Test\\w+`(, `Test\\w+`)*$")
	for i, row := range rows {
		assert.Equal(t, strconv.Itoa(i+1), row[1])
		assert.True(t, tests.MatchString(row[3]) || strings.HasSuffix(row[3], "."),
			"%s: neither tests nor a reason: %s", row[1], row[3])
	}
}

// docs/rows.md lists what comments and names of tests call rows and weaknesses, by
// the tests that are named after them; there is none in the code that it lacks.
func TestRowsReference(t *testing.T) {
	crashtest.Long(t)
	rows, weak := map[int][]string{}, map[int][]string{}
	words := strings.NewReplacer("_", " ")
	add := func(to map[int][]string, number, name string) {
		n, err := strconv.Atoi(number)
		require.NoError(t, err)
		if !slices.Contains(to[n], name) {
			to[n] = append(to[n], name)
		}
	}
	upper := regexp.MustCompile(`([A-Z])([A-Z][a-z])|([a-z0-9])([A-Z])`)
	spell := func(name string) string { // ALinkToX: a link to x
		for upper.MatchString(name) && upper.ReplaceAllString(name, "$1$3 $2$4") != name {
			name = upper.ReplaceAllString(name, "$1$3 $2$4")
		}
		return strings.ToLower(words.Replace(name))
	}
	named := func(text string) {
		for _, m := range regexp.MustCompile(`(?:Test|["/])Row(\d+)_(\w+)`).FindAllStringSubmatch(text, -1) {
			add(rows, m[1], spell(m[2]))
		}
		for _, m := range regexp.MustCompile(`"Row(\d+)(?: W\d+)? ([a-z][^"]*)"`).FindAllStringSubmatch(text, -1) {
			add(rows, m[1], m[2])
		}
		for _, m := range regexp.MustCompile(`TestW(\d+)_(\w+)`).FindAllStringSubmatch(text, -1) {
			add(weak, m[1], spell(m[2]))
		}
		for _, m := range regexp.MustCompile(`"(?:Row\d+ )?W(\d+) ([a-z][^"]*)"`).FindAllStringSubmatch(text, -1) {
			add(weak, m[1], m[2])
		}
	}
	walk(t, func(_, text string) { named(text) }, "_test.go", "gatewaytest/suite.go")
	walk(t, func(path, _ string) {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		for _, m := range regexp.MustCompile(`^row(\d+)_(\w+)`).FindAllStringSubmatch(name, -1) {
			add(rows, m[1], words.Replace(m[2]))
		}
		for _, m := range regexp.MustCompile(`^w(\d+)_(\w+)`).FindAllStringSubmatch(name, -1) {
			add(weak, m[1], words.Replace(m[2]))
		}
	}, ".txtar")

	var b strings.Builder
	b.WriteString("# Rows and weaknesses\n\nMade by `make generate` from the names of tests. Cortex follows an earlier " +
		"agent, which comments call the ancestor. What that did, " +
		"and Cortex does too, was written down as numbered rows before there was any code; where it was weak, and Cortex " +
		"is not to be, as W1 to W44. " +
		"Comments and tests go by these numbers. The words are those of the tests that are named after a number; a number " +
		"that no test is named after is left out.\n")
	for _, part := range []struct {
		title, mark string
		of          map[int][]string
	}{{"Rows", "row ", rows}, {"Weaknesses", "W", weak}} {
		fmt.Fprintf(&b, "\n## %s\n\n| number | tests say |\n|---|---|\n", part.title)
		for _, n := range slices.Sorted(maps.Keys(part.of)) {
			slices.Sort(part.of[n])
			fmt.Fprintf(&b, "| %s%d | %s |\n", part.mark, n, strings.Join(part.of[n], "; "))
		}
	}
	if *update {
		require.NoError(t, os.WriteFile("../../docs/rows.md", []byte(b.String()), 0o644))
	}
	assert.Equal(t, page(t, "rows.md"), b.String(), "docs/rows.md is stale: run make generate")
	walk(t, func(path, text string) {
		for _, n := range found(`\bW(\d{1,2})\b`, text) {
			n, _ := strconv.Atoi(n)
			assert.Contains(t, weak, n, "%s speaks of W%d, which docs/rows.md does not explain", path, n)
		}
		for _, n := range found(`\b[Rr]ows? (\d{1,3})\b`, text) {
			n, _ := strconv.Atoi(n)
			assert.Contains(t, rows, n, "%s speaks of row %d, which docs/rows.md does not explain", path, n)
		}
	}, ".go")
}

// The Go code of docs/embedding.md is that of examples that run, and so is what it
// says that they print.
func TestEmbeddingPageIsItsExamples(t *testing.T) {
	var source []byte
	for _, path := range []string{"cortex/example_embedding_test.go", "examples/guarded/main.go",
		"examples/guarded/main_test.go", "runs/example_test.go", "adapters/llm/guard/example_test.go"} {
		text, err := os.ReadFile(filepath.Join("..", "..", path))
		require.NoError(t, err)
		source = append(source, text...)
	}
	embedding := page(t, "embedding.md")
	indent := regexp.MustCompile(`(?m)^\t`)
	var regions, shown []string
	for _, m := range regexp.MustCompile(`(?ms)^(\t*)// page: \w+\n(.*?)\n\t*// page: end$`).FindAllStringSubmatch(
		string(source), -1) {
		code := strings.TrimRight(m[2], "\n")
		for range m[1] {
			code = indent.ReplaceAllString(code, "")
		}
		regions = append(regions, code)
	}
	require.Greater(t, len(regions), 5)
	for _, m := range regexp.MustCompile("(?ms)^```go\n(.*?)\n```$").FindAllStringSubmatch(embedding, -1) {
		shown = append(shown, m[1])
	}
	assert.ElementsMatch(t, regions, shown)
	for _, m := range regexp.MustCompile(`(?m)^It prints\n\n((?:    .*\n)+)`).FindAllStringSubmatch(embedding, -1) {
		printed := regexp.MustCompile(`(?m)^    `).ReplaceAllString(m[1], "\t// ")
		assert.Contains(t, string(source), "\t// Output:\n"+printed)
	}
}
