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
	k := r.keeper
	stays, err := record.TriedAt(k.ledger.J, record.Step{Root: r.Root, ID: step, Try: try})
	if err != nil {
		return err
	}
	var left []string
	err = record.Scan(k.ledger.J, record.TableGrant.UnderBoth(r.Acts, k.agent), func(_, token []byte) error {
		a, err := approval.Load(k.ledger.J, string(token))
		if err == nil && a.Run && a.Owner() == r.Root && a.Token != stays.Approval {
			left = append(left, a.Token)
		}
		return err
	})
	if err != nil || len(left) == 0 {
		return err
	}
	return k.ledger.J.Finish(ctx, func(tx *journal.Tx) error { return r.withdraw(tx, left) })
}

func (r *Run) withdraw(tx *journal.Tx, tokens []string) error {
	for _, token := range tokens {
		a, err := approval.Load(tx, token)
		if err != nil {
			return err
		}
		if a.State != approval.Pending && a.State != approval.Approved { // it was answered or used meanwhile
			continue
		}
		if a.By == "" {
			a.By = r.Principal
		}
		if err := approval.Move(tx, a, approval.Withdrawn); err != nil {
			return err
		}
	}
	return nil
}
