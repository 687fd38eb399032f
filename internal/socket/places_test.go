//go:build linux

package socket

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// One process that has all places makes room for others; one that has no more than a newcomer's keeps its own.
func TestNoProcessTakesAllPlaces(t *testing.T) {
	p := NewPlaces(4)
	cut := map[int]int{}
	take := func(pid int) *Place { return p.Take(pid, func() { cut[pid]++ }) }
	for range 4 {
		x := take(1)
		require.NotNil(t, x)
		x.Prove()
	}
	assert.Nil(t, take(1), "it makes no room for itself")
	second := take(2)
	require.NotNil(t, second)
	assert.Equal(t, map[int]int{1: 1}, cut)
	third := take(3)
	require.NotNil(t, third)
	assert.Equal(t, map[int]int{1: 2}, cut)
	second.Prove()
	third.Prove()
	fourth := take(4) // one has two
	require.NotNil(t, fourth)
	fourth.Prove()
	assert.Nil(t, take(5), "all have one, and all are proven")
	third.Leave()
	fifth := take(5)
	require.NotNil(t, fifth)
	assert.NotNil(t, take(6), "the place of one that has not shown who it is")
	assert.Equal(t, map[int]int{1: 3, 5: 1}, cut)
	fifth.Leave() // it has gone already
	assert.Equal(t, 4, p.n)
}

func TestAProcessThatConnectsAgainAndAgainWaits(t *testing.T) {
	a, now := arrivals{by: map[int]*arrival{}}, time.Now()
	for range int(burst) {
		wait, served := a.count(1, now)
		require.True(t, served)
		require.Zero(t, wait)
	}
	most := time.Duration(0)
	for range int(burst) {
		if wait, served := a.count(1, now); served {
			most = max(most, wait)
		}
	}
	assert.InDelta(t, float64(burst)/rate, most.Seconds(), 0.1)
	_, served := a.count(1, now)
	assert.False(t, served, "it comes much too fast")
	wait, served := a.count(2, now)
	assert.True(t, served && wait == 0, "another one is served at once")
	_, served = a.count(1, now.Add(time.Second))
	assert.True(t, served)
	for pid := range manyKnown {
		a.count(pid, now.Add(time.Minute))
	}
	a.count(-1, now.Add(time.Hour))
	assert.Less(t, len(a.by), 10, "those that have not come for long are forgotten")
}
