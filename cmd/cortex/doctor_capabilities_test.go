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

// damagedRegistry enters something that is not a move into the registry of the record in a folder.
func damagedRegistry(t *testing.T, dir string) {
	t.Helper()
	e, err := cortex.Open(t.Context(), cortex.Options{Dir: dir, Capabilities: capabilities.New()})
	require.NoError(t, err)
	_, err = e.Hosts().Logs().Append(t.Context(), logs.Write{Log: "capabilities", Family: "capabilities", By: "op"},
		func(tx *logs.Tx) error {
			_, err := tx.Event(logs.Event{ID: "x", Kind: "moved", Dedupe: "x", Data: `{"id":7}`})
			return err
		})
	require.NoError(t, err)
	require.NoError(t, e.Close())
}

const badRegistry = `bad +capabilities: the registry of capabilities, event 0: `

// Doctor finds a registry of capabilities that is damaged, in a folder that no process holds.
func TestDoctorFindsADamagedRegistry(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	e, err := cortex.Open(t.Context(), cortex.Options{Dir: dir, Capabilities: capabilities.New()})
	require.NoError(t, err)
	require.NoError(t, e.Close())
	code, text := runs(t, "", "doctor", "--dir", dir)
	assert.Equal(t, exitDone, code, text)
	assert.NotContains(t, text, "capabilities")

	damagedRegistry(t, dir)
	code, text = runs(t, "", "doctor", "--dir", dir)
	assert.Equal(t, 1, code)
	assert.Regexp(t, badRegistry, text)
}

// A daemon with such a registry goes on, says so in its log, and tells doctor.
func TestADaemonTellsOfADamagedRegistry(t *testing.T) {
	pl := newPlace(t)
	healthy := pl.start()
	out, _ := command(pl, "doctor", "--socket", "run/c.sock").CombinedOutput() // its exit code says what it found
	assert.Contains(t, string(out), "healthy")
	assert.NotContains(t, string(out), "capabilities")
	require.NoError(t, healthy.cmd.Process.Kill())
	<-healthy.done

	damagedRegistry(t, pl.path("state"))
	r := pl.start()
	out, _ = command(pl, "doctor", "--socket", "run/c.sock").CombinedOutput()
	assert.Contains(t, string(out), "healthy")
	assert.Regexp(t, badRegistry, string(out))
	assert.Contains(t, r.log.String(), "capabilities cannot be read")
}
