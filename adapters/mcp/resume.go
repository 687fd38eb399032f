package mcp

import (
	"slices"
	"sync"
)

// broken are the exchanges of requests without a session whose streams broke off before the answer, by the last
// event that the client got. The stream that it opens there goes on with the exchange.
type broken struct {
	mu    sync.Mutex
	by    map[string]*exchange
	order []string // the oldest first
}

// maxBroken bounds how many wait for their client.
const maxBroken = 256

// rest keeps an exchange until its client goes on after an event. Without open requests, or an event, it is over.
func (b *broken) rest(last string, x *exchange) {
	if last == "" || !x.waits() {
		x.abandon()
		return
	}
	b.mu.Lock()
	gone := []*exchange{b.by[last]}
	if b.by[last] == nil {
		b.order = append(b.order, last)
	}
	b.by[last] = x
	if len(b.order) > maxBroken {
		gone = append(gone, b.by[b.order[0]])
		delete(b.by, b.order[0])
		b.order = b.order[1:]
	}
	b.mu.Unlock()
	for _, x := range gone {
		if x != nil {
			x.abandon()
		}
	}
}

// resume returns the exchange that rests at an event, or nil.
func (b *broken) resume(last string) *exchange {
	b.mu.Lock()
	defer b.mu.Unlock()
	x := b.by[last]
	if x != nil {
		delete(b.by, last)
		b.order = slices.DeleteFunc(b.order, func(id string) bool { return id == last })
	}
	return x
}

// close ends all of them.
func (b *broken) close() {
	b.mu.Lock()
	all := b.by
	b.by, b.order = map[string]*exchange{}, nil
	b.mu.Unlock()
	for _, x := range all {
		x.abandon()
	}
}
