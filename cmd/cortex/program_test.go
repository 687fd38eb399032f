package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/sexpr"
)

// What is printed for people drives no terminal, no matter who wrote it and however it is
// printed; what is for programs stays as it is.
func TestPrintingDrivesNoTerminal(t *testing.T) {
	const nasty = "\x1b[2J\u202ea\u2028\u0085"
	var out, errs bytes.Buffer
	p := &program{out: &out, err: &errs}
	p.printf("%s %v %q %d|%-5s|\n", nasty, errors.New(nasty), nasty, 7, "x")
	p.warnf("%v\n", sexpr.Str(nasty))
	for _, text := range []string{out.String(), errs.String()} {
		assert.False(t, strings.ContainsAny(text, "\x1b\u202e\u2028\u0085"), "%q", text)
	}
	assert.True(t, strings.HasPrefix(out.String(), `\u{1b}[2J\u{202e}a\u{2028}\u{85} \u{1b}[2J`), "%q", out.String())
	assert.True(t, strings.HasSuffix(out.String(), " 7|x    |\n"), "%q", out.String())
}

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
