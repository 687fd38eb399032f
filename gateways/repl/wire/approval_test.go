//go:build linux

package wire

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
)

// echo evaluates nothing.
func echo(_ context.Context, form sexpr.Value) (repl.Result, error) {
	return repl.Result{Value: form}, nil
}

func TestRow095_WithoutTheSecretTheApprovalSocketServesNobody(t *testing.T) {
	h := open(t, `(:repeat t :reply "hi")`, evaluating(echo))
	r := h.raw(h.opt.Approvals)
	for _, src := range []string{
		`(:id 1 :type :request :target :repl :payload (:form (approve "T")))`,
		`(:id 1 :type :request :target :repl :secret "x" :payload (:form 1 :secret "x"))`,
		`(:id 1 :type :request :target :tool :payload (:secret "x"))`,
		`(:id 1 :type :event :payload (:sensor :user-input :text "hi"))`,
		`(:id 1 :type :event :payload (:sensor :interrupt))`,
	} {
		code, text := problem(r.ask(src))
		assert.Equal(t, "refused", code, src)
		assert.Contains(t, text, "pairing secret")
	}
	r.alive()
	assert.Empty(t, h.signals())
}

func TestRow095_TheSecretMakesAnApprover(t *testing.T) {
	var callers []repl.Caller
	h := open(t, "", evaluating(echo), func(s setup) { s.callers = func(c repl.Caller) { callers = append(callers, c) } })
	secret, err := h.engine.Approvals().Pair(t.Context(), false)
	require.NoError(t, err)

	c := h.dial(h.opt.Approvals)
	require.NoError(t, c.Auth(t.Context(), secret))
	_, err = c.Eval(t.Context(), sexpr.Int64(1))
	require.NoError(t, err)
	require.Len(t, callers, 1)
	require.NotNil(t, callers[0].Approver)
	assert.Equal(t, "operator", callers[0].Approver.Name)
	assert.True(t, callers[0].Peer.Operator)
	assert.Equal(t, me(t), callers[0].Peer.Principal, "the person is who the kernel says")

	// It is good on its own connection, and on its own socket.
	code, _ := problem(h.raw(h.opt.Approvals).ask(`(:id 1 :type :request :target :repl :payload (:form 1))`))
	assert.Equal(t, "refused", code)
	err = h.dial(h.opt.Socket).Auth(t.Context(), secret)
	assert.ErrorContains(t, err, h.opt.Approvals)
	plain := h.dial(h.opt.Socket)
	_, err = plain.Eval(t.Context(), sexpr.Int64(1))
	require.NoError(t, err)
	assert.Nil(t, callers[1].Approver)
	assert.NotContains(t, h.log.String(), secret)
}

func TestRow095_WrongSecretsAreSlowedLimitedAndLogged(t *testing.T) {
	var waits []time.Duration
	h := open(t, "", evaluating(echo), func(s setup) {
		s.Wire.pause = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
	})
	secret, err := h.engine.Approvals().Pair(t.Context(), false)
	require.NoError(t, err)
	r := h.raw(h.opt.Approvals)
	// All at once: they are still tried one after the other, and the right one
	// comes too late.
	try := func(s string) string {
		return frame(fmt.Sprintf(`(:id 1 :type :request :target :auth :payload (:secret %s))`, s))
	}
	r.write(try(`"guess-one"`) + try(`"`+secret[:len(secret)-1]+`"`) + try(`nil`) + try(sexpr.Str(secret).String()))
	for range 3 {
		code, text := problem(r.read())
		assert.Equal(t, "denied", code)
		assert.NotContains(t, text, "guess")
	}
	r.closed()
	assert.Equal(t, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}, waits)
	assert.Equal(t, 3, strings.Count(h.log.String(), "a wrong pairing secret"))
	assert.NotContains(t, h.log.String(), "guess-one")
	assert.NotContains(t, h.log.String(), secret[:len(secret)-1])

	c := h.dial(h.opt.Approvals)
	err = c.Auth(t.Context(), "no")
	var e *repl.Error
	require.True(t, errors.As(err, &e))
	assert.Equal(t, "denied", e.Code)
	assert.NoError(t, c.Auth(t.Context(), secret), "who mistypes once may try again")
}

