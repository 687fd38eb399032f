package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

const gateRules = `
(deftool pay :params (:amount integer :to string) :required (:amount) :tier :allow)
(deftool wire :params (:amount integer) :required (:amount) :tier :ask)
(defskill money :priority 10 :trigger (= action.tool "pay")
  :gate ((deny too-much :when (> action.args.amount 1000) :reason "payments stop at 1000")
         (ask large :when (> action.args.amount 500) :reason "more than 500 needs a yes")))`

type judge = func(context.Context, *skills.Case) (skills.Verdict, error)

// gated opens an engine with gates beside gateRules; dir is "" in memory.
func gated(t *testing.T, dir string, gates ...Gate) *bench {
	return newBench(t, "", "", func(o *Options) {
		o.Dir, o.Gates = dir, gates
		o.Rules = fstest.MapFS{"pay.lisp": {Data: []byte(gateRules)}}
	})
}

func gate(name string, priority int, f judge) Gate {
	return Gate{Name: name, Version: "1", Priority: priority, Judge: f}
}

func amount(c *skills.Case) int64 { return c.Action().Native()["amount"].(int64) }

func TestGatesStandAmongTheRules(t *testing.T) {
	var before, after atomic.Int32
	b := gated(t, "",
		gate("first", 20, func(_ context.Context, c *skills.Case) (skills.Verdict, error) {
			before.Add(1)
			if amount(c) == 13 {
				return skills.Deny{Reason: skills.Reason{Key: "unlucky", Text: "not 13", Detail: "it is 13"}}, nil
			}
			return skills.Pass{}, nil
		}),
		gate("last", 0, func(_ context.Context, c *skills.Case) (skills.Verdict, error) {
			after.Add(1)
			switch n := amount(c); {
			case c.Action().Tool() == "wire":
				return skills.Allow{Reason: skills.Reason{Text: "it is known"}}, nil
			case n == 14:
				return skills.Ask{Reason: skills.Reason{Key: "even", Text: "14 needs a yes"},
					Slot: skills.Slot{Class: "finance", Quorum: 2}}, nil
			case n == 15:
				set, err := sexpr.From(map[string]any{"amount": 5})
				return skills.Rewrite{Set: set, Reason: skills.Reason{Text: "5 is enough"}}, err
			}
			return skills.Pass{Note: "seen"}, nil
		}))
	d := b.decideOn("pay", `(:amount 13)`)
	assert.Equal(t, reason.Deny, d.Kind)
	assert.Equal(t, "first/unlucky", d.Key)
	assert.Equal(t, "it is 13", d.Reasons[0].Detail)
	assert.Zero(t, after.Load(), "what comes after a reject is not asked")

	assert.Equal(t, "money/too-much", b.decideOn("pay", `(:amount 2000)`).Key)
	assert.Equal(t, int32(2), before.Load())
	assert.Zero(t, after.Load())

	d = b.decideOn("pay", `(:amount 14)`)
	require.Equal(t, reason.Ask, d.Kind)
	assert.Equal(t, "last/even", d.Key)
	assert.Equal(t, skills.Slot{Class: "finance", Quorum: 2, Key: d.Asks[0].Slot.Key}, d.Asks[0].Slot)

	d = b.decideOn("pay", `(:amount 15)`)
	assert.Equal(t, reason.Allow, d.Kind)
	assert.Equal(t, int64(5), d.Action.Native()["amount"])
	assert.Equal(t, "last/main", b.decideOn("wire", `(:amount 3)`).Key, "an allow answers a tier that asks")
	b.intact()
}

