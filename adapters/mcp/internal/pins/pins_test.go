package pins

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file of an earlier version has definitions as servers spelled them: the same definition in another spelling does
// not count as a change.
func TestAnotherSpellingIsNoChange(t *testing.T) {
	definition := json.RawMessage(`{"name":"read","description":"\u0072eads a\/b"}`)
	data, err := json.Marshal(map[string]pin{"read": newPin(definition)})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "pins")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	p, err := Open(path)
	require.NoError(t, err)
	for _, same := range []string{string(definition), `{"name":"read","description":"reads a/b"}`} {
		_, err = p.See(json.RawMessage(same))
		require.NoError(t, err)
		require.Nil(t, changed(t, p, "read"))
	}
	_, err = p.See(json.RawMessage(`{"name":"read","description":"reads all"}`))
	require.NoError(t, err)
	require.NotNil(t, changed(t, p, "read"))
}

func changed(t *testing.T, p *Pins, name string) *Change {
	t.Helper()
	c, err := p.Changed(name)
	require.NoError(t, err)
	return c
}

// tool is a definition.
func tool(name, does string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"name":%q,"description":%q}`, name, does))
}

func opened(t *testing.T, path string) *Pins {
	t.Helper()
	p, err := Open(path)
	require.NoError(t, err)
	return p
}

func see(t *testing.T, p *Pins, definition json.RawMessage) {
	t.Helper()
	_, err := p.See(definition)
	require.NoError(t, err)
}

// Two windows of an agent have a proxy of one server each.
func TestProxiesOfOneNameShareTheirPins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pins")
	one, two := opened(t, path), opened(t, path)
	see(t, one, tool("safe", "reads"))
	see(t, two, tool("safe", "writes"))
	require.NotNil(t, changed(t, two, "safe"), "it differs from what the first was told")
	require.NotNil(t, changed(t, one, "safe"), "and a client has read it")
	see(t, two, tool("danger", "removes"))
	require.Nil(t, changed(t, two, "danger"))
	three := opened(t, path)
	see(t, three, tool("danger", "removes all"))
	require.NotNil(t, changed(t, three, "danger"))
	c := changed(t, three, "safe")
	require.NoError(t, three.Accept("safe", c))
	require.Nil(t, changed(t, two, "safe"))
	see(t, one, tool("safe", "reads"))
	require.NotNil(t, changed(t, one, "safe"), "they agreed to another one")
}

// A model has read a definition that differed, whatever the server says afterwards.
func TestADefinitionThatDifferedIsNotForgotten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pins")
	p := opened(t, path)
	see(t, p, tool("safe", "reads"))
	see(t, p, tool("safe", "writes"))
	p = opened(t, path)
	see(t, p, tool("safe", "reads"))
	c := changed(t, p, "safe")
	require.NotNil(t, c, "after a start")

	see(t, p, tool("safe", "removes"))
	see(t, p, tool("safe", "reads"))
	require.NoError(t, p.Accept("safe", c))
	more := changed(t, p, "safe")
	require.NotNil(t, more, "what was said after the card was made is not agreed to")
	require.NotEqual(t, c.Digest, more.Digest)
	require.NoError(t, p.Accept("safe", more))
	require.Nil(t, changed(t, p, "safe"))
	require.JSONEq(t, string(tool("safe", "reads")), string(p.Definition("safe")))
}

func TestFilesWithoutPinsAreRefused(t *testing.T) {
	for _, text := range []string{"null", "{}", "", "[]", `{"a":null}`, "\ufeff{}"} {
		path := filepath.Join(t.TempDir(), "pins")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := Open(path)
		require.ErrorContains(t, err, "to pin all definitions anew", "%q", text)
	}
}
