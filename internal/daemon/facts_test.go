package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFilesOfFacts(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "facts.lisp")
	write := func(text string) {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	write(`(:shift "day" :limit 100) `)
	c := &Config{Facts: []string{file}}
	seeds, err := c.seeds()
	require.NoError(t, err)
	v, err := seeds[0].Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, `(:shift "day" :limit 100)`, v.String())
	assert.Contains(t, c.own(), file, "no action may touch it")

	all := &Config{FactsWork: []string{file}, FactsPolicy: []string{file}}
	seeds, err = all.seeds()
	require.NoError(t, err)
	require.Len(t, seeds, 2)
	assert.Equal(t, []string{"policy", "work"}, []string{seeds[0].Part, seeds[1].Part})
	assert.Equal(t, []string{file, file}, slices.DeleteFunc(all.own(), func(s string) bool { return s != file }))

	for text, want := range map[string]string{
		`("a")`:      "facts are one plist",
		`(:shift`:    "facts.lisp",
		`(:a 1) (:b`: "facts.lisp",
	} {
		write(text)
		_, err := c.seeds()
		require.ErrorContains(t, err, want, text)
	}
	write(`(:a 1)`)
	require.NoError(t, os.Chmod(file, 0o666))
	_, err = c.seeds()
	require.ErrorContains(t, err, ErrUntrusted.Error())
	require.NoError(t, os.Remove(file))
	_, err = c.seeds()
	require.Error(t, err)
}
