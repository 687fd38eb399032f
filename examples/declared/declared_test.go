// Package declared_test keeps the declarations of this folder: the drafts are what the
// command makes of the lists, and the reviewed ones load, are settled, and hold behind the
// guard.
package declared_test

import (
	"flag"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason/author"
	"github.com/opencortex-go/cortex/reason/lint"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
	"github.com/opencortex-go/cortex/skills/provenance"
	"github.com/opencortex-go/cortex/skills/rules"
)

var update = flag.Bool("update", false, "write the drafts again")

// lists are the documents of this folder, by the name of their declarations.
func lists() map[string]string {
	return map[string]string{"filesystem": "filesystem.tools.json", "memory": "memory.tools.json",
		"everything": "everything.tools.json", "forge": "forge.openapi.yaml", "mail": "mail.swagger.json"}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(data)
}

// A draft is what `cortex tools declare` prints, with no edit.
func TestDrafts(t *testing.T) {
	for name, file := range lists() {
		text, err := author.Declare(provenance.DefaultLexicon(), file, []byte(read(t, file)))
		require.NoError(t, err)
		if *update {
			require.NoError(t, os.WriteFile(name+".draft.lisp", []byte(text), 0o644)) //nolint:gosec // everybody may read it
		}
		assert.Equal(t, read(t, name+".draft.lisp"), text, "run this test with -update, and review what changed")
	}
}

// A review settles every guess about every tool, and no parameter gets lost or appears.
func TestReviews(t *testing.T) {
	for name := range lists() {
		draft, reviewed := tools(t, name+".draft.lisp"), load(t, name+".lisp")
		assert.Empty(t, lint.Run(reviewed), name)
		for _, tool := range reviewed.Tools() {
			was := draft[tool.Name]
			delete(draft, tool.Name)
			if tool.Name == "" || was == nil {
				assert.NotNil(t, was, "%s declares %s, which no list has", name, tool.Name)
				continue
			}
			assert.Equal(t, was.Signature(), tool.Signature(), tool.Name)
			assert.Equal(t, was.Doc, tool.Doc, tool.Name)
		}
		assert.Empty(t, draft, "%s leaves tools out", name)
	}
}

func load(t *testing.T, file string) *rules.Rulebook {
	t.Helper()
	book, err := rules.Loader{Functions: secrets.Functions()}.Load(rules.Root{
		FS: fstest.MapFS{file: {Data: []byte(read(t, file))}}, Files: []string{file}})
	require.NoError(t, err)
	return book
}

func tools(t *testing.T, file string) map[string]*skills.Tool {
	t.Helper()
	out := map[string]*skills.Tool{}
	for _, tool := range load(t, file).Tools() {
		out[tool.Name] = tool
	}
	return out
}

// The examples hold behind the guard.
func TestExamples(t *testing.T) {
	for name := range lists() {
		book, err := rules.Loader{Functions: secrets.Functions()}.Load(rules.Root{
			FS: os.DirFS(".."), Files: []string{"declared/examples/" + name + ".lisp"}})
		require.NoError(t, err)
		r := author.Run(t.Context(), book)
		assert.GreaterOrEqual(t, len(r.Results), 3, name)
		for i := range r.Results {
			e := &r.Results[i]
			assert.Empty(t, e.Wrong, "%s: %s", name, e.Example.Name)
		}
	}
}
