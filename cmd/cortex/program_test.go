package main

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/sexpr"
)

// A record that an embedder holds, which may serve a socket, is named with the way
// to it; arguments of what it decided are shown and drive no terminal.
func TestARecordThatAnEmbedderHolds(t *testing.T) {
	dir := t.TempDir()
	rules := fstest.MapFS{"r.lisp": {Data: []byte(`(deftool note :params (:text string) :tier :allow)`)}}
	e, err := cortex.Open(t.Context(), cortex.Options{Dir: dir, Rules: rules})
	require.NoError(t, err)
	a, err := cortex.NewAction("note", sexpr.Plist("text", sexpr.Str("\u202egnp.exe\u2028")), "")
	require.NoError(t, err)
	_, err = e.Decide(t.Context(), a, nil)
	require.NoError(t, err)
	code, out := runs(t, "", "approvals", "list", "--dir", dir)
	assert.Equal(t, exitError, code)
	assert.Contains(t, out, "--socket PATH")
	require.NoError(t, e.Close())

	for _, args := range [][]string{{"list"}, {"show", "3"}} {
		code, out = runs(t, "", append(append([]string{"journal"}, args...), "--dir", dir)...)
		assert.Equal(t, exitDone, code, out)
		assert.False(t, strings.ContainsAny(out, "\u202e\u2028"), "%q", out)
	}
}