// An error, a panic, silence, no verdict and a malformed one are all a denial.
func TestI3_AGateInGoThatFailsDenies(t *testing.T) {
	ptr := &skills.Allow{Reason: skills.Reason{Text: "yes"}}
	stuck := make(chan struct{})
	for name, f := range map[string]judge{
		"error": func(context.Context, *skills.Case) (skills.Verdict, error) {
			return skills.Pass{}, errors.New("no \x00\xff")
		},
		"silent": func(context.Context, *skills.Case) (skills.Verdict, error) { return skills.Pass{}, errors.New("") },
		"panic":  func(context.Context, *skills.Case) (skills.Verdict, error) { panic(t) },
		"exit":   func(context.Context, *skills.Case) (skills.Verdict, error) { runtime.Goexit(); return nil, nil },
		"absent": func(context.Context, *skills.Case) (skills.Verdict, error) { return nil, nil },
		"shape":  func(context.Context, *skills.Case) (skills.Verdict, error) { return ptr, nil },
		"mute":   func(context.Context, *skills.Case) (skills.Verdict, error) { return skills.Allow{}, nil },
		"clause": func(context.Context, *skills.Case) (skills.Verdict, error) {
			return skills.Allow{Reason: skills.Reason{Key: "tier/pay", Text: "yes"}}, nil
		},
		"people": func(context.Context, *skills.Case) (skills.Verdict, error) {
			return skills.Ask{Reason: skills.Reason{Text: "?"}, Slot: skills.Slot{Quorum: -1}}, nil
		},
		"set": func(context.Context, *skills.Case) (skills.Verdict, error) {
			return skills.Rewrite{Set: sexpr.Str("x"), Reason: skills.Reason{Text: "x"}}, nil
		},
		"schema": func(context.Context, *skills.Case) (skills.Verdict, error) {
			return skills.Rewrite{Set: sexpr.Plist("amount", sexpr.Str("x")), Reason: skills.Reason{Text: "x"}}, nil
		},
		"late": func(ctx context.Context, _ *skills.Case) (skills.Verdict, error) {
			<-stuck // whatever ctx says
			return skills.Allow{Reason: skills.Reason{Text: "yes"}}, nil
		},
		"tamper": func(_ context.Context, c *skills.Case) (skills.Verdict, error) {
			*c = skills.Case{} // its own copy
			return nil, errors.New("done")
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := gated(t, "", gate("guard", 5, f))
			d := b.decideOn("pay", `(:amount 5)`)
			assert.Equal(t, reason.Deny, d.Kind)
			if name != "schema" {
				assert.Equal(t, "gate/guard/failed", d.Key)
			}
			b.intact()
		})
	}
	close(stuck)
}

// A gate that blocks costs its own deadline, and no more goroutines than are allowed.
func TestI3_AGateInGoThatBlocksIsLeftBehind(t *testing.T) {
	stuck := make(chan struct{})
	var calls atomic.Int32
	var history atomic.Value
	b := gated(t, "", Gate{Name: "slow", Version: "1", Timeout: time.Millisecond,
		Judge: func(_ context.Context, c *skills.Case) (skills.Verdict, error) {
			calls.Add(1)
			<-stuck
			_, err := c.Turns()
			history.Store(fmt.Sprint(err))
			return skills.Pass{}, nil
		}})
	for range 64 + 3 {
		assert.Equal(t, "gate/slow/failed", b.decideOn("pay", `(:amount 5)`).Key)
	}
	assert.Equal(t, int32(64), calls.Load())
	d := b.decideOn("pay", `(:amount 5)`)
	assert.Contains(t, d.Reasons[0].Detail, "64 earlier calls have not returned")
	close(stuck)
	require.Eventually(t, func() bool { return history.Load() != nil }, 5*time.Second, time.Millisecond)
	assert.Equal(t, "the decision is over", history.Load())
	b.intact()
}

// A decision that a gate in Go had a part in is derived again from the record, even
// where the gate is not deterministic, is another one now, or is gone.
func TestI5_AGateInGoReplaysFromTheRecord(t *testing.T) {
	moody := gate("moody", 5, func(_ context.Context, c *skills.Case) (skills.Verdict, error) {
		turns, err := c.Turns()
		if rand.Intn(2) == 0 || err != nil {
			return skills.Pass{Note: fmt.Sprint(len(turns))}, err
		}
		return skills.Deny{Reason: skills.Reason{Text: fmt.Sprint("not today: ", rand.Int())}}, nil
	})
	b := gated(t, t.TempDir(), moody)
	for i := range 20 {
		d := b.decideOn("pay", fmt.Sprintf(`(:amount %d)`, i))
		assert.Contains(t, d.Reads, skills.SessionKey("s1"), "what the gate read counts")
	}
	replay := func() Replayed {
		t.Helper()
		got, err := b.Replay(t.Context(), ReplayOptions{})
		require.NoError(t, err)
		assert.Equal(t, 20, got.Decisions)
		assert.Empty(t, got.Differences)
		assert.Empty(t, got.Others)
		return got
	}
	before := b.Rules().Policy().Hash()
	assert.Empty(t, replay().Gates)

	b.opt.Gates[0].Version = "2"
	b.reopen()
	assert.NotEqual(t, before, b.Rules().Policy().Hash(), "the version is a part of the policy")
	assert.Equal(t, []string{"moody 1"}, replay().Gates)

	b.opt.Gates = nil
	b.reopen()
	assert.Equal(t, []string{"moody 1"}, replay().Gates)
	var seq uint64
	require.NoError(t, b.j.Records(1, func(r Record) error {
		if r.Kind == record.KindDecision {
			seq = r.Seq
		}
		return nil
	}))
	x, err := b.Explain(t.Context(), seq)
	require.NoError(t, err)
	assert.NoError(t, x.Underived)
}

