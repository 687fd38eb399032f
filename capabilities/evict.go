package capabilities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/opencortex-go/cortex/cortex/logs"
)

// When it is proposed to take a capability out of force (R29). An operator does that, or does not.
const (
	fewUses      = 5
	usesWithin   = 7 * 24 * time.Hour
	mostFailures = 2 // of tests, in a row
)

// TestsFailed notes that the tests of a version failed. It stays in its state.
func (c *Capabilities) TestsFailed(ctx context.Context, id, version, by, why string) error {
	return c.change(ctx, by, func(r *registry) (*moved, error) {
		i := r.find(id, version)
		if i < 0 {
			return nil, fmt.Errorf("%s %s: %w", id, version, ErrNoVersion)
		}
		return &moved{ID: id, Version: version, Plan: r.entries[i].Plan, By: by, Why: why, Failed: true}, nil
	}, "")
}

// failures are how often in a row, to the newest, the tests of each capability failed.
func (c *Capabilities) failures(ctx context.Context) (map[string]int, error) {
	log, err := c.logs.Read(ctx, registryLog)
	if errors.Is(err, logs.ErrNoLog) {
		return nil, nil //nolint:nilnil // none is registered
	}
	out := map[string]int{}
	for i := 0; err == nil && i < len(log.Events); i++ {
		var m moved
		if m, err = decode[moved](log.Events[i]); m.Failed {
			out[m.ID]++
		} else if m.State == Tested {
			out[m.ID] = 0
		}
	}
	return out, err
}

// evict says why it is proposed to take a capability out of force; "" if it is not. e is the version that is in
// force.
func (s *Stats) evict(e Entry, now time.Time) string {
	switch {
	case s.FailedTests >= mostFailures:
		return fmt.Sprintf("its tests failed %d times in a row", s.FailedTests)
	case s.Week < fewUses && now.Sub(time.Unix(0, e.At)) >= usesWithin:
		return fmt.Sprintf("it was started %d times in a week", s.Week)
	}
	return ""
}

// ran is what a run that ended took.
type ran struct {
	took int64
	cost float64
}

// change is by which part the mean cost and the 95th percentile of the time have changed, from earlier runs to
// those of the last week: -0.4 is 40 % less. It is 0 where there is nothing to compare.
func change(before, week []ran) (cost, p95 float64) {
	sums := func(all []ran) (mean, p95 float64) {
		var took []int64
		for _, r := range all {
			mean += r.cost / float64(len(all))
			took = append(took, r.took)
		}
		return mean, float64(percentile(took, 95))
	}
	part := func(was, is float64) float64 {
		if was == 0 || len(week) == 0 {
			return 0
		}
		return is/was - 1
	}
	wasCost, wasP95 := sums(before)
	isCost, isP95 := sums(week)
	return part(wasCost, isCost), part(wasP95, isP95)
}
