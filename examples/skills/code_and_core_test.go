package skills_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	shipped "github.com/opencortex-go/cortex/examples/skills"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// The protected core is changed with a justification, or not at all, also where the path
// stands deep within the arguments.
func TestRow071_TheProtectedCoreIsChangedWithAJustification(t *testing.T) {
	book := load(t, rules.Root{FS: shipped.Core()}, rules.Root{FS: fstest.MapFS{
		"tools.lisp": {Data: []byte(`(deftool shell :doc "Run." :params (:cmd command) :required (:cmd))`)},
	}})
	for text, want := range map[string]string{
		`(:tool "write-file" :args (:path "/a/core/x" :content "x"))`:                                                    "core/unjustified",
		`(:tool "write-file" :args (:path "/a/core/x" :content "x") :explanation "   too  short ")`:                      "core/unjustified",
		`(:tool "write-file" :args (:path "/a/core/x" :content "x") :explanation "The loop never ends.")`:                "default/unknown-tool",
		`(:tool "edit-file" :args (:all ((:deep (:er (:path "/a/core/x"))))))`:                                           "core/unjustified",
		`(:tool "edit-file" :args (:all ((:deep (:er (:path "/a/core/x"))))) :explanation "Mends the end of the loop.")`: "default/unknown-tool",
		`(:tool "shell" :args (:cmd "rm /a/core/x"))`:                                                                    "core/unjustified",
		`(:tool "write-file" :args (:path "/a/corex" :content "x"))`:                                                     "default/unknown-tool",
	} {
		form, err := sexpr.Read("", text)
		require.NoError(t, err)
		d := reason.Decide(t.Context(), reason.Request{
			Policy: book, Proposal: form,
			Facts: &skills.Facts{Env: sexpr.Plist("core", sexpr.Str("/a/core"), "cwd", sexpr.Str("/w"))},
		})
		assert.Equal(t, want, d.Key, text)
	}
}

// Without a skill that judges it, code waits for a person.
func TestCodeAsksWhereNoSkillVouches(t *testing.T) {
	load(t, rules.Root{FS: shipped.Code()})
}
