package linearize

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A card's time is over while somebody edits it. The answer came in time, and is
// seen after; one that is begun later does not count.
func TestAnAnswerThatCameInTimeMayBeSeenLater(t *testing.T) {
	card := Object{Card, 1}
	at := func(edited int64, how How) *History {
		h := NewHistory()
		h.note(In{On: card, Do: Expire}, 20, Out{How: Did}, 21)
		h.note(In{On: card, Do: Read}, 25, Out{How: Did, State: "pending"}, 30)
		h.note(In{On: card, Do: Edit}, edited, Out{How: how}, 40)
		state := "superseded"
		if how == Refused {
			state = "expired"
		}
		h.note(In{On: card, Do: Read}, 50, Out{How: Did, State: state}, 60)
		return h
	}
	assert.Empty(t, at(10, Did).Check())
	assert.Empty(t, at(10, Refused).Check(), "it may be too late as well")
	assert.Len(t, at(22, Did).Check(), 1)
	assert.Empty(t, at(22, Refused).Check())
}

// An agent that uses a yes in the moment in which the clock jumps is asked anew,
// and the card is superseded; at any other time no use ends a card.
func TestAnAskInTheMomentOfAJumpSupersedes(t *testing.T) {
	card := Object{Card, 1}
	at := func(used int64) []string {
		h := NewHistory()
		h.note(In{On: card, Do: Expire}, 20, Out{How: Did}, 21)
		h.note(In{On: card, Do: Consume}, used, Out{How: Refused}, 30)
		h.note(In{On: card, Do: Read}, 50, Out{How: Did, State: "superseded"}, 60)
		return h.Check()
	}
	assert.Empty(t, at(10))
	assert.Len(t, at(22), 1)
}
