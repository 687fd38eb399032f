package mcp

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/bounds"
)

// sessions are those of a server over HTTP, by the id that the server gave them. Requests
// without one belong to a conversation that lasts as long as the proxy.
type sessions struct {
	p      *Proxy
	opt    HTTPOptions
	common *conversation
	room   *bounds.Room
	gone   func(id string) error // ends what stands behind a session; nil if nothing does
	stop   chan struct{}
	work   sync.WaitGroup

	mu sync.Mutex
	by map[string]*held

	broken broken
}

// held is a session.
type held struct {
	x    *exchange
	from string    // the address that began it
	used time.Time // when it rested last
	open int       // requests that are being answered, streams among them
	sure bool      // the server knows it
	met  bool      // the client has said something after its greeting
}

// errFull is what a client hears when no session can begin.
var errFull = errors.New("too many sessions are open; end one, or try again when some have ended")

// unmet is how long a session rests whose client has said nothing after its greeting.
const unmet = time.Minute

func newSessions(p *Proxy, opt HTTPOptions, most int, gone func(string) error) *sessions {
	s := &sessions{p: p, opt: opt, common: p.converse(), room: bounds.NewRoom(most, max(1, most/2)), gone: gone,
		stop: make(chan struct{}), by: map[string]*held{}, broken: broken{by: map[string]*exchange{}}}
	s.work.Go(s.tend)
	return s
}

// knows reports whether a session is held.
func (s *sessions) knows(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.by[id] != nil
}

// exchange returns that of a session, for one request, which is over when the answer is. One that is not known,
// since the proxy was started again, is held if the server knows it: see [sessions.sure]. A request without a
// session has an exchange of its own. over takes the id of the last event that the client got, where it can go on.
func (s *sessions) exchange(id, from string) (x *exchange, over func(last string), err error) {
	if id == "" {
		x = s.common.exchange()
		return x, func(last string) { s.broken.rest(last, x) }, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.by[id]
	if h == nil {
		if !s.room.Take(from, 1) {
			return nil, nil, errFull
		}
		h = &held{x: s.p.converse().exchange(), from: from}
		s.by[id] = h
	}
	h.open++
	return h.x, func(string) { s.rest(id, h) }, nil
}

// rest notes that a request of a session is answered.
func (s *sessions) rest(id string, h *held) {
	s.mu.Lock()
	h.open--
	h.used, h.met = time.Now(), true
	unknown := h.open == 0 && !h.sure && s.by[id] == h
	s.mu.Unlock()
	if unknown {
		s.end(id, h)
	}
}

// sure notes that the server knows a session.
func (s *sessions) sure(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.by[id]; h != nil {
		h.sure = true
	}
}

// admit takes room for a session that is to begin. Where there is none, one of the same address gives way whose
// client has said nothing after its greeting; those in use stay.
func (s *sessions) admit(from string) error {
	if s.room.Take(from, 1) {
		return nil
	}
	s.mu.Lock()
	oldest, h := "", (*held)(nil)
	for id, o := range s.by {
		if o.from == from && o.open == 0 && !o.met && (h == nil || o.used.Before(h.used)) {
			oldest, h = id, o
		}
	}
	s.mu.Unlock()
	if h != nil {
		s.end(oldest, h)
	}
	if !s.room.Take(from, 1) {
		return errFull
	}
	return nil
}

// begin holds a session that was admitted, with the exchange of its greeting.
func (s *sessions) begin(id, from string) *exchange {
	s.mu.Lock()
	h := s.by[id]
	if h == nil {
		h = &held{x: s.p.converse().exchange(), from: from, sure: true, used: time.Now()}
		s.by[id] = h
	} else {
		s.room.Give(from, 1) // the server gave out an id twice
	}
	s.mu.Unlock()
	return h.x
}

// refused gives back the room of a session that did not begin.
func (s *sessions) refused(from string) { s.room.Give(from, 1) }

// drop ends a session that is over, if it is held.
func (s *sessions) drop(id string) {
	s.mu.Lock()
	h := s.by[id]
	s.mu.Unlock()
	if h != nil {
		s.end(id, h)
	}
}

// end ends a session, unless another request did so, and what stands behind it.
func (s *sessions) end(id string, h *held) {
	s.mu.Lock()
	mine := s.by[id] == h
	if mine {
		delete(s.by, id)
	}
	s.mu.Unlock()
	if !mine {
		return
	}
	if s.gone != nil {
		if err := s.gone(id); err != nil {
			s.p.Logger.Warn("a server did not end as it should", "error", err)
		}
	}
	h.x.abandon()
	h.x.conversation.end()
	s.room.Give(h.from, 1)
}

// tend ends the sessions that rest too long, until stop is closed.
func (s *sessions) tend() {
	tick := time.NewTicker(min(s.opt.Idle, unmet) / 4)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
		}
		resting := map[string]*held{}
		s.mu.Lock()
		for id, h := range s.by {
			rested := time.Since(h.used)
			if h.open == 0 && (rested > s.opt.Idle || !h.met && rested > unmet) {
				resting[id] = h
			}
		}
		s.mu.Unlock()
		for id, h := range resting {
			s.work.Go(func() { s.end(id, h) })
		}
	}
}

// close ends all of them.
func (s *sessions) close() {
	close(s.stop)
	s.mu.Lock()
	for id, h := range s.by {
		s.work.Go(func() { s.end(id, h) })
	}
	s.mu.Unlock()
	s.work.Wait()
	s.broken.close()
	s.common.end()
}

// busy is the answer where there is no room.
func busy(w http.ResponseWriter, err error) { refuse(w, http.StatusServiceUnavailable, err) }
