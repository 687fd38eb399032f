package declared_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/oracle"
)

// The checked-in lists are what the servers say. `make servers` fetches them from npm.
func TestServersSayTheLists(t *testing.T) {
	for _, name := range []string{"filesystem", "memory", "everything"} {
		var kept struct {
			Package, Version string
			Tools            json.RawMessage
		}
		require.NoError(t, json.Unmarshal([]byte(read(t, name+".tools.json")), &kept))
		folder := filepath.Join(oracle.Node(t, kept.Package), "node_modules", kept.Package)
		var installed struct{ Version string }
		require.NoError(t, json.Unmarshal([]byte(read(t, filepath.Join(folder, "package.json"))), &installed))
		require.Equal(t, kept.Version, installed.Version, "the list is of another version")
		assert.JSONEq(t, string(kept.Tools), string(toolsOf(t, folder)), name)
	}
}

// toolsOf asks a server for its tools, in a folder of its own.
func toolsOf(t *testing.T, folder string) json.RawMessage {
	t.Helper()
	work := t.TempDir()
	args := []string{filepath.Join(folder, "dist", "index.js")}
	if filepath.Base(folder) == "server-filesystem" {
		args = append(args, work)
	}
	server := exec.CommandContext(t.Context(), "node", args...) //nolint:gosec // what make fetched
	server.Dir, server.WaitDelay = work, 5*time.Second
	in, err := server.StdinPipe()
	require.NoError(t, err)
	out, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	defer func() {
		_ = in.Close()
		_ = server.Process.Signal(os.Interrupt)
		_ = server.Wait()
	}()
	_, err = fmt.Fprint(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",`+
		`"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`)
	require.NoError(t, err)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var answer struct {
			ID     int
			Result struct{ Tools json.RawMessage }
		}
		if json.Unmarshal(lines.Bytes(), &answer) == nil && answer.ID == 2 {
			return answer.Result.Tools
		}
	}
	t.Fatal("the server ended before it told its tools")
	return nil
}
