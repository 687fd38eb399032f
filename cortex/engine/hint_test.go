package engine

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

var hintRules = strings.Replace(testRules, `1000 a day"`, `1000 a day" :hint t`, 1) + `
(defskill limits :trigger (= action.tool "send_money")
  :gate ((deny most :when (> action.args.amount 500) :reason "at most 500 at once" :hint t)))
(definvariant payee :when (= action.tool "send_money") :holds (/= action.args.recipient "eve") :reason "not eve")
`

// obedient is a model that wants to pay, and does with a denied payment what the hint
// says. It reads what it is shown, and nothing else.
type obedient struct {
	args  sexpr.Value // of the next proposal
	asked atomic.Int32
}

func (*obedient) Name() string { return "obedient" }

func (m *obedient) Complete(_ context.Context, p model.Prompt) (model.Completion, error) {
	m.asked.Add(1)
	last := p.Messages[len(p.Messages)-1]
	if last.Role == model.RoleTool || strings.Contains(last.Text, "tool-output") {
		return model.Completion{Text: "paid"}, nil
	}
	if _, after, ok := strings.Cut(last.Text, "\n> (:at (\"amount\") :set "); ok {
		number, _, _ := strings.Cut(after, ")\n")
		v, err := sexpr.Read("hint", number)
		if err != nil {
			return model.Completion{}, err
		}
		m.args = m.args.With("amount", v)
	}
	return model.Completion{Text: sexpr.Plist("type", sexpr.Key("request"), "payload",
		sexpr.Plist("tool", sexpr.Str("send_money"), "args", m.args)).String()}, nil
}

func payments(t *testing.T, amount int64, gates ...Gate) (*bench, *obedient) {
	t.Helper()
	m := &obedient{args: sexpr.Plist("recipient", sexpr.Str("x"), "amount", sexpr.Int64(amount))}
	return newBench(t, hintRules, "", func(o *Options) {
		o.Models.Providers = []model.Provider{m}
		o.Gates = gates
	}), m
}

// A model that does what a hint says has its action carried out at the second attempt,
// within the limit and then within what is left of the budget.
func TestAModelThatFollowsAHintIsAllowed(t *testing.T) {
	b, m := payments(t, 800)
	first := b.say("pay x")
	require.Len(t, first.Decisions, 3, "and the reply")
	assert.Equal(t, `(:at ("amount") :set 500)`, first.Decisions[0].Hint.Edit.String())
	assert.Equal(t, reason.Allow, first.Decisions[1].Kind)
	m.args = m.args.With("amount", sexpr.Int64(320))
	b.say("pay x some more")
	m.args = m.args.With("amount", sexpr.Int64(400))
	third := b.say("and more")
	require.Len(t, third.Decisions, 3)
	assert.Equal(t, `(:at ("amount") :set 180)`, third.Decisions[0].Hint.Edit.String(), "what is left of the day")
	assert.Equal(t, reason.Allow, third.Decisions[1].Kind)
	require.Equal(t, 3, b.tool.count())
	for i, want := range []string{":amount 500", ":amount 320", ":amount 180"} {
		assert.Contains(t, b.tool.calls[i], want)
	}
	sameAgain(t, b)
}

// sameAgain replays all decisions, and finds the same hints.
func sameAgain(t *testing.T, b *bench) {
	t.Helper()
	got, err := b.Replay(t.Context(), ReplayOptions{})
	require.NoError(t, err)
	assert.Positive(t, got.Decisions)
	assert.Empty(t, got.Differences)
}

// What the search came to is on record, and explained.
func TestI5_AHintIsOnRecordAndReplays(t *testing.T) {
	b, _ := payments(t, 1)
	for _, args := range []string{`(:recipient "x" :amount 800)`, `(:recipient "eve" :amount 800)`, `(:recipient "x" :amount 7)`} {
		b.decideOn("send_money", args)
	}
	var hints []string
	require.NoError(t, b.j.Records(1, func(r Record) error {
		if r.Kind != record.KindDecision {
			return nil
		}
		x, err := b.Explain(t.Context(), r.Seq)
		require.NoError(t, err)
		require.NoError(t, x.Underived)
		text := "none was asked for"
		if x.Decision.Hint != nil {
			text, _, _ = strings.Cut(x.Decision.Hint.String(), ",")
		}
		hints = append(hints, text)
		return nil
	}))
	require.Len(t, hints, 3)
	assert.Contains(t, hints[0], `hint: (:at ("amount") :set 500)`)
	assert.Equal(t, "hint: none was found", hints[1])
	assert.Equal(t, "none was asked for", hints[2])
	sameAgain(t, b)
}

// A gate in Go, which may ask anything, is never asked about an edit that is only
// supposed. A rulebook where one would judge it gives no hint, and replays so.
func TestAGateInGoIsNotAskedForAHint(t *testing.T) {
	var asked atomic.Int32
	b, _ := payments(t, 1, gate("fraud", -10, func(context.Context, *skills.Case) (skills.Verdict, error) {
		asked.Add(1)
		return skills.Pass{}, nil
	}))
	d := b.decideOn("send_money", `(:recipient "x" :amount 800)`)
	assert.Equal(t, reason.Deny, d.Kind)
	require.NotNil(t, d.Hint)
	assert.True(t, d.Hint.Edit.IsNil())
	assert.Zero(t, asked.Load(), "the denial came before it")
	require.Equal(t, reason.Allow, b.decideOn("send_money", `(:recipient "x" :amount 500)`).Kind)
	assert.Equal(t, int32(1), asked.Load())
	sameAgain(t, b)
}
