//go:build linux

package nrepl

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/internal/socket"
	"github.com/opencortex-go/cortex/sexpr"
)

func TestTheSocketIsTheUsersOwn(t *testing.T) {
	h := open(t, nil, Options{})
	info, err := os.Lstat(h.path)
	require.NoError(t, err)
	assert.Equal(t, fs.ModeSocket|0o600, info.Mode())
	_, err = Listen(Options{Repl: &repl.Repl{}, Socket: h.path})
	assert.ErrorIs(t, err, socket.ErrRunning)
}

// After bytes that are not a message the start of the next one is unknown: the
// client hears what is wrong, and the connection ends. Others notice nothing.
func TestBadMessagesEndTheirConnectionAlone(t *testing.T) {
	h := open(t, nil, Options{})
	other := h.dial()
	for _, text := range []string{
		"x", "i1e", "d1:ai1e1:ai2ee", "d99999999:", "0000FF(:id 1)", "d1:a" + strings.Repeat("l", maxDepth+10),
		"d4:code999999999:",
		"d1:al" + strings.Repeat("le", maxValues) + "ee",
	} {
		c := h.dial()
		_, _ = io.WriteString(c.nc, text)
		d := c.read()
		assert.True(t, d.is("bad-message"), "%v", d)
		assert.NotEmpty(t, d.text("err"))
		c.closed()
		other.alive()
	}
}

func TestHalfMessagesTimeOut(t *testing.T) {
	h := open(t, nil, Options{MessageTimeout: 20 * time.Millisecond})
	quiet := h.dial()
	for _, half := range []string{"d", "d2:op", "d2:op4:eval4:code1000:(", "d1:ai1"} {
		c := h.dial()
		c.write(half)
		assert.Contains(t, c.read().text("err"), "within 20ms")
		c.closed()
	}
	quiet.alive() // silence between messages is not half a message
}

// The id of another connection's session opens nothing, and says nothing of
// whether there is such a session.
func TestSessionsOfOthersAreUnknown(t *testing.T) {
	began, ended := make(chan string), make(chan error, 1)
	h := open(t, until(began, ended), Options{})
	owner, thief := h.dial(), h.dial()
	s := owner.clone()
	owner.write(msg("op", "eval", "id", "1", "session", s, "code", "work"))
	<-began
	for _, op := range []string{"eval",
		"interrupt", "close", "completions", "lookup", "stdin", "clone", "describe", "ls-sessions"} {
		all := thief.ask("op", op, "session", s, "code", "1", "sym", "x")
		unknown := thief.ask("op", op, "session", strings.Repeat("A", 26), "code", "1", "sym", "x")
		assert.True(t, all[len(all)-1].is("unknown-session"), "%s: %v", op, all)
		assert.Equal(t, unknown, all)
	}
	assert.Empty(t, thief.one("op", "ls-sessions")["sessions"])
	thief.write("d2:op4:eval7:sessionli1eee")
	assert.True(t, thief.answers()[1].is("unknown-session"), "a list is not a session")
	assert.Empty(t, ended, "what the owner runs still runs")
	assert.Len(t, owner.one("op", "ls-sessions")["sessions"], 1)
}

func TestSessionsAreBounded(t *testing.T) {
	h := open(t, nil, Options{MaxSessions: 3})
	c := h.dial()
	first := c.clone()
	c.clone()
	c.clone()
	all := c.ask("op", "clone")
	assert.True(t, all[1].is("too-many-sessions"))
	all = c.ask("op", "eval", "code", "1")
	assert.True(t, all[1].is("too-many-sessions"), "the unnamed one counts too")
	c.one("op", "close", "session", first)
	c.clone()
}

func TestEvaluationsThatWaitAreBounded(t *testing.T) {
	began, ended := make(chan string, 100), make(chan error, 100)
	h := open(t, until(began, ended), Options{Queue: 5})
	c := h.dial()
	s := c.clone()
	for i := range 5 {
		c.write(msg("op", "eval", "id", fmt.Sprint(i), "session", s, "code", "x"))
	}
	for range 10_000 {
		c.write(msg("op", "eval", "id", "more", "session", s, "code", "x"))
		all := c.answers()
		require.True(t, all[1].is("queue-full"), "%v", all)
	}
	assert.Contains(t, []int{0, 1}, len(began), "one after the other")
	require.NoError(t, h.server.ln.Close()) // no further client
	h.dialRefused()
}

func (h *house) dialRefused() {
	h.t.Helper()
	_, err := os.Lstat(h.path)
	assert.ErrorIs(h.t, err, os.ErrNotExist)
}

func TestTheClientTooManyIsToldSo(t *testing.T) {
	h := open(t, nil, Options{MaxClients: 2})
	a, b := h.dial(), h.dial()
	a.alive()
	b.alive()
	c := h.dial()
	assert.Contains(t, c.read().text("err"), "2 clients are connected")
	c.closed()
	require.NoError(t, a.nc.Close())
	for {
		c := h.dial()
		c.write(msg("op", "describe"))
		if d := c.read(); !d.is("error") {
			return // as soon as the place is free
		}
	}
}

// A flood that reads nothing is disconnected, and does not delay other clients.
func TestAClientThatNeverReadsIsCutOff(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	h := open(t, func(_ context.Context, _ string, each func(repl.Result) error) error {
		return each(repl.Result{Value: sexpr.Str(big)})
	}, Options{WriteTimeout: 50 * time.Millisecond})
	ended := make(chan error)
	for _, text := range []string{msg("op", "describe"), msg("op", "eval", "code", "x"),
		msg("op", "completions", "prefix", "")} {
		c := h.dial()
		go func() {
			for {
				if _, err := io.WriteString(c.nc, text); err != nil {
					ended <- err
					return
				}
			}
		}()
	}
	other := h.dial()
	for range 50 {
		other.alive()
	}
	for range 3 {
		assert.Error(t, <-ended)
	}
	require.NoError(t, h.server.Close())
	assert.Equal(t, 3, strings.Count(h.log.String(), "does not read its answers"), h.log.String())
}

// Ids come back with the answer, and no more of them than is reasonable.
func TestIdsAreBounded(t *testing.T) {
	h := open(t, nil, Options{})
	c := h.dial()
	assert.Len(t, c.one("op", "stdin", "id", strings.Repeat("x", 10_000)).text("id"), maxEcho)
	c.write("d2:idli1ee2:op5:stdine")
	assert.NotContains(t, c.read(), "id")
	c.write("d2:idi7e2:op5:stdine")
	assert.EqualValues(t, 7, c.read()["id"])
}

// What the daemon itself has started is not served.
func TestChildrenOfTheDaemonAreRefused(t *testing.T) {
	h := open(t, nil, Options{})
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "NREPL_TEST_DIAL="+h.path)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "processes that the daemon started are not served")
	assert.NotContains(t, string(out), "value")
}
