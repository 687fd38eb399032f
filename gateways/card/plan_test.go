package card

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// planned is a card about a plan: one step is allowed, some ask with an argument of so many bytes, and the
// last is open.
func planned(t testing.TB, asking, size int) *cortex.Approval {
	t.Helper()
	a := approval(t, "deploy.app", "x", "")
	step := func(name, arg string) skills.Of {
		does, err := cortex.NewAction("shell", sexpr.Plist("cmd", sexpr.Str(arg)), "")
		require.NoError(t, err)
		return skills.Of{Step: name, Action: does}
	}
	a.Plan = append(a.Plan, step("was", "az show"))
	for i := range asking {
		s := step(fmt.Sprintf("set-%d", i), fmt.Sprintf("az set %d ", i)+strings.Repeat("v", size)+" end")
		a.Plan = append(a.Plan, s)
		a.Slots = append(a.Slots, cortex.ApprovalSlot{Class: "operator", Quorum: 1, Of: &s,
			Reason: skills.Reason{Key: "deploy.app/step/" + s.Step, Text: "it changes something"}})
	}
	a.Plan = append(a.Plan, skills.Of{Step: "check", Note: "shell: its arguments are known only when it is due"})
	return a
}

// Every step stands on the card of a plan: what asks in full, what is open by name.
func TestACardShowsEveryStepOfItsPlan(t *testing.T) {
	c := New(planned(t, 2, 1000), "123456789012", Options{})
	text := c.Text()
	for _, want := range []string{`step 1    was is allowed: "shell"`, `step 2    set-0 asks: "shell"`,
		`step 3    set-1 asks: "shell"`, `step 4    check is open: "shell: its arguments are known only when it is due"`,
		strings.Repeat("v", 1000) + " end"} {
		assert.True(t, strings.Contains(text, want), "%.80s", want)
	}
	short, ok := c.Elsewhere(3500, "ask cortex")
	assert.True(t, ok)
	assert.Contains(t, short.Short(3500), strings.Repeat("v", 1000)+" end")
}

// A place without room for a step that asks says so, and cannot answer. No other card is like that.
func TestACardWithoutRoomIsAnsweredElsewhere(t *testing.T) {
	c := New(planned(t, 4, 1000), "123456789012", Options{})
	short, ok := c.Elsewhere(3500, "cortex approvals show has all of it")
	assert.False(t, ok)
	text := short.Short(3500)
	assert.LessOrEqual(t, len(text), 3500)
	assert.Contains(t, text, "this card asks for more than can be shown here; cortex approvals show has all of it")

	_, ok = New(approval(t, "shell", strings.Repeat("v", 9000), ""), "1", Options{}).Elsewhere(100, "")
	assert.True(t, ok)
}

// However little room there is, what is shown here asks for nothing that is not shown.
func TestWhatCanBeAnsweredShowsAllThatAsks(t *testing.T) {
	whole := 0
	for limit := 100; limit < 6000; limit += 50 {
		c := New(planned(t, 3, 700), "1", Options{})
		c, ok := c.Elsewhere(limit, "")
		if !ok {
			continue
		}
		whole++
		text := c.Short(limit)
		require.LessOrEqual(t, len(text), limit)
		for i := range 3 {
			want := fmt.Sprintf("az set %d ", i) + strings.Repeat("v", 700) + " end"
			require.True(t, strings.Contains(text, want), "%d bytes", limit)
		}
	}
	assert.Positive(t, whole)
}
