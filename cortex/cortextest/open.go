package cortextest

import (
	"context"

	"github.com/opencortex-go/cortex/cortex"
)

// CheckOpen compares what an engine holds open with what its record says. Its error lists
// cards that the engine's index has in another state, and doubts without an intent. Clients
// may go on meanwhile.
func (l *Ledger) CheckOpen(ctx context.Context, e *cortex.Engine) error {
	return l.checkOpen(ctx, e, nil)
}

// checkOpen checks besides, if it is told what time it is, that no open card is past its end.
func (l *Ledger) checkOpen(ctx context.Context, e *cortex.Engine, now *stamp) error {
	l.checks.Lock()
	defer l.checks.Unlock()
	last := e.Journal().Last()
	cards, err := e.Approvals().All(ctx)
	if err != nil {
		l.wrong("%w", err)
	}
	doubts, err := e.Operations().Doubts(ctx)
	if err != nil {
		l.wrong("%w", err)
	}
	l.read(e.Journal()) // after the index: what that has is on record by now
	for _, a := range cards {
		c := l.cards[a.Token]
		switch {
		case c == nil, c.changed <= last && c.state != a.State, c.bound != a.Bound.String():
			l.wrong("card %s is %s, which the record does not say", a.Token, a.State)
		case now != nil && (a.State == cortex.Pending || a.State == cortex.Approved) && l.over(c, *now):
			l.wrong("card %s is still %s after its end", a.Token, a.State)
		}
	}
	for _, d := range doubts {
		if in, ok := l.intents[d.Key]; !ok || in.seq != d.Intent {
			l.wrong("intent %d is in doubt, and not on record", d.Intent)
		}
	}
	return l.end()
}

// over reports whether the time of a card is over, by one clock or the other.
func (l *Ledger) over(c *card, now stamp) bool {
	return now.wall.Unix() >= c.expires || now.boot == c.born.boot && now.up-c.born.up >= l.ttl
}
