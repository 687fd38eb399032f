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
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
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

// Every file stands by itself: anyone who wants one concern takes one file.
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
			assert.True(t, bytes.Contains(text, []byte(":expect (allow")) ||
				bytes.Contains(text, []byte(":expect (ask")), "%s shows what it lets pass", name)
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
			if g.Key() == "tool-permissions/bounded" { // rewrites: no decision has its key
				continue
			}
			assert.True(t, bytes.Contains(all, []byte(" "+g.Key()+")")), "an example for %s", g.Key())
		}
	}
}

// A link in the workspace is judged by where it leads.
func TestRow069_ALinkLeadsOutOfTheWorkspace(t *testing.T) {
	book := load(t, rules.Root{FS: shipped.Files()})
	for to, want := range map[string]string{
		"/w/safe.txt":     "tier/read-file",
		"/w/app/.env":     "bouncer-paths/file",
		"/srv/other.txt":  "path-guard/outside",
		"/home/u/.ssh/id": "bouncer-paths/folder",
	} {
		form, err := sexpr.Read("", `(:tool "read-file" :args (:path "notes.txt"))`)
		require.NoError(t, err)
		d := reason.Decide(t.Context(), reason.Request{
			Policy: book, Proposal: form,
			Facts:  &skills.Facts{Env: sexpr.Plist("cwd", sexpr.Str("/w"), "workspace", sexpr.Str("/w"))},
			Lookup: func(string, string) (string, error) { return to, nil },
		})
		assert.Equal(t, want, d.Key, to)
	}
}

func TestRow068_DeniedToolsAreNotShownToTheModel(t *testing.T) {
	book := load(t, rules.Root{FS: shipped.Files()})
	script, err := model.NewScripted("script", "script.lisp",
		`(:reply "hello" :expect ("- shell:" "- read-file:") :refuse ("delete-file" "- eval"))`)
	require.NoError(t, err)
	thinker := model.Thinker{Providers: []model.Provider{script}}
	_, err = thinker.Think(context.Background(), model.Turn{Policy: book, Facts: &skills.Facts{}})
	assert.NoError(t, err)
	for tool, tier := range map[string]skills.Tier{"shell": skills.TierAsk, "read-file": skills.TierAllow,
		"delete-file": skills.TierDeny, "eval": skills.TierDeny} {
		got, ok := book.Tool(tool)
		require.True(t, ok)
		assert.Equal(t, tier, got.Tier, tool)
	}
	assert.Equal(t, skills.TierAsk, book.UnknownTool())
}