func TestRow095_NoSecretInTimeNoPlace(t *testing.T) {
	h := open(t, "", func(s setup) { s.Wire.AuthTimeout = time.Millisecond })
	r := h.raw(h.opt.Approvals)
	code, text := problem(r.read())
	assert.Equal(t, "refused", code)
	assert.Contains(t, text, "no pairing secret within 1ms")
	r.closed()
	h.raw(h.opt.Socket).alive()
}

// away runs this binary as a client that says one thing, and returns all it was
// told.
func (h *house) away(path, says string, change func(*exec.Cmd)) string {
	h.t.Helper()
	exe, err := os.Executable()
	require.NoError(h.t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "WIRE_TEST_DIAL="+path, "WIRE_TEST_SAY="+says)
	change(cmd)
	out, err := cmd.CombinedOutput()
	require.NoError(h.t, err, "%s", out)
	return string(out)
}

func TestRow095_ProcessesThatTheDaemonStartedAreRefused(t *testing.T) {
	h := open(t, `(:repeat t :reply "hi")`, evaluating(echo))
	secret, err := h.engine.Approvals().Pair(t.Context(), false)
	require.NoError(t, err)
	for _, path := range []string{h.opt.Approvals, h.opt.Socket} {
		says := frame(`(:id 1 :type :request :target :auth :payload (:secret "`+secret+`"))`) + frame(hi)
		out := h.away(path, says, func(*exec.Cmd) {})
		assert.Contains(t, out, ":code :refused")
		assert.NotContains(t, out, "handshake")
	}
	assert.Empty(t, h.signals())
	assert.Equal(t, 2, strings.Count(h.log.String(), "a client was refused"))
}

// The modes of the socket keep other users out. If somebody changed them, the
// kernel still says who it is. Only root can try; the table of uids is in
// package socket.
func TestRow095_OtherUsersAreRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can run a client as another user, so none was refused here")
	}
	h := open(t, `(:repeat t :reply "hi")`, evaluating(echo))
	exe := filepath.Join(t.TempDir(), "client") // in a place where others may not run it
	self, err := os.Executable()
	require.NoError(t, err)
	text, err := os.ReadFile(self)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(exe, text, 0o755))
	unlock(t, exe)
	another := func(c *exec.Cmd) {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		c.Path, c.Dir = exe, "/"
	}
	for _, path := range []string{h.opt.Approvals, h.opt.Socket} {
		assert.Contains(t, h.away(path, frame(hi), another), "permission denied", "by the modes")
		unlock(t, path)
		out := h.away(path, frame(hi), another)
		assert.Contains(t, out, ":code :refused", "by the kernel's word")
		assert.Contains(t, out, "uid 65534")
	}
	assert.Empty(t, h.signals())
}

// unlock opens a file, and every folder above it, to everybody.
func unlock(t *testing.T, path string) {
	for ; path != filepath.Dir(os.TempDir()) && path != os.TempDir(); path = filepath.Dir(path) {
		require.NoError(t, os.Chmod(path, 0o777))
	}
}

func TestRow095_OutputAndTimeAreBounded(t *testing.T) {
	h := open(t, "", func(s setup) {
		s.Wire.MaxAnswer, s.Wire.EvalTimeout = 10_000, 20*time.Millisecond
		s.eval = func(ctx context.Context, form sexpr.Value) (repl.Result, error) {
			switch {
			case form.IsSym("hang"):
				<-ctx.Done()
				return repl.Result{}, ctx.Err()
			case form.IsSym("stuck"): // as the evaluator says it
				<-ctx.Done()
				return repl.Result{}, &repl.Error{Code: repl.CodeInterrupted, Err: errors.New("interrupted")}
			}
			return repl.Result{Value: sexpr.Str(strings.Repeat("x", int(form.Int())))}, nil
		}
	})
	c := h.dial(h.opt.Socket)
	for form, code := range map[string]string{"9000": "", "20000": "limit", "5000000": "limit", "hang": "limit",
		"stuck": "limit"} {
		v, err := sexpr.Read("test", form)
		require.NoError(t, err)
		_, err = c.Eval(t.Context(), v)
		var e *repl.Error
		if code == "" {
			assert.NoError(t, err)
		} else if assert.True(t, errors.As(err, &e), "%s: %v", form, err) {
			assert.Equal(t, code, e.Code)
			assert.Contains(t, e.Error(), "too long")
		}
	}
}
