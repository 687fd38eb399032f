package rules

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/skills"
)

// A person who says yes although nobody could judge has not said yes to what the clause asks about, nor the
// other way round.
func TestNotBeingAbleToJudgeIsAnotherQuestion(t *testing.T) {
	b := load(t, `(defskill s :gate ((ask much :when (> action.args.amount 5) :reason "it is much")))`)
	slot := func(args string) skills.Ask {
		v, err := b.Skills("")[0].Gates[0].Judge(context.Background(),
			skills.NewCase(call(t, "pay", args), nil, &skills.Facts{}))
		require.NoError(t, err)
		require.IsType(t, skills.Ask{}, v)
		return v.(skills.Ask)
	}
	asks, errs := slot("(:amount 6)"), slot("()")
	assert.Equal(t, "s/much", asks.Reason.Key)
	assert.Equal(t, "s/much/error", errs.Reason.Key)
	assert.NotEqual(t, asks.Slot.Key, errs.Slot.Key)
	assert.Equal(t, asks.Slot.Key, slot("(:amount 7)").Slot.Key, "the same question")
}
