package act_test

import (
	"bytes"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
)

// The whole way of one command, permit and receipt in memory, beside starting
// the same bash bare.
func BenchmarkShell(b *testing.B) {
	b.Run("dispatch", func(b *testing.B) {
		tool, _ := shell(b, act.ShellOptions{})
		l := newLedger()
		d := act.NewDispatcher(l, registry(b, tool))
		a := action(b, "shell", "cmd", text("echo hi"))
		for b.Loop() {
			p, err := d.Begin(b.Context(), l.allow(a))
			require.NoError(b, err)
			r, err := d.Dispatch(b.Context(), p)
			require.NoError(b, err)
			require.Equal(b, "hi\n", r.Text)
		}
	})
	b.Run("bare", func(b *testing.B) {
		dir := b.TempDir()
		for b.Loop() {
			var out, errs bytes.Buffer
			cmd := exec.Command("bash", "--noprofile", "--norc", "-c", "echo hi")
			cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, []string{"HOME=" + dir, "PATH=/usr/bin:/bin"}, &out, &errs
			require.NoError(b, cmd.Run())
			require.Equal(b, "hi\n", out.String())
		}
	})
}

// A dispatch without a process: what the permit itself costs.
func BenchmarkDispatch(b *testing.B) {
	t := setUp(b)
	a := action(b, "echo", "text", text("hello"))
	for b.Loop() {
		p, err := t.Dispatcher.Begin(b.Context(), t.allow(a))
		require.NoError(b, err)
		_, err = t.Dispatch(b.Context(), p)
		require.NoError(b, err)
	}
}
