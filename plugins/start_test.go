package plugins

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plugins/internal/sandbox"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// A program that does not start as it should is not a plugin, and leaves nothing.
func TestStartsThatAreRefused(t *testing.T) {
	tests := []struct {
		how    string
		change func(*Entry)
		says   string
	}{
		{how: "exit-at-start", says: "line"},
		{how: "garbage-at-start", says: "line"},
		{how: "certificate", says: "socket"},
		{how: "certificate", change: func(e *Entry) { e.Transport = TransportMTLS }, says: "socket"},
		{how: "other-socket", says: "not a socket in its own folder"},
		{how: "other-protocol", says: "version"},
		{how: "sick", says: "not ready: a cold"},
		{how: "wrong-example", says: "example passes: it answers pass, and says itself that it answers reject"},
		{how: "wants", says: "it asks for allow, turns, and no person has agreed"},
		{how: "wants", change: grants("turns"), says: "it asks for allow, and no person has agreed"},
		{how: "future", says: `the skill bad (release "1.0.0", protocol 1) sent a Description with a field 99, which this host (cortex, protocol 1) does not know`},
		{how: "protocol-2", says: "it speaks protocol 2 of cortex.skill.v1, and this host speaks 1"},
		{how: "pass", change: func(e *Entry) {
			e.Env["NAME"] = "other"
		}, says: `it calls itself "other", and stands in the lock as "bad"`},
		{how: "pass", change: func(e *Entry) {
			e.SHA256 = strings.Repeat("0", 64)
		}, says: "is not the program that skills.lock pins"},
		{how: "pass", change: func(e *Entry) {
			e.Pending = []string{"allow"}
		}, says: "no person has agreed to that; see `cortex plugins agree bad`"},
		{how: "pass", change: func(e *Entry) { e.Clauses = nil }, says: `a clause "one" that is not in the lock`},
		{how: "pass", change: func(e *Entry) { e.Path = "/nowhere" }, says: "no such file"},
	}
	for _, tt := range tests {
		t.Run(tt.how, func(t *testing.T) {
			e := self(t, "bad", tt.how)
			if tt.change != nil {
				tt.change(&e)
			}
			w := newWorld(t, shellRules, e)
			w.opt.Work = shortDir(t)
			h := New(w.opt)
			_, _, err := h.Policy(context.Background(), w.book)
			require.ErrorContains(t, err, "plugin bad: ")
			assert.ErrorContains(t, err, tt.says)
			require.NoError(t, h.Close())
			left, err := os.ReadDir(w.opt.Work)
			require.NoError(t, err)
			assert.Empty(t, left)
			assert.Empty(t, children(t))
		})
	}
}

// children are the processes that this one has started, zombies among them.
func children(t testing.TB) (out []string) {
	t.Helper()
	threads, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	for _, f := range threads {
		b, _ := os.ReadFile(f)
		out = append(out, strings.Fields(string(b))...)
	}
	return out
}

// Who listens is asked each time: a skill that was started as one process is not reached by way of another's socket.
func TestDial_AnotherProcessOnItsSocketIsRefused(t *testing.T) {
	if !sandbox.PeersKnown {
		return // the folder alone tells: see peer_other.go
	}
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	defer l.Close()
	for pid, ok := range map[int]bool{os.Getpid(): true, os.Getpid() + 1: false} {
		p := &process{guest: &guest{child: &sandbox.Child{PID: pid}, address: path}}
		conn, err := p.dial(t.Context(), "")
		assert.Equal(t, ok, err == nil, "%v", err)
		if ok {
			require.NoError(t, conn.Close())
		} else {
			assert.ErrorContains(t, err, "listens on its socket")
		}
	}
}

// With plain sockets the kernel's word stands in for certificates.
func TestTransports(t *testing.T) {
	for _, transport := range []string{TransportPeer, TransportMTLS} {
		w := newWorld(t, shellRules, self(t, "bad", "reject", func(e *Entry) { e.Transport = transport }))
		d := decide(t, w.start(), "ls")
		assert.Equal(t, "bad/one", d.Key, transport)
	}
}

// What a plugin sees of the facts is what the lock grants, and it is noted as read.
func TestSights(t *testing.T) {
	w := newWorld(t, shellRules, self(t, "bad", "sees", grants("ctx", "turns")))
	p := w.start()
	f := someFacts()
	d := reason.Decide(context.Background(), reason.Request{Policy: p, Action: shell(t, "ls"), Facts: f})
	require.Equal(t, reason.Allow, d.Kind, "%+v", d.Reasons)
	require.Len(t, d.Trace, 1)
	assert.Equal(t, `(:ctx (:door "open") :session (:turns ((:user "hello"))))`, d.Trace[0].Note)
	assert.Equal(t, []string{"session/s"}, d.Reads)

	w = newWorld(t, shellRules, self(t, "bad", "sees", func(e *Entry) { e.Refuses = []string{"ctx", "turns"} }))
	d = reason.Decide(context.Background(), reason.Request{Policy: w.start(), Action: shell(t, "ls"), Facts: f})
	require.Len(t, d.Trace, 1)
	assert.Equal(t, `{}`, d.Trace[0].Note)
	assert.Empty(t, d.Reads)
}

// Names are unique over plugins and rule files.
func TestNamesAreUnique(t *testing.T) {
	w := newWorld(t, shellRules+`(defskill bad :priority 1 :gate ((deny one :when (= action.tool "x") :reason "no")))`,
		self(t, "bad", "pass"))
	h := New(w.opt)
	defer h.Close()
	_, _, err := h.Policy(context.Background(), w.book)
	assert.ErrorContains(t, err, `there are two skills "bad"`)
	assert.Empty(t, children(t))
}

func someFacts() *skills.Facts {
	return &skills.Facts{
		Now: 1, Ctx: sexpr.Plist("door", sexpr.Str("open")), Env: sexpr.Plist("cwd", sexpr.Str("/home")),
		Session: skills.Session{ID: "s", Principal: "ann", Turns: []skills.Turn{{User: "hello"}}},
	}
}

// shortDir is a folder whose path leaves room for that of a socket.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "w")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// A folder that leaves no room for a socket is named, and not tried.
func TestAWorkingFolderMustBeShort(t *testing.T) {
	w := newWorld(t, shellRules, self(t, "bad", "pass"))
	w.opt.Work = filepath.Join(shortDir(t), strings.Repeat("x", 80))
	require.NoError(t, os.Mkdir(w.opt.Work, 0o700))
	h := New(w.opt)
	defer h.Close()
	_, _, err := h.Policy(context.Background(), w.book)
	assert.ErrorContains(t, err, "too long for a socket's path")
}
