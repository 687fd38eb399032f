package form_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/sexpr"
)

func file(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

// one reads a text with one capability.
func one(t testing.TB, text string) *form.Capability {
	t.Helper()
	all, err := form.Read("plan.lisp", []byte(text))
	require.NoError(t, err, text)
	require.Len(t, all, 1)
	return all[0]
}

func deploy(t testing.TB) *form.Capability {
	t.Helper()
	return one(t, file(t, "testdata/deploy.lisp"))
}

func value(t testing.TB, text string) sexpr.Value {
	t.Helper()
	v, err := sexpr.Read("", text)
	require.NoError(t, err, text)
	return v
}

// The manifest of the design and the plist give one structure and one hash.
func TestR01_PlistAndManifestAreOne(t *testing.T) {
	plist, json := one(t, file(t, "testdata/container.lisp")), one(t, file(t, "testdata/container.json"))
	assert.Equal(t, string(plist.Canonical()), string(json.Canonical()))
	assert.Equal(t, plist.Hash(), json.Hash())
	assert.Equal(t, "deploy.container.appservice", json.ID)
	assert.Equal(t, form.ScopeProject, json.Scope)
}
