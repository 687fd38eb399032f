package drive

import (
	"context"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
)

// Leave withdraws the open cards of the run, but for that of a try of a step: the run has left the places
// that the others are about, so no person's answer to them leads to anything. Without a try all are
// withdrawn.
func (r *Run) Leave(ctx context.Context, step, try string) error {
	if r.over.Load() {
		return ErrOver
	}
	j := r.keeper.ledger.J
	now, err := record.TriedAt(j, record.Step{Root: r.Root, ID: step, Try: try})
	if err != nil {
		return err
	}
	left := false // a run that has no such card writes nothing
	err = record.Scan(j, record.TableGrant.Under(r.Acts), func(_, token []byte) error {
		a, err := approval.Load(j, string(token))
		left = left || err == nil && a.Run && a.Owner() == r.Root && a.Token != now.Approval
		return err
	})
	if err != nil || !left {
		return err
	}
	return j.Finish(ctx, func(tx *journal.Tx) error {
		return approval.Leave(tx, r.Acts, r.Root, now.Approval, r.Principal)
	})
}