// Other rules are tried beside the gates of the day.
func TestReplayOfOtherRulesKeepsTheGates(t *testing.T) {
	b := gated(t, "", gate("guard", 5, func(_ context.Context, c *skills.Case) (skills.Verdict, error) {
		if amount(c) == 13 {
			return skills.Deny{Reason: skills.Reason{Key: "unlucky", Text: "not 13"}}, nil
		}
		return skills.Pass{}, nil
	}))
	for _, n := range []int{12, 13} {
		b.decideOn("pay", fmt.Sprintf(`(:amount %d)`, n))
	}
	got, err := b.Replay(t.Context(), ReplayOptions{Rules: b.policies.Current().Book})
	require.NoError(t, err)
	assert.Equal(t, 2, got.Decisions)
	assert.Empty(t, got.Differences)
	assert.Empty(t, got.Gates)

	b.Engine.opt.Gates = nil // a program without them
	got, err = b.Replay(t.Context(), ReplayOptions{Rules: b.policies.Current().Book})
	require.NoError(t, err)
	assert.Empty(t, got.Differences)
	assert.Equal(t, []string{"guard 1"}, got.Gates)
}

// A yes that was given under one version of a gate is none under another.
func TestAYesHoldsForOneVersionOfAGate(t *testing.T) {
	b := gated(t, t.TempDir(), gate("guard", 5, func(context.Context, *skills.Case) (skills.Verdict, error) {
		return skills.Ask{Reason: skills.Reason{Text: "sure?"}}, nil
	}))
	d := b.decideOn("pay", `(:amount 5)`)
	require.NoError(t, b.Approve(t.Context(), d.Approval, ana))
	b.opt.Gates[0].Version = "2"
	b.reopen()
	assert.Equal(t, reason.Ask, b.decideOn("pay", `(:amount 5)`).Kind)
	b.intact()
}

// Nothing that a gate in Go says overrides a rule's no, a rule's ask, or the guard.
func TestI6_AGateInGoRaisesNoAuthority(t *testing.T) {
	var ask sexpr.Digest
	b := gated(t, t.TempDir(), gate("friend", 50, func(_ context.Context, c *skills.Case) (skills.Verdict, error) {
		if amount(c) == 7 { // it claims to be the rule's ask, to which there is a yes
			return skills.Ask{Reason: skills.Reason{Text: "?"}, Slot: skills.Slot{Key: ask}}, nil
		}
		return skills.Allow{Reason: skills.Reason{Text: "trust me"}}, nil
	}))
	d := b.decideOn("pay", `(:amount 600)`)
	assert.Equal(t, reason.Ask, d.Kind)
	assert.Equal(t, "money/large", d.Key)
	ask = d.Asks[0].Slot.Key
	assert.NotEqual(t, ask, b.decideOn("pay", `(:amount 7)`).Asks[0].Slot.Key)
	assert.Equal(t, "money/too-much", b.decideOn("pay", `(:amount 2000)`).Key)

	b.opt.Rules = fstest.MapFS{} // without rules nothing is allowed
	b.reopen()
	assert.Equal(t, reason.KeyEmpty, b.decideOn("pay", `(:amount 5)`).Key)
	b.intact()
}

func TestGatesThatCannotBeTakenIn(t *testing.T) {
	pass := func(context.Context, *skills.Case) (skills.Verdict, error) { return skills.Pass{}, nil }
	for want, gates := range map[string][]Gate{
		"not like fraud-check": {{Name: "Fraud Check", Version: "1", Judge: pass}},
		"no Version":           {{Name: "fraud", Judge: pass}},
		"no Judge":             {{Name: "fraud", Version: "1"}},
		"at most 10s": {gate("a", 1, pass),
			{Name: "fraud", Version: "1", Timeout: time.Minute, Judge: pass}},
		`there are two skills "a"`:     {gate("a", 1, pass), gate("a", 2, pass)},
		`there are two skills "money"`: {gate("money", 1, pass)},
		"canonical":                    {{Name: "fraud", Version: "\xff", Judge: pass}},
	} {
		_, err := open(t.Context(), Options{Rules: fstest.MapFS{"pay.lisp": {Data: []byte(gateRules)}}, Gates: gates})
		if assert.Error(t, err, want) && want != "canonical" {
			assert.ErrorContains(t, err, want)
		}
	}
}
