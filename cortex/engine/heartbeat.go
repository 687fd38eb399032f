package engine

import (
	"context"
	"slices"
	"time"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/journal"
)

// beat runs maintenance at every heartbeat until the engine closes. It sends no messages
// (rows 32 and 33).
func (e *Engine) beat() {
	t := time.NewTicker(e.opt.Heartbeat)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := e.maintain(e.ctx); err != nil && e.ctx.Err() == nil {
				e.opt.Logger.Error("maintenance failed", "error", err)
			}
		case <-e.ctx.Done():
			return
		}
	}
}

// escalate widens the slots of a card that have waited for too long. It reports whether it
// changed any.
func (e *Engine) escalate(a *approval.Approval) (changed bool) {
	for i := range a.Slots {
		s := &a.Slots[i]
		x, ok := e.opt.Approvals.Escalate[s.Class]
		if !ok || a.State != approval.Pending || s.Filled() || slices.Contains(s.Also, x.To) ||
			!e.clock.Waited(ledger.BirthOf(a), time.Unix(a.Created, 0), x.After) {
			continue
		}
		s.Also = append(slices.Clone(s.Also), x.To)
		changed = true
	}
	return changed
}

// maintain does the work of a heartbeat: retention, the clock, postponed signals and open
// approvals. It marks expired those whose time is over, which takes them off every list,
// and escalates those that have waited for too long.
func (e *Engine) maintain(ctx context.Context) error {
	if err := e.ledger.Usable(); err != nil {
		return err
	}
	if err := e.retainer.RetainSometimes(ctx); err != nil {
		return err
	}
	if err := e.clock.Set(ctx); err != nil {
		return err
	}
	e.sessions.TakeUpPostponed()
	e.sessions.ClearAll()
	if err := e.runs.TakeUp(ctx); err != nil {
		return err
	}
	open, err := e.ledger.OpenApprovals(ctx, e.j)
	if err != nil {
		return err
	}
	for _, a := range open {
		if !e.ledger.Expired(a) && !e.escalate(a) {
			continue
		}
		err := e.j.Finish(ctx, func(tx *journal.Tx) error {
			now, err := approval.Load(tx, a.Token)
			switch {
			case err != nil:
				return err
			case e.ledger.Expired(now):
				return approval.Move(tx, now, approval.Expired)
			case e.escalate(now):
				return approval.Save(tx, now)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
