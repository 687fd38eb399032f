package client

import (
	"sync"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/internal/protocol"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// Notice is what a daemon tells those who have shown the pairing secret when a
// card is opened and whenever its state changes.
type Notice struct {
	Token   string
	State   cortex.ApprovalState
	Code    string // the twelve digits on the card, in groups of four
	Outcome string // what became of it, by whom and why; "" while it is pending
	Text    string // the card
}

// maxNotices is how many notices a client keeps until they are asked for.
const maxNotices = 64

// heard keeps what a daemon has said unasked.
type heard struct {
	mu     sync.Mutex
	list   []Notice
	missed int
	some   chan struct{} // holds a token when there is something
}

func newHeard() *heard { return &heard{some: make(chan struct{}, 1)} }

// add never keeps the reader waiting: what there is no room for is counted.
func (h *heard) add(n Notice, missed int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case missed > 0:
		h.missed += missed
	case len(h.list) == maxNotices:
		h.missed++
	default:
		h.list = append(h.list, n)
	}
	select {
	case h.some <- struct{}{}:
	default:
	}
}

// Notices returns what the daemon has told since the last call, oldest first, and
// how many notices there were besides, for which there was no room: (approvals) says
// what is pending then. It does not wait; [Conn.Noticed] does.
func (c *Conn) Notices() (list []Notice, missed int) {
	h := c.heard
	h.mu.Lock()
	defer h.mu.Unlock()
	list, missed = h.list, h.missed
	h.list, h.missed = nil, 0
	return list, missed
}

// Noticed delivers when [Conn.Notices] has something new, to one receiver.
func (c *Conn) Noticed() <-chan struct{} { return c.heard.some }

// noticeOf reads a message that answers nothing: a notice, or how many were
// missed.
func noticeOf(v sexpr.Value) (n Notice, missed int, ok bool) {
	p, _ := v.Get("payload")
	if _, answers := v.Get("id"); answers || protocol.Word(v, "type") != perceive.Event ||
		protocol.Word(p, "action") != "card" {
		return Notice{}, 0, false
	}
	return Notice{
		Token: p.GetText("token"), State: cortex.ApprovalState(protocol.Word(p, "state")), Code: p.GetText("code"),
		Outcome: p.GetText("outcome"), Text: p.GetText("text"),
	}, int(p.GetInt("missed")), true
}
