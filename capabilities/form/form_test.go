package form_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/sexpr"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return text
}

// one reads a text with one capability.
func one(t testing.TB, text string) *form.Capability {
	t.Helper()
	all, err := form.Read("plan.lisp", []byte(text))
	require.NoError(t, err)
	require.Len(t, all, 1)
	return all[0]
}

func deploy(t testing.TB) *form.Capability {
	t.Helper()
	return one(t, string(read(t, "testdata/deploy.lisp")))
}

func value(t testing.TB, text string) sexpr.Value {
	t.Helper()
	v, err := sexpr.Read("", text)
	require.NoError(t, err)
	return v
}

func TestRead(t *testing.T) {
	c := deploy(t)
	t.Log(string(c.Canonical()))
	seen := form.Seen{Inputs: value(t, `(:app "pay" :image "acr.io/pay:2 x")`), Work: value(t, `(:previous "old")`)}
	a, err := c.Fill(&c.Steps[1], seen)
	require.NoError(t, err)
	assert.Equal(t, `az webapp config container set -n pay -i 'acr.io/pay:2 x'`, a.Args().GetText("cmd"))
	t.Log(c.Tool().Signature(), c.Hash())
	r, err := c.ResultOf(seen)
	require.NoError(t, err)
	t.Log(r)
}
