package approval

import (
	"crypto/rand"
	"errors"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/skills"
)

// Join lets a decision wait for a card that is already open.
func Join(tx *journal.Tx, card, again *Approval) error {
	if !card.Take(again.Waiters()) {
		return nil
	}
	return Save(tx, card)
}

// SameCard reports whether two cards ask the same people the same.
func SameCard(a, b *Approval) bool {
	return a.Requester == b.Requester && a.Policy == b.Policy &&
		slices.EqualFunc(a.Slots, b.Slots, func(x, y Slot) bool { return x.Key == y.Key }) &&
		slices.EqualFunc(a.Plan, b.Plan, func(x, y skills.Of) bool { return bound(&x) == bound(&y) })
}

// Inherit copies answers to a new card: it fills each slot that the approved card prior
// has too, for the same requester under the same policy, and for the same run or for none.
func Inherit(fresh, prior *Approval) {
	if prior.State != Approved || prior.Requester != fresh.Requester || prior.Policy != fresh.Policy ||
		prior.Owner() != fresh.Owner() {
		return
	}
	for i := range fresh.Slots {
		for _, s := range prior.Slots {
			if s.Key == fresh.Slots[i].Key {
				fresh.Slots[i].By = slices.Clone(s.By)
			}
		}
	}
}

// Leave withdraws the open cards of the run with a root signal, whose steps are calls of session, but for
// the card with the token but. by is who left them. A card with secrets that cannot be read here stays: no
// person can answer it here either.
func Leave(tx *journal.Tx, session string, root uint64, but, by string) error {
	var left []*Approval
	err := record.Scan(tx, record.TableGrant.Under(session), func(_, token []byte) error {
		a, err := Load(tx, string(token))
		if err == nil && a.Run && a.Owner() == root && a.Token != but && !a.Action.Withheld() {
			left = append(left, a)
		}
		return err
	})
	for _, a := range left {
		if a.By == "" {
			a.By = by
		}
		err = errors.Join(err, Move(tx, a, Withdrawn))
	}
	return err
}

// NewToken returns a new token: short enough to type and, with 80 random bits, too long to
// guess.
func NewToken() string { return strings.ToLower(rand.Text()[:16]) }

// SaveYes records an approval after one more person said yes, and approves it if all slots
// are filled.
func SaveYes(tx *journal.Tx, a *Approval) error {
	if a.filled() {
		return Move(tx, a, Approved)
	}
	return Save(tx, a)
}
