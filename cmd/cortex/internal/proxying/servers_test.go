package proxying

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/mcp"
	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
)

// A file of servers is read as its client reads it: a server that is disabled does not run, comments are no
// fault, and a member that is not known is named, since it may be one that keeps a server from running.
func TestWhichServersRun(t *testing.T) {
	for what, c := range map[string]struct {
		text  string
		runs  []string
		wrong []string
	}{
		"one is disabled": {`{"mcpServers": {"a": {"command": "x", "disabled": true}, "b": {"command": "y"},
			"c": {"url": "https://c.example/mcp", "disabled": true}, "d": {"url": "https://d.example", "disabled": false}}}`,
			[]string{"b", "d"}, nil},
		"comments": {"// of the desk\n{\"mcpServers\": {/* notes */ \"a\": {\"command\": \"x\", \"args\": [\"1\",],},},}",
			[]string{"a"}, nil},
		"what clients add": {`{"inputs": [], "mcpServers": {"a": {"type": "stdio", "command": "x", "cwd": "/", "env": {"A": "1"}},
			"b": {"type": "http", "url": "https://b.example", "tokenFile": "t"}}}`, []string{"a", "b"}, nil},
		"all are disabled": {`{"mcpServers": {"a": {"command": "x", "disabled": true}}}`, nil, []string{`"disabled": true`}},
		"misspelt": {`{"mcpServers": {"a": {"command": "x", "disabeld": true, "frob": 1}}}`, nil,
			[]string{`the server "a"`, `"disabeld"; did you mean disabled?`, `"frob"`}},
		"in another case":   {`{"mcpServers": {"a": {"command": "x", "Disabled": true}}}`, nil, []string{`"Disabled"`}},
		"twice":             {`{"mcpServers": {"a": {"command": "x", "disabled": true, "disabled": false}}}`, nil, []string{"twice"}},
		"a server twice":    {`{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}`, nil, []string{`"a" stands in it twice`}},
		"neither":           {`{"mcpServers": {"a": {"args": ["x"]}}}`, nil, []string{"either a command or a url"}},
		"both":              {`{"mcpServers": {"a": {"command": "x", "url": "https://a.example"}}}`, nil, []string{"either a command or a url"}},
		"another way there": {`{"mcpServers": {"a": {"type": "sse", "url": "https://a.example"}}}`, nil, []string{`"sse"; expected http`}},
		"another file":      {`{"servers": {"a": {"command": "x"}}}`, nil, []string{`"servers"`, "mcpServers"}},
		"no servers":        {`{"mcpServers": {}}`, nil, []string{"found no servers"}},
		"no object":         {`{"mcpServers": {"a": ["x"]}}`, nil, []string{"expected an object"}},
		"no JSON":           {`{"mcpServers": {"a": `, nil, []string{"servers.json"}},
	} {
		file := filepath.Join(t.TempDir(), "servers.json")
		require.NoError(t, os.WriteFile(file, []byte(c.text), 0o600))
		got, err := (&Command{Servers: file}).behind(&console.Console{Err: &bytes.Buffer{}})
		if c.wrong == nil {
			if assert.NoError(t, err, what) {
				assert.Equal(t, c.runs, slices.Sorted(maps.Keys(got.(mcp.Merge))), what)
			}
			continue
		}
		if assert.Error(t, err, what) {
			for _, w := range c.wrong {
				assert.Contains(t, err.Error(), w, what)
			}
		}
	}
}

// Clients over HTTP show a token, also on an address of this machine alone.
func TestListeningWantsAToken(t *testing.T) {
	short, long := filepath.Join(t.TempDir(), "short"), filepath.Join(t.TempDir(), "long")
	require.NoError(t, os.WriteFile(short, []byte("0123456789abcdef"), 0o600))
	require.NoError(t, os.WriteFile(long, []byte("0123456789abcdef0123456789abcdef\n"), 0o600))
	for token, want := range map[string]string{"": "expected --token FILE", short: "expected at least 32",
		short + "x": "no such file"} {
		c := &Command{Command: []string{"true"}, Listen: "127.0.0.1:0", Token: token,
			Socket: filepath.Join(t.TempDir(), "none.sock")}
		err := c.Run(t.Context(), &console.Console{Err: &bytes.Buffer{}, Out: &bytes.Buffer{}})
		require.ErrorContains(t, err, want)
	}
	got, err := (&Command{Listen: "127.0.0.1:0", Token: long}).token()
	require.NoError(t, err)
	require.Equal(t, "0123456789abcdef0123456789abcdef", got)
}
