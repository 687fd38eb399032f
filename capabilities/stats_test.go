package capabilities

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The figures of a capability are those of the runs on record: one that ended well, its repeat, and two
// that failed.
func TestR30_StatsAreDerivedFromTheRecord(t *testing.T) {
	b := newBench(t, deployRules, deploy)
	start := func(image string) {
		args := `(:app "shop" :image "` + image + `")`
		b.approve(b.asks("deploy.appservice", args).Token)
		b.does("deploy.appservice", args)
	}
	start("v2")
	b.does("deploy.appservice", `(:app "shop" :image "v2")`) // the once-key answers it
	all, sys, err := b.caps.Stats(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, Stats{Capability: "deploy.appservice", Calls: 1, Repeats: 1, OK: 1, P50: all[0].P50, P95: all[0].P95,
		Tested: "1.0.0: ", Week: 1}, all[0])
	assert.Equal(t, map[State]int{InForce: 1}, sys.Versions)

	b.w.fails["set"] = true
	start("v3")
	start("v4")
	for { // what makes up for a step asks too
		for a, err := range b.e.Pending(t.Context()) {
			require.NoError(t, err)
			b.approve(a.Token)
		}
		if all, _, err = b.caps.Stats(t.Context()); all[0].Running == 0 || err != nil {
			break
		}
	}
	require.NoError(t, err)
	assert.Equal(t, 3, all[0].Calls)
	assert.Equal(t, 2, all[0].Streak)
	assert.Equal(t, 1, all[0].OK)
	assert.InDelta(t, 1.0/3, all[0].Success(), 1e-9)
}

func TestPercentile(t *testing.T) {
	for _, x := range []struct {
		values []int64
		of     int
		want   int64
	}{{nil, 50, 0}, {[]int64{7}, 95, 7}, {[]int64{3, 1, 2}, 50, 2}, {[]int64{4, 3, 1, 2}, 50, 2}, {[]int64{2, 1}, 95, 2}} {
		assert.Equal(t, x.want, percentile(x.values, x.of), "%v", x)
	}
}
