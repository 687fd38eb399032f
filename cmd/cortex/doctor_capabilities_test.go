package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/logs"
)

// Doctor finds a registry of capabilities that is damaged, in a folder that no process holds.
func TestDoctorFindsADamagedRegistry(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	e, err := cortex.Open(t.Context(), cortex.Options{Dir: dir, Capabilities: capabilities.New()})
	require.NoError(t, err)
	_, text := runs(t, "", "doctor", "--dir", dir)
	assert.NotContains(t, text, "capabilities")
	require.NoError(t, e.Close())
	code, text := runs(t, "", "doctor", "--dir", dir)
	assert.Equal(t, exitDone, code, text)
	assert.NotContains(t, text, "capabilities")

	e, err = cortex.Open(t.Context(), cortex.Options{Dir: dir, Capabilities: capabilities.New()})
	require.NoError(t, err)
	_, err = e.Hosts().Logs().Append(t.Context(), logs.Write{Log: "capabilities", Family: "capabilities", By: "op"},
		func(tx *logs.Tx) error {
			_, err := tx.Event(logs.Event{ID: "x", Kind: "moved", Dedupe: "x", Data: `{"id":7}`})
			return err
		})
	require.NoError(t, err)
	require.NoError(t, e.Close())
	code, text = runs(t, "", "doctor", "--dir", dir)
	assert.Equal(t, 1, code)
	assert.Regexp(t, `bad +capabilities: the registry of capabilities, event 0: `, text)
}
