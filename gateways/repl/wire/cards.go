package wire

import (
	"context"
	"errors"
	"sync"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

const (
	maxNews = 32       // what waits for one client that was not asked for; more is counted
	maxCard = 16 << 10 // the text of one card, in bytes: of a longer one arguments are left out
)

// crier tells those who have shown the secret what becomes of cards. It follows
// the record while there is somebody to tell.
type crier struct {
	s *Server

	mu   sync.Mutex
	to   map[*conn]bool
	stop context.CancelFunc // nil while nothing is followed
}

// join adds a client: it hears of what is recorded from now on.
func (n *crier) join(c *conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.to[c] = true
	if n.stop != nil {
		return
	}
	var ctx context.Context
	ctx, n.stop = context.WithCancel(n.s.ctx)
	from := n.s.opt.Engine.Journal().Last() + 1
	n.s.wg.Go(func() { n.follow(ctx, from) })
}

// leave takes a client away, and with the last one the work ends.
func (n *crier) leave(c *conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.to, c)
	if len(n.to) == 0 && n.stop != nil {
		n.stop()
		n.stop = nil
	}
}

// follow announces cards as their records become durable.
func (n *crier) follow(ctx context.Context, from uint64) {
	for rec, err := range n.s.opt.Engine.Journal().Subscribe(ctx, from) {
		var frame []byte
		if err == nil && rec.Kind == record.KindApproval {
			frame, err = n.s.news(ctx, rec)
		}
		switch {
		case ctx.Err() != nil, errors.Is(err, cortex.ErrClosed):
			return
		case err != nil:
			n.s.opt.Logger.Error("clients cannot be told of a card", "record", rec.Seq, "error", err)
		case frame != nil:
			n.tell(ctx, frame)
		}
	}
}

func (n *crier) tell(ctx context.Context, frame []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if ctx.Err() != nil {
		return // others are told by the one who came after
	}
	for c := range n.to {
		c.out.news.add(frame)
	}
}

// news is the frame that says what one record of an approval means; nil if that
// is not news: a card that is no longer pending, and a grant that was used.
func (s *Server) news(ctx context.Context, rec cortex.Record) ([]byte, error) {
	state := cortex.ApprovalState(rec.Body.GetText("state"))
	if state == cortex.Consumed {
		return nil, nil
	}
	a, err := s.opt.Engine.Approvals().Get(ctx, rec.Body.GetText("token"))
	if err != nil || state == cortex.Pending && a.State != cortex.Pending {
		return nil, err
	}
	a.State = state // it may have been used since
	code, err := s.opt.Engine.Approvals().Code(a)
	if err != nil {
		return nil, err
	}
	shown := s.opt.Repl.Card(a, code)
	var b plist.Builder
	b.Add("action", sexpr.Key("card"))
	b.Add("token", sexpr.Str(a.Token))
	b.Add("state", sexpr.Key(string(state)))
	b.Add("code", sexpr.Str(shown.Code))
	if state != cortex.Pending {
		b.Add("outcome", sexpr.Str(card.Outcome(a)))
	}
	room := min(maxCard, s.opt.MaxAnswer)
	shown, _ = shown.Elsewhere(room, "show it whole before you answer it")
	b.Add("text", sexpr.Str(shown.Short(room)))
	return unasked(b)
}

// unasked is a frame that answers nothing.
func unasked(payload plist.Builder) ([]byte, error) {
	var w buffer
	err := sexpr.WriteFrame(&w, sexpr.Plist("type", sexpr.Key(perceive.Event), "payload", payload.Done()))
	return w, err
}

// news is what one client is to be told unasked. It never keeps the teller
// waiting: what a client has no room for is counted, and it is told the number.
type news struct {
	mu     sync.Mutex
	frames [][]byte
	missed int
	some   chan struct{} // holds a token when there is something
}

func newNews() *news { return &news{some: make(chan struct{}, 1)} }

func (n *news) add(frame []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.frames) == maxNews || n.missed > 0 {
		n.missed++
	} else {
		n.frames = append(n.frames, frame)
	}
	select {
	case n.some <- struct{}{}:
	default:
	}
}

// next is the next frame, or nil.
func (n *news) next() []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case len(n.frames) > 0:
		frame := n.frames[0]
		n.frames = n.frames[1:]
		return frame
	case n.missed > 0:
		var b plist.Builder
		b.Add("action", sexpr.Key("card"))
		b.Int("missed", int64(n.missed))
		n.missed = 0
		frame, _ := unasked(b) // a number can be printed
		return frame
	}
	return nil
}
