package capabilities

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/cortex/logs"
)

// index remembers the runs of each capability, for cooldown, how many run at once, and how the last one
// ended. It is only a memory: it is read off the logs when it is first needed.
type index struct {
	mu   sync.Mutex
	runs map[string]*history // by capability; nil before the first use
}

// history is what is remembered of the runs of a capability.
type history struct {
	last    int64           // when one was started last, in Unix seconds
	running map[string]bool // logs
	status  string          // of the run that ended last
}

// of returns the memory of a capability. The caller holds x.mu.
func (x *index) of(id string) *history {
	h := x.runs[id]
	if h == nil {
		h = &history{running: map[string]bool{}}
		x.runs[id] = h
	}
	return h
}

// fill reads the logs, the first time. The caller holds x.mu.
func (x *index) fill(ctx context.Context, l *logs.Logs) error {
	if x.runs != nil {
		return nil
	}
	heads, err := l.List(ctx)
	if err != nil {
		return err
	}
	x.runs = map[string]*history{}
	for i := len(heads) - 1; i >= 0; i-- { // the oldest first
		if heads[i].Family != family || heads[i].Root == 0 {
			continue
		}
		r, err := readRun(ctx, l, heads[i].Log)
		if err != nil {
			continue // a damaged run counts for nothing
		}
		x.note(r)
	}
	return nil
}

// note takes in how a run stands. The caller holds x.mu.
func (x *index) note(r *Run) {
	h := x.of(r.Capability)
	h.last = max(h.last, r.start.At)
	if !r.Ended() {
		h.running[r.Log] = true
		return
	}
	delete(h.running, r.Log)
	h.status = r.Status
}

// begins says why a capability may not be started now, or notes the run and says "".
func (c *Capabilities) begins(ctx context.Context, v *version, log string) (why string, err error) {
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	if err := c.index.fill(ctx, c.logs); err != nil {
		return "", err
	}
	h, now := c.index.of(v.ID), c.now().Unix()
	switch {
	case h.running[log]:
		return "", nil
	case v.Offer.Cooldown > 0 && h.last > 0 && now-h.last < v.Offer.Cooldown:
		return fmt.Sprintf("%s was started %d s ago, and waits %d s between two starts", v.ID, now-h.last,
			v.Offer.Cooldown), nil
	case v.Offer.AtOnce > 0 && len(h.running) >= v.Offer.AtOnce:
		return fmt.Sprintf("%s runs %d times already, and that is the most", v.ID, len(h.running)), nil
	}
	h.last, h.running[log] = now, true
	return "", nil
}

// never takes back that a run was noted, which then was not entered.
func (c *Capabilities) never(id, log string) {
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	delete(c.index.of(id).running, log)
}

// done notes that a run has its Result.
func (c *Capabilities) done(r *Run) {
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	if c.index.runs != nil {
		c.index.note(r)
	}
}

// recent is "ok" if the last run of a capability ended well.
func (c *Capabilities) recent(ctx context.Context, id string) (string, error) {
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	if err := c.index.fill(ctx, c.logs); err != nil {
		return "", err
	}
	if c.index.of(id).status == statusOK {
		return statusOK, nil
	}
	return "", nil
}

func (c *Capabilities) now() time.Time { return c.host.Now() }

// stamp is an instant in Unix seconds as people read it.
func stamp(seconds int64) string {
	return time.Unix(seconds, 0).UTC().Format(time.RFC3339)
}
