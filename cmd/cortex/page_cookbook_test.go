package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/opening"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/internal/daemon"
	"github.com/opencortex-go/cortex/reason/author"
	"github.com/opencortex-go/cortex/skills/rules"
)

// recipes are the rulebooks of the cookbook, as docs/cookbook.md orders them. The last
// chooses models, before there is an action, and so it has no examples.
func recipes() []string {
	return []string{"payments", "support-desk", "email-assistant", "calendar", "sql-analyst", "data-export",
		"cloud-operator", "ci-bot", "coding-agent", "web-researcher", "home", "read-only", "private-models"}
}

// docs/cookbook.md shows each rulebook of the cookbook: its head as prose, and its rules
// without the examples. `go test ./cmd/cortex -run TestTheCookbookPage -update` writes it.
func TestTheCookbookPage(t *testing.T) {
	files, err := filepath.Glob("../../examples/cookbook/*")
	require.NoError(t, err)
	assert.Len(t, files, len(recipes()))
	const page = "../../docs/cookbook.md"
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	was := string(data)
	var b strings.Builder
	for _, name := range recipes() {
		b.WriteString(recipe(t, name))
	}
	intro, _, ok := strings.Cut(was, "\n## ")
	require.True(t, ok)
	const last = "## How to work on rules\n"
	_, outro, ok := strings.Cut(was, last)
	require.True(t, ok)
	is := intro + "\n" + b.String() + last + outro
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(is), 0o600))
		was = is
	}
	assert.Equal(t, is, was, "docs/cookbook.md is stale: run this test with -update")
}

// recipe is what the page shows of a file: title, prose, rules, and where the rest is.
func recipe(t *testing.T, name string) string {
	t.Helper()
	path := "examples/cookbook/" + name + ".lisp"
	data, err := os.ReadFile("../../" + path)
	require.NoError(t, err)
	text := string(data)
	head, rest, ok := strings.Cut(text, "\n\n")
	require.True(t, ok, "%s begins with what it is for, and an empty line", path)
	parts := strings.Split(regexp.MustCompile(`(?m)^; ?`).ReplaceAllString(head, ""), "\n\n")
	require.GreaterOrEqual(t, len(parts), 2, "%s has a title and says what it is for", path)
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(p, "\n", " ")
	}
	shown, _, _ := strings.Cut(rest, "\n\n(defexample ")
	with := ""
	if n := strings.Count(text, "(defexample "); n > 0 {
		with = fmt.Sprintf(", with %d examples", n)
	}
	return fmt.Sprintf("## %s\n\n```lisp\n%s\n```\n\n(`%s`%s)\n\n",
		strings.Join(parts, "\n\n"), strings.TrimSpace(shown), path, with)
}

// Each recipe loads and says what it means: lint finds nothing, its layout is the one
// style, and its examples show every clause and both outcomes of every condition.
func TestTheCookbookIsSound(t *testing.T) {
	for _, name := range recipes() {
		path := "../../examples/cookbook/" + name + ".lisp"
		code, out := runs(t, "", "rules", "check", path)
		assert.Equal(t, exitDone, code, "%s: %s", name, out)
		assert.Regexp(t, `\Aok: .*\npolicy sha256:[0-9a-f]+\n\z`, out, "%s: nothing else is said of it", name)
		assertCovered(t, name, path)
	}
}

// Examples catch most faults that are planted in the recipes and in the whole rulebooks.
func TestTheCookbookCatchesPlantedFaults(t *testing.T) {
	crashtest.Long(t)
	for _, name := range recipes() {
		assertCatches(t, name, "../../examples/cookbook/"+name+".lisp")
	}
}

// The commands for authors know the functions that a load knows, also those for queries.
func TestAuthorsHaveEveryFunction(t *testing.T) {
	const path = "../../examples/cookbook/sql-analyst.lisp"
	for _, args := range [][]string{{"rules", "test", path}, {"rules", "mutate", "--most", "1", path}} {
		code, out := runs(t, "", args...)
		assert.Equal(t, exitDone, code, "%v: %s", args, out)
	}
}

// assertCovered asserts that the examples of a file hold, and show every clause both ways.
func assertCovered(t *testing.T, name, path string) {
	t.Helper()
	root, err := opening.RootOf(path)
	require.NoError(t, err)
	book, err := rules.Loader{Functions: daemon.Functions()}.Load(root)
	require.NoError(t, err)
	r := author.Run(t.Context(), book)
	assert.Zero(t, r.Failed, name)
	for _, m := range r.Coverage.Missing {
		t.Errorf("%s: no example shows %s (applies: %t)", name, m.Rule.ID, m.Applies)
	}
}

// assertCatches asserts that the examples of a file catch nine of ten planted faults.
func assertCatches(t *testing.T, name, path string) {
	t.Helper()
	root, err := opening.RootOf(path)
	require.NoError(t, err)
	m, err := author.Mutate(t.Context(), rules.Loader{Functions: daemon.Functions()}, author.Faults{}, root)
	require.NoError(t, err)
	if m.Planted == 0 {
		return
	}
	t.Logf("%s: %d of %d faults caught, %d make no difference: %d %%", name, m.Caught, m.Planted,
		len(m.Equivalent), m.Score())
	assert.GreaterOrEqual(t, m.Score(), 90, name)
}
