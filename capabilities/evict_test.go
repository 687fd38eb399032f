package capabilities

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// R29: what is used less than five times in a week, or whose tests failed twice in a row, is proposed for eviction.
// Nothing takes it out of force but an operator.
func TestR29_EvictionIsProposed(t *testing.T) {
	week := time.Now()
	for _, tt := range []struct {
		name     string
		age      time.Duration
		week     int
		failures int
		want     string
	}{
		{"used", usesWithin, 5, 1, ""},
		{"hardly used", usesWithin, 4, 0, "it was started 4 times in a week"},
		{"new", usesWithin - time.Second, 0, 0, ""},
		{"failed once", 0, 9, 1, ""},
		{"failed twice", 0, 9, 2, "its tests failed 2 times in a row"},
	} {
		s := Stats{Week: tt.week, FailedTests: tt.failures}
		assert.Equal(t, tt.want, s.evict(Entry{At: week.Add(-tt.age).UnixNano()}, week), tt.name)
	}

	b := newBench(t, deployRules, deploy)
	stats := func() (Stats, System) {
		all, sys, err := b.caps.Stats(t.Context())
		require.NoError(t, err)
		return all[0], sys
	}
	for range 2 {
		require.NoError(t, b.caps.TestsFailed(t.Context(), "deploy.appservice", "1.0.0", "op", "unit 0 of 1"))
	}
	s, sys := stats()
	assert.Equal(t, 2, s.FailedTests)
	assert.NotEmpty(t, s.Evict)
	assert.Equal(t, 1, sys.Evict)
	e, _, err := b.caps.Find(t.Context(), "deploy.appservice", "")
	require.NoError(t, err)
	assert.Equal(t, InForce, e.State)
	assert.Empty(t, e.Why, "who put it in force, and why, stays")
	b.asks("deploy.appservice", `(:app "shop" :image "v2")`)
	require.ErrorIs(t, b.caps.TestsFailed(t.Context(), "deploy.appservice", "9.9.9", "op", ""), ErrNoVersion)
	b.replays()
}

// R30: cost and time of the last week are compared with those of before.
func TestR30_TheLastWeekIsComparedWithBefore(t *testing.T) {
	before := []ran{{100, 0.2}, {200, 0.4}}
	for _, tt := range []struct {
		before, week []ran
		cost, p95    float64
	}{
		{before, []ran{{100, 0.15}, {150, 0.15}}, -0.5, -0.25},
		{before, []ran{{400, 0.6}}, 1, 1},
		{before, nil, 0, 0},
		{nil, before, 0, 0},
		{[]ran{{0, 0}}, before, 0, 0},
	} {
		cost, p95 := change(tt.before, tt.week)
		assert.InDelta(t, tt.cost, cost, 1e-9)
		assert.InDelta(t, tt.p95, p95, 1e-9)
	}
}
