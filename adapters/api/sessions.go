package api

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/sexpr"
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
	open    []*opened     // in the order in which they began
	changed time.Duration // since the machine started: when a call last began or ended; 0 for never
	born    time.Duration // when the owner of the first calls started, once another has the session; else 0
	partial bool
	// earlier is when the first call on record of this start of the machine was made, of those that another run of
	// the daemon knew, or that this one has forgotten; 0 if there is none.
	earlier time.Duration

	recalling sync.Mutex // before mu
	recalled  bool
}

// opened is a call that has begun.
type opened struct {
	call   string         // the caller's id of it; "" for none
	asked  sexpr.Digest   // of the action, as the caller put it
	permit *cortex.Permit // nil while its intent is being opened
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
	if err := s.recall(ctx, x); err != nil {
		return nil, wrong(http.StatusInternalServerError, "what is on record of this session cannot be read: %w", err)
	}
	return x, nil
}

// unsure bounds the difference between the clock of records and the clock of process starts.
const unsure = time.Second

// recall reads off the record when calls of the session were made before it was in memory. What started before the
// machine did has left nothing behind.
func (s *Server) recall(ctx context.Context, x *conversation) error {
	x.recalling.Lock()
	defer x.recalling.Unlock()
	if x.recalled || !hooks[x.kind] {
		return nil
	}
	up := sinceBoot()
	span, err := s.opt.Engine.Hosts().Calls(ctx, x.name, up)
	if err != nil {
		return err
	}
	x.recalled = true
	if span != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.changed, x.earlier = max(x.changed, up-span.Last), max(up-span.First-unsure, 1)
	}
	return nil
}

// maxOpen bounds the open calls of a session.
const maxOpen = 1000

// mine reports whether a session of the record is the caller's, or could be if it spoke in it.
func (c *conversations) mine(session string, from caller) bool {
	if !strings.HasPrefix(session, "host/"+from.user+"/") {
		return false
	}
	c.mu.Lock()
	x := c.by[session]
	var was process
	if x != nil {
		was = x.owner
	}
	c.mu.Unlock()
	if x == nil {
		return true
	}
	owner, _ := from.host(x.kind)
	return was == owner || !c.live(was)
}

// errInUse says that the id of a call is that of another one.
var errInUse = wrong(http.StatusConflict,
	"call: an earlier call of this session has this id and is open; finish it, or give each call an id of its own")

// free says why no call may begin under this id. A host whose hooks have no ids of calls names each by what it
// does, so that two calls that do the same have one name.
func (x *conversation) free(call string, asked sexpr.Digest) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.freeLocked(call, asked)
}

func (x *conversation) freeLocked(call string, asked sexpr.Digest) error {
	if call == "" {
		return nil
	}
	if err := named("call", call); err != nil {
		return wrongInput(err)
	}
	for _, o := range x.open {
		if o.call == call && !(hooks[x.kind] && o.asked == asked) {
			return errInUse
		}
	}
	return nil
}

// begin keeps the id of a call while its intent is being opened.
func (x *conversation) begin(call string, asked sexpr.Digest) (*opened, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.freeLocked(call, asked); err != nil {
		return nil, err
	}
	if len(x.open) >= maxOpen {
		return nil, wrong(http.StatusTooManyRequests, "%d calls of this session are open: say how they ended "+
			"(/v1/finish), or that it is over (/v1/end)", maxOpen)
	}
	o := &opened{call: call, asked: asked}
	x.open = append(x.open, o)
	return o, nil
}

// began notes the intent of a call.
func (x *conversation) began(o *opened, p *cortex.Permit) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.changed, o.permit = sinceBoot(), p
}

// take returns the open call that an outcome names by its id, its intent or both; nil if there is none. Of several
// with one id it is the oldest. It stays open until ended.
func (x *conversation) take(of *Outcome) *opened {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, o := range x.open {
		if o.permit != nil && (of.Call != "" || of.Intent != 0) && (of.Call == "" || of.Call == o.call) &&
			(of.Intent == 0 || of.Intent == o.permit.ID()) {
			return o
		}
	}
	return nil
}

// holds reports whether the permit of an open call is here.
func (x *conversation) holds(intent uint64) bool { return x.take(&Outcome{Intent: intent}) != nil }

// ended notes that a call is over.
func (x *conversation) ended(o *opened) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.changed = sinceBoot()
	x.open = slices.DeleteFunc(x.open, func(other *opened) bool { return other == o })
}

// all returns the calls whose intent is open.
func (x *conversation) all() []*opened {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(x.open), func(o *opened) bool { return o.permit == nil })
}

// speaks reports whether words from this caller are the user's: no tool of the session can
// have sent them. Once the host of the calls has ended, what they left running may call itself the host:
// another owner speaks only if a shell that is older than that host has started it. Of calls on record the host is
// not known: then who speaks is older than the first of them, or a shell that started it is.
func (x *conversation) speaks(from caller) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !hooks[x.kind] {
		return true // the session's own process, and none that it started
	}
	if x.born != 0 && !before(from.shell, x.born) {
		return false
	}
	if x.earlier != 0 && !before(from.shell, x.earlier) && !before(from.above.started, x.earlier) {
		return false
	}
	return from.above.pid != 0 && len(x.open) == 0 && from.since > x.changed
}

// speaks is [conversation.speaks], and asks the record for calls that another run of the daemon permitted and that
// may still run.
func (s *Server) speaks(x *conversation, from caller) (bool, error) {
	if speaks := x.speaks(from); !speaks || !x.hasEarlier() {
		return speaks, nil
	}
	open, err := s.unheld(x)
	return len(open) == 0, err
}

func (x *conversation) hasEarlier() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.earlier != 0
}

// unheld returns the open intents of a session that another run of the daemon permitted.
func (s *Server) unheld(x *conversation) ([]act.Intent, error) {
	open, err := s.opt.Engine.Hosts().Open(x.name)
	return slices.DeleteFunc(open, func(in act.Intent) bool { return x.holds(in.ID) }), err
}

// before reports whether something that has started did so before a time.
func before(started, at time.Duration) bool { return started != 0 && started < at }

// unheard is the outcome of a call that the host never reported.
func unheard() cortex.Receipt {
	return cortex.Receipt{State: act.Unknown, Error: "the host did not say how the call ended"}
}
