package approval

import (
	"crypto/rand"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cortex/journal"
)

// Join lets a decision wait for a card that is open already.
func Join(tx *journal.Tx, card, again *Approval) error {
	if !card.Take(again.Waiters()) {
		return nil
	}
	return Save(tx, card)
}

// SameCard reports whether two cards ask the same of the same people.
func SameCard(a, b *Approval) bool {
	return a.Requester == b.Requester && a.Policy == b.Policy &&
		slices.EqualFunc(a.Slots, b.Slots, func(x, y Slot) bool { return x.Key == y.Key })
}

// Inherit fills the slots of a new card whose keys an approved one held under
// the same policy and for the same requester.
func Inherit(fresh, prior *Approval) {
	if prior.State != Approved || prior.Requester != fresh.Requester || prior.Policy != fresh.Policy {
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

// NewToken is short enough to type and, with 80 random bits, not to be guessed.
func NewToken() string { return strings.ToLower(rand.Text()[:16]) }

// SaveYes records an approval that one more person has said yes to.
func SaveYes(tx *journal.Tx, a *Approval) error {
	if a.filled() {
		return Move(tx, a, Approved)
	}
	return Save(tx, a)
}
