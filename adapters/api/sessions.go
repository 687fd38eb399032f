package api

import (
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

	mu      sync.Mutex
	owner   process
	kind    string                    // of host
	open    map[string]*cortex.Permit // by the id of the call
	changed time.Duration             // since the machine started: when a call last began or ended; 0 for never
	born    time.Duration             // when the owner of the first calls started, once another has the session; else 0
	partial bool
}

// conversations are the sessions of all callers.
type conversations struct {
	mu   sync.Mutex
	live func(process) bool
	by   map[string]*conversation
}

// maxConversations bounds the sessions that are remembered. Those without an open call and
// a living owner go first.
const maxConversations = 10_000

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

// of returns the conversation that a session names, if it is the caller's.
func (c *conversations) of(s Session, from caller) (*conversation, error) {
	host := s.Host
	if host == "" {
		host = "api"
	}
	if err := errors.Join(named("session.id", s.ID), named("session.host", host)); err != nil {
		return nil, err
	}
	if strings.Contains(host, "/") {
		return nil, fmt.Errorf("session.host %q has a slash, expected a plain name", host)
	}
	owner, _ := from.host(host)
	name := strings.Join([]string{"host", from.user, host, s.ID}, "/")
	c.mu.Lock()
	x := c.by[name]
	if x == nil {
		if len(c.by) >= maxConversations {
			c.forget()
		}
		x = &conversation{name: name, owner: owner, kind: host, open: map[string]*cortex.Permit{}}
		c.by[name] = x
	}
	c.mu.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.owner != owner {
		if c.live(x.owner) {
			return nil, errOwner
		}
		if x.changed != 0 && x.born == 0 {
			x.born = x.owner.started
		}
		x.owner = owner
	}
	x.partial = x.partial || s.Partial
	return x, nil
}

// forget drops sessions whose owners have ended. A session that comes again is made anew;
// its history is in the record.
func (c *conversations) forget() {
	for name, x := range c.by {
		x.mu.Lock()
		if len(x.open) == 0 && !c.live(x.owner) {
			delete(c.by, name)
		}
		x.mu.Unlock()
	}
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
// have sent them. Once the host of the calls has ended, what they left running may call itself the host:
// another owner speaks only if a shell that is older than that host has started it.
func (x *conversation) speaks(from caller) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !hooks[x.kind] {
		return true // the session's own process, and none that it started
	}
	if x.born != 0 && (from.shell == 0 || from.shell >= x.born) {
		return false
	}
	return from.above.pid != 0 && len(x.open) == 0 && from.since > x.changed
}

// unheard is the outcome of a call that the host never reported.
func unheard() cortex.Receipt {
	return cortex.Receipt{State: act.Unknown, Error: "the host did not say how the call ended"}
}
