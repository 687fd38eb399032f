package store

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
)

// A base that is damaged anywhere, or cut off, is not a base.
func TestDamagedBase(t *testing.T) {
	dir := t.TempDir()
	s := MustOpen(t, dir, Options{}).(*store)
	for i := range 30 {
		require.NoError(t, s.Commit([]journal.Write{Set(fmt.Sprintf("k%02d", i), fmt.Sprint("v", i)), Set("e", "")}))
	}
	require.NoError(t, s.Compact(context.Background()))
	require.NoError(t, s.Close())
	path := wal.BasePath(osDisk, dir+"/log", 30)
	raw, err := os.ReadFile(path)
	require.NoError(t, err)

	read := func() (n int, err error) {
		all, err := wal.Bases(osDisk, dir+"/log")
		if err != nil {
			return 0, err
		}
		err = all[0].Read(osDisk, func(journal.Write) error { n++; return nil })
		return n, err
	}
	n, err := read()
	require.NoError(t, err)
	assert.Equal(t, 31, n)
	var damage *Damage
	for i := range raw {
		bad := append([]byte(nil), raw...)
		bad[i] ^= 0x10
		writeFile(t, path, string(bad))
		_, err := read()
		require.ErrorAs(t, err, &damage, "byte %d", i)
		writeFile(t, path, string(raw[:i]))
		_, err = read()
		require.ErrorAs(t, err, &damage, "%d bytes", i)
	}
	writeFile(t, path, string(raw)+"more")
	_, err = read()
	require.ErrorAs(t, err, &damage)
}
