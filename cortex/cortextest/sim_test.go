package cortextest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Two that begin at one instant do not fall on one again while a simulation lasts.
func TestSim_NothingMeets(t *testing.T) {
	years := func(a, b time.Duration) float64 {
		g, rest := a, b
		for rest != 0 {
			g, rest = rest, g%rest
		}
		return (a / g).Seconds() * b.Seconds() * float64(time.Second) / (365 * simDay.Seconds())
	}
	assert.Greater(t, years(simDay, simSign/4), 1000.0)
	assert.Greater(t, years(simDay, simBeat), 1000.0)
	assert.Greater(t, years(simBeat, simSign/4), 1000.0)
	assert.Less(t, years(24*time.Hour, simSign/4), 0.01, "the ends of whole days do")
}

// aLife is what the simulations here live through.
func aLife(seed uint64, days int) Life {
	opt := cortex.Options{Rules: rulesOf(testRules), Approvals: cortex.ApprovalOptions{
		Classes:  map[string][]string{"operator": people},
		Escalate: map[string]cortex.Escalation{"operator": {After: 5 * time.Hour, To: "finance"}},
	}}
	for _, name := range []string{"note", "send_money", "risky", "grave", "wire"} {
		opt.Tools = append(opt.Tools, act.Tool{Schema: &skills.Tool{Name: name, Idempotent: name == "wire"}})
	}
	return Life{Seed: seed, Days: days, Options: opt, Propose: propose}
}

// propose draws what is allowed, asked of one person and of two, over its budget, and badly
// put.
func propose(rng *rand.Rand, word string) *cortex.Action {
	tool, args := "note", sexpr.Plist("text", sexpr.Str(word))
	switch n := rng.IntN(38); {
	case n < 24:
		tool, args = []string{"risky", "grave", "wire", "risky"}[n%4], sexpr.Plist("what", sexpr.Str(word))
	case n < 30:
		tool = "send_money"
		args = sexpr.Plist("recipient", sexpr.Str(word), "amount", sexpr.Int64(1+rng.Int64N(400)))
	case n < 33:
		args = sexpr.Plist("text", sexpr.Str("secret "+word))
	case n < 35:
		args = sexpr.Plist("text", sexpr.Str("a text that is much too long to be kept as a note "+word))
	}
	a, err := cortex.NewAction(tool, args, "")
	if err != nil {
		panic(err)
	}
	return a
}

// simDays is how long a simulation lasts, and how many there are.
func simDays() (days, worlds int) {
	if n := crashtest.Number("CORTEX_SIM", 0); n > 0 {
		return n, 1
	}
	return 12, 2
}

// Whatever people, tools, clocks and power cuts do for weeks: nothing is done that
// was not allowed, nothing twice, nothing too late, and nothing is lost. And the
// same seed gives the same bytes.
func TestSim(t *testing.T) {
	crashtest.Long(t)
	days, worlds := simDays()
	_, seed := campaign(0)
	begun, failures, acked, effects, counts, digests := time.Now(), 0, 0, 0, map[string]int{}, ""
	for i := range uint64(worlds) {
		one, two := Simulate(t, aLife(seed+i, days)), Simulate(t, aLife(seed+i, days))
		failures += len(one.wrong)
		digests += one.Digest[:16] + " "
		if at := one.Differs(two); at != "" {
			failures++
			t.Errorf("seed %d does not give the same twice: %s", seed+i, at)
		}
		acked, effects = acked+one.Acknowledged, effects+one.Effects
		for k, n := range one.Counts {
			counts[k] += n
		}
		counts["steps"] += one.Steps
		counts["records"] += one.Records
	}
	assert.Positive(t, effects)
	for _, kind := range []string{record.KindApproval, record.KindCheckpoint, record.KindClock, record.KindKill} {
		assert.Positive(t, counts["record-"+kind], "no record of %s", kind)
	}
	crashtest.Result{
		Harness: "sim", Trials: days * worlds, Seed: seed, Failures: failures, Acknowledged: acked, Effects: effects,
		More: fmt.Sprintf("trials-are=days seconds=%.0f sha256=%q %s", time.Since(begun).Seconds(),
			strings.TrimSpace(digests), tally(counts)),
	}.Report(t)
}

func tally(counts map[string]int) (text string) {
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		text += fmt.Sprintf("%s=%d ", k, counts[k])
	}
	return text
}

// A simulation finds each of these, by its own symptom.
func TestSim_NegativeControls(t *testing.T) {
	crashtest.Long(t)
	for name, fault := range map[string]struct {
		simFault
		symptom string
	}{
		"a store that forgets that a grant was used": {
			simFault{wrap: reuse},
			"was used by intents|was consumed and is|which the record does not say",
		},
		"an expiry that is never applied": {
			simFault{wrap: func(s journal.Store) journal.Store {
				return dropping{s, func(w journal.Write) bool {
					return w.Key[0] == byte(record.TableApproval) && bytes.Contains(w.Value, []byte(`:state "expired"`))
				}}
			}},
			"which the record does not say|after its end",
		},
		"a clock that stands still": {
			simFault{change: func(s *simulation, o *cortex.Options) {
				at := s.clock.Now()
				o.Clock.Now, o.Clock.Uptime = func() time.Time { return at }, nil
			}},
			"after the end of the card|at an age of|after its end",
		},
		"ack before sync": {simFault{wrap: func(s journal.Store) journal.Store { return &lazy{Store: s} }},
			"lost|written anew|does not follow|without an intent"},
		"execute before intent": {simFault{early: true}, "effect without an intent"},
		"skip the digest":       {simFault{bytes: true}, "other bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(8) {
				r := simulate(t, aLife(1+seed, 15), fault.simFault)
				if len(r.wrong) == 0 {
					continue
				}
				crashtest.Control{Harness: "sim", Fault: name, Seed: 1 + seed, Symptom: fault.symptom}.Found(t, r.wrong)
				return
			}
			require.Fail(t, "not found")
		})
	}
	t.Run("other dice", func(t *testing.T) {
		one, two := simulate(t, aLife(1, 2), simFault{}), simulate(t, aLife(1, 2), simFault{dice: 1})
		at := one.Differs(two)
		require.NotEmpty(t, at)
		t.Logf("RESULT control=%q found-by=sim seed=1: %s", "other dice", at)
	})
}

// A life of another program's rules: what happens depends on its seed alone.
func TestSimulate(t *testing.T) {
	life := Life{Seed: 1, Days: 1, Options: cortex.Options{
		Rules:     rulesOf(`(deftool refund :params (:order string) :required (:order) :tier :ask)`),
		Approvals: cortex.ApprovalOptions{Classes: map[string][]string{"operator": {"ana", "ben"}}},
		Tools:     []act.Tool{{Schema: &skills.Tool{Name: "refund"}}},
	}, Propose: func(_ *rand.Rand, word string) *cortex.Action {
		return action(t, "refund", fmt.Sprintf(`(:order %q)`, word))
	}}
	one, two := Simulate(t, life), Simulate(t, life)
	assert.Equal(t, one.Digest, two.Digest)
	assert.Empty(t, one.Differs(two))
	assert.Positive(t, one.Counts["record-"+record.KindApproval])
	life.Seed = 2
	assert.NotEmpty(t, one.Differs(Simulate(t, life)))
	assert.ErrorContains(t, Life{}.check(), "Propose is missing")
	assert.ErrorContains(t, Life{Propose: life.Propose}.check(), "no operator")
	life.Options.Dry = true
	assert.NoError(t, life.check())
	life.Options.Live = true
	assert.ErrorContains(t, life.check(), "Dry contradicts")
}
