package socket

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDefaultSocket(t *testing.T) {
	t.Setenv("HOME", "/home/ana")
	for _, c := range []struct{ socket, runtime, state, want string }{
		{"/x/y.sock", "/run/user/1", "/state", "/x/y.sock"},
		{"", "/run/user/1", "/state", "/run/user/1/cortex/cortex.sock"},
		{"", "", "/state", "/state/cortex/run/cortex.sock"},
		{"", "", "", "/home/ana/.local/state/cortex/run/cortex.sock"},
	} {
		t.Setenv("CORTEX_SOCKET", c.socket)
		t.Setenv("XDG_RUNTIME_DIR", c.runtime)
		t.Setenv("XDG_STATE_HOME", c.state)
		assert.Equal(t, c.want, Default())
	}
	for socket, want := range map[string][2]string{
		"/run/cortex.sock": {"/run/cortex-approve.sock", "/run/cortex-nrepl.sock"},
		"/run/x":           {"/run/x-approve", "/run/x-nrepl"},
	} {
		assert.Equal(t, want, [2]string{Approvals(socket), Nrepl(socket)})
	}
	a, err := RecordID("record")
	require.NoError(t, err)
	b, err := RecordID("./record/")
	require.NoError(t, err)
	assert.Equal(t, a, b)
	assert.Len(t, a, 12)
}
