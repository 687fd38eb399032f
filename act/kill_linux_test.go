package act_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/sexpr"
)

// Nothing a command started is left when it is over. Each script gives a process
// the write end of a FIFO; the end of the FIFO is the death of the last of them.
func TestNothingIsLeftBehind(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Fatal("this test needs setsid, of util-linux")
	}
	tests := map[string]struct {
		cmd   string
		state act.State
		text  string
	}{
		"in the background":           {"sleep 90 & echo over", act.Done, "over\n"},
		"in the background, quiet":    {"sleep 90 >/dev/null 2>&1 & echo over", act.Done, "over\n"},
		"in a subshell of a subshell": {"( (sleep 90 &) & ); echo over", act.Done, "over\n"},
		"deaf to polite signals":      {"(trap '' TERM HUP INT; sleep 90; sleep 90) & echo over", act.Done, "over\n"},
		"nohup":                       {"nohup sleep 90 >/dev/null 2>&1 & echo over", act.Done, "over\n"},
		"setsid, holding the output":  {"setsid sh -c 'echo >in; sleep 90' & read <in; echo over", act.Done, "over\n"},
		"setsid, writing all the time": {"setsid sh -c 'echo >in; while :; do echo y; done' >&2 & read <in; exit 0",
			act.Done, ""},
		"overtaken":                     {"sleep 90", act.Failed, ""},
		"overtaken in setsid":           {"setsid -w sleep 90", act.Failed, ""},
		"overtaken in setsid, quiet":    {"setsid -w sleep 90 >/dev/null 2>&1", act.Failed, ""},
		"overtaken in setsid of setsid": {"setsid -w setsid -w sleep 90 >/dev/null 2>&1", act.Failed, ""},
		"overtaken with an orphan":      {"(setsid sleep 90 &); wait; sleep 90", act.Failed, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool, dir := shell(t, act.ShellOptions{})
			fifo := filepath.Join(dir, "fifo")
			require.NoError(t, syscall.Mkfifo(fifo, 0o600))
			require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "in"), 0o600))
			f, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
			require.NoError(t, err)
			defer f.Close()
			r := run(t, tool, "cmd", text("exec 9>fifo; printf alive >&9; "+tt.cmd), "timeout", sexpr.Int64(2))
			assert.Equal(t, tt.state, r.State, r.Text)
			if tt.text != "" {
				assert.Equal(t, tt.text, r.Text)
			}
			require.NoError(t, f.SetReadDeadline(time.Now().Add(30*time.Second)))
			told, err := io.ReadAll(f) // ends when the last writer has ended
			require.NoError(t, err, "somebody is left")
			assert.Equal(t, "alive", string(told))
		})
	}
}

// A command has a session and a group of its own and no terminal, so that it can
// neither read from nor type to the operator's.
func TestW40_NoTerminal(t *testing.T) {
	tool, _ := shell(t, act.ShellOptions{})
	r := run(t, tool, "cmd",
		text("read -r _ _ _ _ group session terminal _ </proc/$$/stat; echo $((group-$$)) $((session-$$)) $terminal"))
	assert.Equal(t, "0 0 0\n", r.Text)
}

// What the killing must not do: hurt processes that are not the command's.
func TestOthersAreLeftAlone(t *testing.T) {
	other := exec.Command("cat")
	in, err := other.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, other.Start())
	tool, _ := shell(t, act.ShellOptions{})
	run(t, tool, "cmd", text("setsid sleep 90 & sleep 90"), "timeout", sexpr.Int64(1))
	require.NoError(t, in.Close())
	require.NoError(t, other.Wait(), "it ended by itself")
}

func TestShellIsCanceled(t *testing.T) {
	tool, dir := shell(t, act.ShellOptions{})
	gate := filepath.Join(dir, "gate")
	require.NoError(t, syscall.Mkfifo(gate, 0o600))
	l := newLedger()
	d := act.NewDispatcher(l, registry(t, tool))
	p, err := d.Begin(t.Context(), l.allow(action(t, "shell", "cmd", text("echo begun; echo x >gate; sleep 90"))))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	opened := make(chan error)
	go func() {
		f, err := os.Open(gate) // waits until the command writes
		if err == nil {
			err = f.Close()
		}
		cancel()
		opened <- err
	}()
	r, err := d.Dispatch(ctx, p)
	require.NoError(t, err)
	require.NoError(t, <-opened)
	assert.Equal(t, act.Failed, r.State)
	assert.Equal(t, "ERROR: Command canceled\nOutput until then:\nbegun\n", r.Text)
	assert.True(t, r.Result.GetTrue("canceled"))
	assert.Equal(t, []act.Receipt{r}, l.of(p))
}
