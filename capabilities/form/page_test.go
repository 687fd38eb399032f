package form

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func formPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/capability-form.md")
	require.NoError(t, err)
	return string(text)
}

// Every member that the reader knows stands in its table of docs/capability-form.md, with what it
// takes, in order.
func TestMembersOfTheCapabilityPage(t *testing.T) {
	tables := map[string][]member{
		"a capability": capabilityMembers, "an input": inputMembers, "an output": outputMembers, ":compat": compatMembers,
		":needs": needsMembers, ":offer": offerMembers, ":weights": weightMembers, ":once": onceMembers,
		":budget": budgetMembers, "a step": stepMembers, "an undo": undoMembers, "a parser": parserMembers,
		"a test": testMembers, "a stub": stubMembers, ":expect": expectMembers, ":fuzz": fuzzMembers, ":rates": rateMembers,
		":provenance": minedMembers,
	}
	page := formPage(t)
	for what, members := range tables {
		_, table, ok := strings.Cut(page, "\nMembers of "+what+":\n\n| member | takes | meaning |\n|---|---|---|\n")
		require.True(t, ok, "the page has no table of %s", what)
		table, _, _ = strings.Cut(table, "\n\n")
		var want, got []string
		for _, m := range members {
			takes := m.takes
			if m.must {
				takes = "**" + takes + "**"
			}
			want = append(want, "`:"+m.name+"` | "+takes)
		}
		for row := range strings.SplitSeq(table, "\n") {
			cells := strings.Split(row, " | ")
			require.Len(t, cells, 3, row)
			assert.NotEmpty(t, strings.Trim(cells[2], " |"), row)
			got = append(got, strings.TrimPrefix(cells[0], "| ")+" | "+cells[1])
		}
		assert.Equal(t, want, got, "members of %s", what)
	}
	for _, m := range regexp.MustCompile(`(?m)^Members of (.*):$`).FindAllStringSubmatch(page, -1) {
		assert.Contains(t, tables, m[1])
	}
}

// The page has each member of a manifest once.
func TestManifestOfTheCapabilityPage(t *testing.T) {
	paths := map[string]string{"": "", "field": "signature.inputs.", "step": "plan.steps.", "budget": "plan.budget.",
		"compensation": "plan.compensation.", "blackboard_bindings": "signature.blackboard_bindings.",
		"score_weights": "activation.score_weights.", "parser": "llm_support.parsers.", "case": "tests.unit_cases.",
		"expected": "tests.expected."}
	var want []string
	for part, members := range manifestParts {
		path, ok := paths[part]
		if !ok {
			path = part + "."
		}
		for _, pair := range members {
			want = append(want, path+pair[0])
		}
	}
	// What has members of its own is told by them.
	want = slices.DeleteFunc(want, func(path string) bool {
		return path != "tests.unit_cases" && path != "signature.inputs" &&
			slices.ContainsFunc(want, func(other string) bool { return strings.HasPrefix(other, path+".") })
	})
	_, table, ok := strings.Cut(formPage(t), "| in a manifest | in a definition |\n|---|---|\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n\n")
	var got []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z0-9_.]+)` \\| \\S").FindAllStringSubmatch(table, -1) {
		got = append(got, m[1])
	}
	assert.ElementsMatch(t, want, got)
}

// Every capability on the page is read; those with one id are one capability. The first is the one of
// the tests.
func TestCapabilitiesOfTheCapabilityPage(t *testing.T) {
	hashes := map[string]string{}
	blocks := regexp.MustCompile("(?s)```(?:lisp|json)\n(.*?)```").FindAllStringSubmatch(formPage(t), -1)
	require.Len(t, blocks, 3)
	for _, m := range blocks {
		all, err := Read("page", []byte(m[1]))
		require.NoError(t, err, m[1])
		for _, c := range all {
			if old, ok := hashes[c.ID]; ok {
				assert.Equal(t, old, c.Hash().String(), c.ID)
			}
			hashes[c.ID] = c.Hash().String()
		}
	}
	assert.Len(t, hashes, 2)
	text, err := os.ReadFile("testdata/deploy.lisp")
	require.NoError(t, err)
	assert.Contains(t, string(text), blocks[0][1])
}

// The page names the mutations and the names that are taken.
func TestNamesOfTheCapabilityPage(t *testing.T) {
	page := formPage(t)
	for _, name := range append(Mutations(nil), reserved...) {
		assert.Contains(t, page, "`"+name+"`")
	}
	assert.Contains(t, page, `:undo "`+OnlyReads+`"`)
}
