package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Rules that a page shows are a file in examples/pages, word for word: what people
// copy is what is loaded here. Those that a page writes into a file by a command
// are loaded where the page is followed.
func TestRulesOfPagesAreFilesThatLoad(t *testing.T) {
	files, err := filepath.Glob("../../examples/pages/*.lisp")
	require.NoError(t, err)
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		all.Write(text)
		code, out := runs(t, "", "rules", "check", f)
		assert.Equal(t, exitDone, code, "%s: %s", f, out)
		// Rules for one tool deny no other.
		code, out = runs(t, `{"id":1,"action":{"tool":"reply","args":{"text":"hello"}}}`, "decide", "--one", "--rules", f)
		assert.Equal(t, exitDone, code, "%s: %s", f, out)
	}
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	shown := 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, re := range []string{"(?s)```lisp\n(.*?)\n```", "(?s)\\.lisp\": \\{Data: \\[\\]byte\\(`\n(.*?)`\\)"} {
			if strings.HasSuffix(page, "cookbook.md") {
				continue // see TestTheCookbookPage
			}
			for _, m := range regexp.MustCompile(re).FindAllStringSubmatch(string(text), -1) {
				if strings.HasPrefix(m[1], "(def") && !strings.HasPrefix(m[1], "(defcapability") { // of plan files
					shown++
					assert.Contains(t, all.String(), m[1], page)
				}
			}
		}
		// What a command of a page names is there.
		for _, m := range regexp.MustCompile(`--rules (examples/\S+)`).FindAllStringSubmatch(string(text), -1) {
			_, err := os.Stat(filepath.Join("../..", m[1]))
			assert.NoError(t, err, page)
		}
	}
	assert.Equal(t, len(files), shown)
}

// The README's one line gives what the README says.
func TestTheReadmesRequest(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	m := regexp.MustCompile(`(?m)^    \$ echo '(.*)' \| cortex (decide .*) --rules (\S+)\n    (.*)$`).FindStringSubmatch(
		string(readme))
	require.NotNil(t, m)
	code, out := runs(t, m[1], append(strings.Fields(m[2]), "--rules", filepath.Join("../..", m[3]))...)
	assert.Equal(t, exitDenied, code, out)
	for _, part := range strings.Split(m[4], " ... ") {
		assert.Contains(t, out, strings.TrimSuffix(part, " ...}"))
	}
}

// runs runs the program.
func runs(t *testing.T, in string, args ...string) (code int, out string) {
	t.Helper()
	var both bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(in), &both, &both)
	return code, both.String()
}
