package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
)

// R23: facts.ctx is seeded before each turn, with sources on record; what changed is on record as a
// difference; an operator overrides a seed; a replay seeds nothing.
func TestR23_TheBlackboardIsSeeded(t *testing.T) {
	file, reads := read(`(:shift "day" :limit 100)`), 0
	var broken error
	seeds := []Seed{
		{Name: "facts.lisp", Read: func(context.Context) (sexpr.Value, error) { reads++; return file, broken }},
		{Name: "host", Read: func(context.Context) (sexpr.Value, error) { return read(`(:region "eu")`), nil }},
	}
	b := newBench(t, testRules, "", func(o *Options) { o.Dir, o.Seeds = t.TempDir(), seeds })
	facts := func() string { return b.ledger.Facts().String() }
	set := func() (out []string) {
		require.NoError(t, b.Journal().Records(1, func(r Record) error {
			if r.Kind == record.KindFact {
				f := record.FactFrom(r.Body)
				out = append(out, f.By+" "+f.Via+": "+f.Name+" "+f.Fact.String())
			}
			return nil
		}))
		return out
	}
	require.Equal(t, `(:limit 100 :region "eu" :shift "day")`, canonical(t, b.ledger.Facts()))
	require.Len(t, set(), 3)

	hear := func() {
		_, err := b.Hosts().Hear(t.Context(), Signal{Source: "test", Principal: "ana", Session: "s", Text: "hello"})
		require.NoError(t, err)
	}
	hear()
	assert.Len(t, set(), 3, "nothing has changed, so nothing is written")
	file = read(`(:shift "night")`)
	hear()
	assert.Equal(t, []string{"facts.lisp seed: shift \"night\"", "facts.lisp seed: limit nil"}, set()[3:])
	assert.Equal(t, `(:region "eu" :shift "night")`, canonical(t, b.ledger.Facts()))

	require.NoError(t, b.Operations().SetFact(t.Context(), "shift", sexpr.Str("late"), ana))
	hear()
	assert.Equal(t, `(:region "eu" :shift "late")`, canonical(t, b.ledger.Facts()), "an operator overrides a seed")

	broken = errors.New("no such file")
	file = read(`(:limit 5)`)
	hear()
	broken = nil
	hear()
	assert.Contains(t, facts(), ":limit 5")
	broken = errors.New("no such file")
	hear()
	assert.Equal(t, `(:region "eu" :shift "late")`, canonical(t, b.ledger.Facts()), "what cannot be read is not there")

	b.decideOn("look", `(:text "x")`)
	before := reads
	b.replaysTheSame()
	assert.Equal(t, before, reads, "a replay seeds nothing")
	b.reopen()
	assert.Equal(t, `(:region "eu" :shift "late")`, canonical(t, b.ledger.Facts()))
}

func canonical(t *testing.T, v sexpr.Value) string {
	text, err := sexpr.Canonical(v)
	require.NoError(t, err)
	return text
}
