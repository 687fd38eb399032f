package console

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
)

// What is printed for people drives no terminal, no matter who wrote it and however it is
// printed; what is for programs stays as it is.
func TestPrintingDrivesNoTerminal(t *testing.T) {
	const nasty = "\x1b[2J\u202ea\u2028\u0085"
	var out, errs bytes.Buffer
	p := &Console{Out: &out, Err: &errs}
	p.Printf("%s %v %q %d|%-5s|\n", nasty, errors.New(nasty), nasty, 7, "x")
	p.Warnf("%v\n", sexpr.Str(nasty))
	for _, text := range []string{out.String(), errs.String()} {
		assert.False(t, strings.ContainsAny(text, "\x1b\u202e\u2028\u0085"), "%q", text)
	}
	assert.True(t, strings.HasPrefix(out.String(), `\u{1b}[2J\u{202e}a\u{2028}\u{85} \u{1b}[2J`), "%q", out.String())
	assert.True(t, strings.HasSuffix(out.String(), " 7|x    |\n"), "%q", out.String())
}

// What is read is bounded by who reads it: a bundle is longer than a rule file may be.
func TestSourceIsBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	text := strings.Repeat("x", MaxFile+9)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	for _, tt := range []struct {
		path, name string
		most, got  int
	}{
		{file, file, MaxFile, MaxFile}, {file, file, 1 << 26, len(text)}, {"-", "<standard input>", MaxFile, MaxFile},
	} {
		got, name, err := (&Console{In: strings.NewReader(text)}).Source(tt.path, int64(tt.most))
		require.NoError(t, err)
		assert.Equal(t, tt.name, name)
		assert.Len(t, got, tt.got)
	}
	_, _, err := (&Console{}).Source(file+"y", MaxFile)
	require.ErrorIs(t, err, fs.ErrNotExist)
}
