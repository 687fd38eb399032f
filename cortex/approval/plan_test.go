package approval

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

func TestABoundPlanIsWhatPeopleSaw(t *testing.T) {
	action := func(tool string) *skills.Action {
		a, err := skills.NewAction(tool, sexpr.EmptyObject(), "")
		require.NoError(t, err)
		return a
	}
	a := &Approval{Token: "t", State: Approved, Action: action("x.y"), Slots: []Slot{
		{Class: "operator", Quorum: 1, Key: sexpr.Digest{1}, By: []string{"op"},
			Of: &skills.Of{Step: "one", Action: action("a")}},
		{Class: "operator", Quorum: 1, Key: sexpr.Digest{2}, Of: &skills.Of{Step: "two", Action: action("b"), Note: "n"}},
	}}
	var err error
	a.Bound, err = a.Bind()
	require.NoError(t, err)
	again, err := From(a.Value())
	require.NoError(t, err)
	assert.Equal(t, a.Slots[1].Of.Action.Digest(), again.Slots[1].Of.Action.Digest())

	for name, change := range map[string]func(*skills.Of){
		"step":   func(o *skills.Of) { o.Step = "three" },
		"action": func(o *skills.Of) { o.Action = action("c") },
		"note":   func(o *skills.Of) { o.Note = "" },
	} {
		b := *a
		of := *a.Slots[1].Of
		change(&of)
		b.Slots = []Slot{a.Slots[0], a.Slots[1]}
		b.Slots[1].Of = &of
		_, err := From(b.Value())
		assert.Error(t, err, name)
	}

	free := func(sexpr.Digest) (bool, error) { return false, nil }
	g, ok, err := a.GrantOf("one", free)
	require.NoError(t, err)
	assert.True(t, ok)
	assert.Equal(t, a.Slots[0].Of.Action.Digest(), g.Digest)
	_, ok, err = a.GrantOf("two", free)
	require.NoError(t, err)
	assert.False(t, ok, "it has no yes")
	_, ok, err = a.GrantOf("one", func(sexpr.Digest) (bool, error) { return true, nil })
	require.NoError(t, err)
	assert.False(t, ok, "it is used up")
}
