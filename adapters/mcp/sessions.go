package mcp

import (
	"sync"
	"time"
)

// sessions are those of a server over HTTP, by the id that the server gave them. Requests
// without one belong to a conversation that lasts as long as the proxy.
type sessions struct {
	p      *Proxy
	common *conversation

	mu sync.Mutex
	by map[string]*held

	broken broken
}

// held is a session.
type held struct {
	x    *exchange
	used time.Time
}

// maxSessions bounds how many are held; the one that rested longest goes first.
const maxSessions = 1024

func newSessions(p *Proxy) *sessions {
	return &sessions{p: p, common: p.converse(), by: map[string]*held{},
		broken: broken{by: map[string]*exchange{}}}
}

// exchange returns that of a session. One that is not known, since the proxy was started
// again, begins anew; whether there is such a session is for the server to say. A request
// without a session has an exchange of its own, which is over when its answer is; over takes the id of the last event
// that the client got, where it can go on.
func (s *sessions) exchange(id string) (x *exchange, over func(last string)) {
	if id == "" {
		x = s.common.exchange()
		return x, func(last string) { s.broken.rest(last, x) }
	}
	return s.begin(id), func(string) {}
}

// begin returns the exchange of a session.
func (s *sessions) begin(id string) *exchange {
	s.mu.Lock()
	h, oldest := s.by[id], ""
	if h == nil {
		h = &held{x: s.p.converse().exchange()}
		s.by[id] = h
	}
	h.used = time.Now()
	if len(s.by) > maxSessions {
		for other, o := range s.by {
			if oldest == "" || o.used.Before(s.by[oldest].used) {
				oldest = other
			}
		}
	}
	s.mu.Unlock()
	s.end(oldest)
	return h.x
}

// end ends a session, if there is one.
func (s *sessions) end(id string) {
	s.mu.Lock()
	h := s.by[id]
	delete(s.by, id)
	s.mu.Unlock()
	if h != nil {
		h.x.abandon()
		h.x.conversation.end()
	}
}

// close ends all of them.
func (s *sessions) close() {
	s.mu.Lock()
	ids := make([]string, 0, len(s.by))
	for id := range s.by {
		ids = append(ids, id)
	}
	s.mu.Unlock()
	for _, id := range ids {
		s.end(id)
	}
	s.broken.close()
	s.common.end()
}
