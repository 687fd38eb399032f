package drive

import (
	"context"

	"github.com/opencortex-go/cortex/cortex/internal/ledger"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
)

// TakeUp counts one more take-up of each run that is due and not being driven, and drives it. The
// engine calls it when it opens and at every heartbeat. While nothing may be done, it leaves runs as
// they are.
func (k *Keeper) TakeUp(ctx context.Context) error {
	k.mu.Lock()
	open := k.open && k.driver != nil
	k.mu.Unlock()
	if !open {
		return nil
	}
	if k.ledger.Halted() != nil || k.ledger.J.Room() != nil {
		return nil
	}
	var due []uint64
	err := record.TableUnanswered.Scan(k.ledger.J, func(root uint64, raw []byte) error {
		if record.DueFrom(raw).Wakes > 0 && !k.busy(root) {
			due = append(due, root)
		}
		return context.Cause(ctx)
	})
	if err != nil || len(due) == 0 {
		return err
	}
	return k.ledger.J.Finish(ctx, func(tx *journal.Tx) error { // which starts their drivers: see Due
		for _, root := range due {
			d, open, err := record.DueAt(tx, root)
			if err != nil {
				return err
			}
			if d.TakeUps++; open {
				tx.Set(record.TableUnanswered.Key(root), d.Bytes())
			}
		}
		return nil
	})
}

func (k *Keeper) busy(root uint64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.driving[root] != nil
}

// Wait returns when the run of a root signal is not being driven. It may be due all the same, if it
// waits for what passes by itself.
func (k *Keeper) Wait(ctx context.Context, root uint64) error {
	for {
		k.mu.Lock()
		w := k.driving[root]
		k.mu.Unlock()
		if w == nil {
			return nil
		}
		select {
		case <-w.done:
		case <-k.ledger.Ctx.Done():
			return ledger.ErrClosed
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
