package api

import (
	"testing"

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
	for _, name := range []string{"", "host", "host/ann", "host/anna/api/s", "host/token/api/s", "telegram/7", "internal"} {
		assert.False(t, c.mine(name, other), name)
	}
}
