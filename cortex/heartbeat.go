package cortex

import (
	"context"
	"time"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// beat runs maintenance at every heartbeat until the engine closes. A heartbeat
// says nothing to anybody (rows 32 and 33).
func (e *Engine) beat() {
	t := time.NewTicker(e.opt.Heartbeat)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := e.Maintain(e.ctx); err != nil && e.ctx.Err() == nil {
				e.opt.Logger.Error("maintenance failed", "error", err)
			}
		case <-e.ctx.Done():
			return
		}
	}
}

// Maintain does what a heartbeat does, now: approvals whose time is over are
// marked expired, so that they are off every list and their records say so.
func (e *Engine) Maintain(ctx context.Context) error {
	if err := e.usable(); err != nil {
		return err
	}
	open, err := e.openApprovals(ctx)
	if err != nil {
		return err
	}
	for _, a := range open {
		if !e.expired(a) {
			continue
		}
		err := e.j.Update(ctx, func(tx *journal.Tx) error {
			now, err := loadApproval(tx, a.Token)
			if err != nil || !e.expired(now) {
				return err
			}
			return move(tx, now, Expired)
		})
		if err != nil {
			return err
		}
		e.opt.Logger.Info("an approval has expired", "token", a.Token, "session", a.Session)
	}
	return nil
}
