package wire

import (
	"context"
	"sync/atomic"
	"time"
)

// The pace of one client is its own as long as it is alone in hurrying: a batch
// runs as fast as it can. Where several hurry, each waits a little for every
// other between two messages, so that all of them together leave the processors
// idle for those who ask now and then: Go looks at the network last, and where
// there is always something to run it hardly does (the 99th percentile of 180
// quiet clients beside 20 floods was thirty times what it is without).
const (
	burst      = 64.0                 // messages that may come at once
	rate       = 50.0                 // messages a second that are no hurry
	turn       = 2 * time.Millisecond // what one waits for each other that hurries
	longMost   = time.Second          // and at most
	messageFor = 16 << 10             // bytes of a message that count as one more
)

// credit is how much may still come before it comes too fast.
type credit struct {
	left float64
	at   time.Time // of what came last
}

func newCredit() credit { return credit{burst, time.Now()} }

// spend takes from the credit and reports whether it is used up.
func (c *credit) spend(cost float64) bool {
	now := time.Now()
	c.left = min(c.left+now.Sub(c.at).Seconds()*rate, burst) - cost
	c.left = max(c.left, -burst)
	c.at = now
	return c.left < 0
}

// pace is how fast one client goes, among all that hurry.
type pace struct {
	credit
	hurrying *atomic.Int64 // how many do
	hurries  bool          // this one does
}

// keep counts one message of this many bytes, and waits if that is too fast.
func (p *pace) keep(ctx context.Context, size int64) {
	cost := 1 + float64(size/messageFor)
	if p.hurry(p.spend(cost)); !p.hurries {
		return
	}
	if others := p.hurrying.Load() - 1; others > 0 {
		_ = pause(ctx, min(time.Duration(float64(others)*cost)*turn, longMost)) // anyone who ends ctx is heard elsewhere
	}
}

// hurry says whether this client hurries.
func (p *pace) hurry(now bool) {
	switch {
	case now && !p.hurries:
		p.hurrying.Add(1)
	case !now && p.hurries:
		p.hurrying.Add(-1)
	}
	p.hurries = now
}

// A client that cannot speak is told so at once, and let go a moment later: the
// one that only tries again and again, faster than anybody could be served, waits
// for that. So many may linger at a time, so that they take no client's place.
const (
	lingerFor  = 200 * time.Millisecond
	lingerMost = 16
)

func (s *Server) linger(ctx context.Context) {
	if s.lingering.Add(1) <= lingerMost {
		_ = pause(ctx, min(lingerFor, s.opt.FrameTimeout))
	}
	s.lingering.Add(-1)
}
