package api

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A session is a caller's if it could speak in it: not while another process that lives has it, and never another
// user's.
func TestWhoseASessionIs(t *testing.T) {
	alive := map[int]bool{1: true, 2: true}
	c := newConversations()
	c.live = func(p process) bool { return alive[p.pid] }
	ann, other, stranger := caller{user: "ann", peer: process{pid: 1}}, caller{user: "ann", peer: process{pid: 2}},
		caller{user: "token", token: true}
	x, err := c.of(Session{ID: "s"}, ann)
	require.NoError(t, err)
	assert.True(t, c.mine(x.name, ann))
	assert.False(t, c.mine(x.name, other), "its owner lives")
	assert.False(t, c.mine(x.name, stranger))
	alive[1] = false
	assert.True(t, c.mine(x.name, other), "it may take the session over")
	assert.True(t, c.mine("host/ann/api/from-before", other), "the daemon was started again since")
	for _, name := range []string{"", "host", "host/ann", "host/anna/api/s", "host/token/api/s", "telegram/7",
		"internal"} {
		assert.False(t, c.mine(name, other), name)
	}
}

// What a call left running takes its session over once the host has ended. It cannot be told from a host that
// resumes the session, unless a shell that is older than the first host has started that one.
func TestI6_AnOrphanOfACallIsNoUser(t *testing.T) {
	alive := map[int]bool{}
	c := newConversations()
	c.live = func(p process) bool { return alive[p.pid] }
	hook := func(host int, started, shell time.Duration) caller {
		alive[host] = true
		return caller{user: "ana", peer: process{host + 1, 900}, above: process{host, started}, since: 900,
			shell: shell}
	}
	speaks := func(from caller) bool {
		x, err := c.of(Session{ID: "s", Host: "gemini"}, from)
		require.NoError(t, err)
		return x.speaks(from)
	}
	first := hook(10, 100, 50)
	require.True(t, speaks(first))
	again := hook(20, 200, 120) // no call was made: nothing can have been left behind
	alive[10] = false
	require.True(t, speaks(again))

	x, err := c.of(Session{ID: "s", Host: "gemini"}, again)
	require.NoError(t, err)
	x.changed = 300 // a call began and ended
	require.True(t, speaks(again))
	alive[20] = false
	assert.False(t, speaks(hook(30, 310, 0)), "an orphan hangs from the first process")
	alive[30] = false
	assert.False(t, speaks(hook(40, 400, 320)), "or from a shell that the call has left")
	alive[40] = false
	assert.True(t, speaks(hook(50, 500, 120)), "the host was started again from the same terminal")
	alive[50] = false
	assert.False(t, speaks(hook(60, 600, 210)), "a shell that the host itself may have started shows nothing")
}
