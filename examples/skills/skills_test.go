package skills_test

import (
	"bytes"
	"context"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	shipped "github.com/opencortex-go/cortex/examples/skills"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
	"github.com/opencortex-go/cortex/skills/rules"
)

func load(t *testing.T, roots ...rules.Root) *rules.Rulebook {
	t.Helper()
	book, err := reason.Loader(rules.Loader{Functions: secrets.Functions()}).Load(roots...)
	require.NoError(t, err, "every file loads, and its examples hold")
	return book
}

// Every file stands by itself: whoever wants one concern takes one file.
func TestEachFileLoadsByItself(t *testing.T) {
	for _, files := range []fs.FS{shipped.Files(), shipped.Policy()} {
		names, err := fs.Glob(files, "*.lisp")
		require.NoError(t, err)
		require.NotEmpty(t, names)
		for _, name := range names {
			load(t, rules.Root{FS: files, Files: []string{name}})
			text, err := fs.ReadFile(files, name)
			require.NoError(t, err)
			assert.True(t, bytes.Contains(text, []byte(":expect (deny")), "%s shows what it refuses", name)
			assert.True(t, bytes.Contains(text, []byte(":expect (allow")) || bytes.Contains(text, []byte(":expect (ask")), "%s shows what it lets pass", name)
		}
	}
	load(t, rules.Root{FS: shipped.Files()}, rules.Root{FS: shipped.Policy()})
}

// Every clause has an example that it decides, so that none can break unseen.
func TestEachClauseHasAnExample(t *testing.T) {
	book := load(t, rules.Root{FS: shipped.Files()}, rules.Root{FS: shipped.Policy()})
	var all []byte
	for _, f := range book.Files() {
		all = append(all, f.Data...)
	}
	for _, s := range book.Skills("") {
		for _, g := range s.Gates {
			if g.Key() == "tool-permissions/bounded" {
				continue // rewrites; no decision has its key
			}
			assert.True(t, bytes.Contains(all, []byte(" "+g.Key()+")")), "an example for %s", g.Key())
		}
	}
}

func TestRow068_DeniedToolsAreNotShownToTheModel(t *testing.T) {
	book := load(t, rules.Root{FS: shipped.Files()})
	script, err := reason.NewScripted("script", "script.lisp",
		`(:reply "hello" :expect ("- shell:" "- read-file:") :refuse ("delete-file" "- eval"))`)
	require.NoError(t, err)
	thinker := reason.Thinker{Providers: []reason.Provider{script}}
	_, err = thinker.Think(context.Background(), reason.Turn{Policy: book, Facts: &skills.Facts{}})
	assert.NoError(t, err)
	for tool, tier := range map[string]skills.Tier{"shell": skills.TierAsk, "read-file": skills.TierAllow, "delete-file": skills.TierDeny, "eval": skills.TierDeny} {
		got, ok := book.Tool(tool)
		require.True(t, ok)
		assert.Equal(t, tier, got.Tier, tool)
	}
	assert.Equal(t, skills.TierAsk, book.UnknownTool())
}
