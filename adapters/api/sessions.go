package api

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
)

// maxID bounds the ids that callers give: of sessions and calls, in bytes.
const maxID = 200

// errOwner says that a session is another process's.
var errOwner = errors.New("this session belongs to another process, which is still running; use a session of your own")

// conversation is a session of a caller's.
type conversation struct {
	name string // in the record

	kind string // of host

	// Under conversations.mu:
	owner process
	uses  int           // requests that are at it
	place *list.Element // among those of the owner

	mu      sync.Mutex
	open    map[string]*cortex.Permit // by the id of the call
	changed time.Duration             // since the machine started: when a call last began or ended; 0 for never
	partial bool
}

// named checks an id of a caller's.
func named(what, id string) error {
	switch {
	case id == "" || len(id) > maxID:
		return fmt.Errorf("%s is %d bytes long, expected 1 to %d", what, len(id), maxID)
	case strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xFFFD }):
		return fmt.Errorf("%s has control characters or is not UTF-8, expected a plain name", what)
	}
	return nil
}

// session returns the conversation that a request names, if it is the caller's. It is kept for the request.
func (s *Server) session(ctx context.Context, of Session, from caller) (*conversation, error) {
	x, err := s.talks.of(of, from)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { s.talks.over(x) })
	return x, nil
}

// maxOpen bounds the open calls of a session.
const maxOpen = 1000

// full reports that no further call may begin before others have ended.
func (x *conversation) full() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.open) >= maxOpen
}

// began notes an open call.
func (x *conversation) began(call string, p *cortex.Permit) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.changed = sinceBoot()
	x.open[callID(call, p.ID())] = p
}

func callID(call string, intent uint64) string {
	if call != "" {
		return "call " + call
	}
	return fmt.Sprint("intent ", intent)
}

// take returns the permit of an open call, and whether there is one. It stays open until
// ended.
func (x *conversation) take(o *Outcome) (key string, p *cortex.Permit) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if o.Call != "" {
		if p := x.open["call "+o.Call]; p != nil {
			return "call " + o.Call, p
		}
	}
	for key, p := range x.open {
		if o.Intent != 0 && p.ID() == o.Intent {
			return key, p
		}
	}
	return "", nil
}

// holds reports whether the permit of an open call is here.
func (x *conversation) holds(intent uint64) bool {
	_, p := x.take(&Outcome{Intent: intent})
	return p != nil
}

// ended notes that a call has its receipt.
func (x *conversation) ended(key string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.changed = sinceBoot()
	delete(x.open, key)
}

// all returns the open calls.
func (x *conversation) all() map[string]*cortex.Permit {
	x.mu.Lock()
	defer x.mu.Unlock()
	out := make(map[string]*cortex.Permit, len(x.open))
	for key, p := range x.open {
		out[key] = p
	}
	return out
}

// speaks reports whether words from this caller are the user's: no tool of the session can
// have sent them.
func (x *conversation) speaks(from caller) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !hooks[x.kind] {
		return true // the session's own process, and none that it started
	}
	return from.above.pid != 0 && len(x.open) == 0 && from.since > x.changed
}

// unheard is the outcome of a call that the host never reported.
func unheard() cortex.Receipt {
	return cortex.Receipt{State: act.Unknown, Error: "the host did not say how the call ended"}
}
