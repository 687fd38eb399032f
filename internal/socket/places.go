package socket

import (
	"sync"
	"time"
)

// Places are the clients that a socket serves at a time. No process keeps others out: where all places are taken, a
// newcomer gets one of the process that has most, if that has at least two more than the newcomer's. It is safe for
// concurrent use.
type Places struct {
	most int

	mu sync.Mutex
	of map[int][]*Place // by process
	n  int
}

// Place is a place that a client has.
type Place struct {
	in  *Places
	pid int
	cut func()

	// Under in.mu:
	at     time.Time // when its client last did something
	proven bool
	gone   bool
}

// NewPlaces returns places for so many clients.
func NewPlaces(most int) *Places { return &Places{most: most, of: map[int][]*Place{}} }

// Take gives a client of a process a place, or returns nil if there is none. cut, which must not block, ends the client
// where others need its place.
func (p *Places) Take(pid int, cut func()) *Place {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n >= p.most {
		out := p.spare(pid)
		if out == nil {
			return nil
		}
		p.remove(out)
		out.cut()
	}
	x := &Place{in: p, pid: pid, cut: cut, at: time.Now()}
	p.of[pid] = append(p.of[pid], x)
	p.n++
	return x
}

// Full reports that there is no place for a client of a process.
func (p *Places) Full(pid int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n >= p.most && p.spare(pid) == nil
}

// spare is the place that a newcomer of a process may have: of the process that has most, or else one whose client has
// not shown who it is.
func (p *Places) spare(pid int) (out *Place) {
	most := pid
	for other, all := range p.of {
		if len(all) > len(p.of[most]) {
			most = other
		}
	}
	if len(p.of[most]) > len(p.of[pid])+1 {
		return stalest(p.of[most], false)
	}
	for _, all := range p.of {
		if x := stalest(all, true); x != nil && (out == nil || x.at.Before(out.at)) {
			out = x
		}
	}
	return out
}

// stalest is the place whose client has been silent longest, those that are not proven first.
func stalest(all []*Place, unproven bool) (out *Place) {
	for _, x := range all {
		switch {
		case unproven && x.proven:
		case out == nil, out.proven && !x.proven, out.proven == x.proven && x.at.Before(out.at):
			out = x
		}
	}
	return out
}

func (p *Places) remove(x *Place) {
	if x.gone {
		return
	}
	x.gone = true
	p.n--
	for i, y := range p.of[x.pid] {
		if y == x {
			p.of[x.pid] = append(p.of[x.pid][:i], p.of[x.pid][i+1:]...)
			break
		}
	}
	if len(p.of[x.pid]) == 0 {
		delete(p.of, x.pid)
	}
}

// Touch notes that the client has done something.
func (x *Place) Touch() {
	x.in.mu.Lock()
	defer x.in.mu.Unlock()
	x.at = time.Now()
}

// Prove notes that the client has shown who it is, as far as the socket asks.
func (x *Place) Prove() {
	x.in.mu.Lock()
	defer x.in.mu.Unlock()
	x.proven = true
}

// Leave gives the place back.
func (x *Place) Leave() {
	x.in.mu.Lock()
	defer x.in.mu.Unlock()
	x.in.remove(x)
}
