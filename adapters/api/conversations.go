package api

import (
	"container/list"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Bounds of the sessions that are remembered. A process that begins more loses those of its own that have been silent
// longest and have no open call. Those of processes that have ended go when there is no room for new ones.
const (
	maxEach       = 1_000
	maxTotal      = 50_000
	maxLookedAt   = 32 // processes, of which it is seen for one new session whether they run
	sessionsTaken = "%d sessions are remembered, each with an owner that runs or with an open call, and there is " +
		"no room for another: end calls, or use fewer sessions"
)

// conversations are the sessions of all callers. No call of the system is made under the lock.
type conversations struct {
	live        func(process) bool
	each, total int

	mu     sync.Mutex // before that of a conversation
	by     map[string]*conversation
	owners map[process]*owned
	order  *list.List // of owners: whether the first runs is looked at first
}

// owned are the sessions of one process.
type owned struct {
	by      process
	silent  *list.List    // of *conversation, the one that has been silent longest first
	place   *list.Element // in the order of owners
	changed time.Duration // the last change of those that were dropped
}

func newConversations() conversations {
	return conversations{live: living, each: maxEach, total: maxTotal, by: map[string]*conversation{},
		owners: map[process]*owned{}, order: list.New()}
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
	for {
		x, was, err := c.take(name, host, owner)
		switch {
		case err != nil:
			return nil, err
		case was == owner:
			x.mu.Lock()
			defer x.mu.Unlock()
			x.partial = x.partial || s.Partial
			return x, nil
		case c.live(was):
			return nil, errOwner
		}
		c.give(x, was, owner)
	}
}

// take returns the conversation of a name and its owner, and counts a use of it if that is the owner given. If there
// is none it makes one.
func (c *conversations) take(name, host string, owner process) (*conversation, process, error) {
	c.mu.Lock()
	full := c.by[name] == nil && len(c.by) >= c.total
	c.mu.Unlock()
	if full {
		c.forget()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.by[name]
	if x == nil {
		o := c.ownerOf(owner)
		if o.silent.Len() >= c.each {
			c.drop(o)
		}
		if len(c.by) >= c.total || o.silent.Len() >= c.each {
			c.tidy(o)
			return nil, owner, wrong(http.StatusTooManyRequests, sessionsTaken, len(c.by))
		}
		x = &conversation{name: name, owner: owner, kind: host, changed: o.changed}
		c.by[name] = x
		x.place = o.silent.PushBack(x)
	}
	if x.owner == owner {
		x.uses++
		c.owners[owner].silent.MoveToBack(x.place)
	}
	return x, x.owner, nil
}

// ownerOf returns what a process owns.
func (c *conversations) ownerOf(p process) *owned {
	o := c.owners[p]
	if o == nil {
		o = &owned{by: p, silent: list.New()}
		o.place = c.order.PushBack(o)
		c.owners[p] = o
	}
	return o
}

// over ends a use of a conversation.
func (c *conversations) over(x *conversation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x.uses--
}

// give has a conversation belong to another process, unless that has changed meanwhile.
func (c *conversations) give(x *conversation, was, owner process) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x.owner != was || c.by[x.name] != x {
		return
	}
	c.leave(x)
	x.mu.Lock()
	if x.changed != 0 && x.born == 0 {
		x.born = was.started
	}
	x.mu.Unlock()
	x.owner = owner
	x.place = c.ownerOf(owner).silent.PushBack(x)
}

// leave takes a conversation from its owner.
func (c *conversations) leave(x *conversation) {
	o := c.owners[x.owner]
	o.silent.Remove(x.place)
	c.tidy(o)
}

// tidy forgets an owner without sessions.
func (c *conversations) tidy(o *owned) {
	if o.silent.Len() == 0 {
		delete(c.owners, o.by)
		c.order.Remove(o.place)
	}
}

// drop forgets the session of an owner that has been silent longest, of those that are not used and have no open
// call. If it comes again it is made anew; its history is in the record.
func (c *conversations) drop(o *owned) {
	for e := o.silent.Front(); e != nil; e = e.Next() {
		x := e.Value.(*conversation)
		x.mu.Lock()
		idle, changed := x.uses == 0 && len(x.open) == 0, x.changed
		x.mu.Unlock()
		if idle {
			o.changed = max(o.changed, changed) // for all that come: no tool of then speaks for the user
			o.silent.Remove(e)
			delete(c.by, x.name)
			return
		}
	}
}

// forget drops sessions of some owners that have ended. It asks the system for few of them at a time.
func (c *conversations) forget() {
	var some []process
	c.mu.Lock()
	for e := c.order.Front(); e != nil && len(some) < maxLookedAt; e = e.Next() {
		some = append(some, e.Value.(*owned).by)
	}
	c.mu.Unlock()
	for _, p := range some {
		ended := !c.live(p)
		c.mu.Lock()
		if o := c.owners[p]; o != nil {
			c.order.MoveToBack(o.place)
			if ended {
				c.dropAll(o)
			}
		}
		c.mu.Unlock()
	}
}

// dropAll forgets the sessions of a process that has ended. What their open calls came to can still be said, by the
// intent. Of callers that the kernel does not know, those with open calls stay.
func (c *conversations) dropAll(o *owned) {
	var next *list.Element
	for e := o.silent.Front(); e != nil; e = next {
		next = e.Next()
		x := e.Value.(*conversation)
		x.mu.Lock()
		open := len(x.open)
		x.mu.Unlock()
		if x.uses == 0 && (open == 0 || o.by != process{}) {
			delete(c.by, x.name)
			c.leave(x)
		}
	}
}
