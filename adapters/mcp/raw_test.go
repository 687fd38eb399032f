package mcp_test

import (
	"bufio"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/mcp"
)

const waitFor, tick = 10 * time.Second, 5 * time.Millisecond

// rawServer is the server without a proxy.
func rawServer(t testing.TB, name string) *speaker {
	t.Helper()
	cmd := command(t, server(name))
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	s := &speaker{t: t, in: in, said: make(chan string, 100), over: make(chan error, 1)}
	go func() {
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			s.said <- lines.Text()
		}
		s.over <- cmd.Wait()
	}()
	t.Cleanup(func() { _ = s.leave() })
	return s
}

// command is the program of a server.
func command(t testing.TB, c mcp.Command) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), c.Args[0], c.Args[1:]...) //nolint:gosec // this program
	cmd.Env = c.Env
	return cmd
}
