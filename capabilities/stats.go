package capabilities

import (
	"context"
	"slices"
)

// Stats are what runs of a capability came to, all versions together. They are derived from the record.
type Stats struct {
	Capability string `json:"capability"`
	Calls      int    `json:"calls"`   // runs that were begun
	Repeats    int    `json:"repeats"` // starts that were answered with the outputs of an earlier run
	Running    int    `json:"running"`
	OK         int    `json:"ok"`
	Partial    int    `json:"partial"` // runs that failed in the middle and made up for what they did
	Refused    int    `json:"refused"` // runs of which no step was done: a model fell back on a plan of its own
	// Streak is how many runs in a row, the newest among them, did not end well.
	Streak int     `json:"streak"`
	P50    int64   `json:"p50_ms"` // of the time that the steps of ended runs took
	P95    int64   `json:"p95_ms"`
	Cost   float64 `json:"cost_usd"` // of all runs
	Tested string  `json:"tested"`   // what the newest test that was passed came to; "" if there was none
	// Week is how many runs were begun in the last seven days. DeltaCost and DeltaP95 are by which part mean cost
	// and P95 of these differ from earlier ones: -0.4 is 40 % less; 0 where there is nothing to compare.
	Week      int     `json:"week"`
	DeltaCost float64 `json:"delta_cost"`
	DeltaP95  float64 `json:"delta_p95"`
	// FailedTests is how often in a row, to the newest, its tests failed.
	FailedTests int `json:"failed_tests"`
	// Evict is why it is proposed to take it out of force; "" if it is not.
	Evict string `json:"evict,omitempty"`
}

// Success is the share of ended runs that ended well; 0 if none has ended.
func (s *Stats) Success() float64 { return share(s.OK, s.ended()) }

// Fallback is the share of ended runs that were refused; 0 if none has ended.
func (s *Stats) Fallback() float64 { return share(s.Refused, s.ended()) }

func (s *Stats) ended() int { return s.OK + s.Partial + s.Refused }

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// System is what the registry holds, by state.
type System struct {
	Versions map[State]int `json:"versions"`
	Learnt   int           `json:"learnt"`  // versions that were mined from traces
	Damaged  int           `json:"damaged"` // runs whose log cannot be read
	Evict    int           `json:"evict"`   // capabilities that it is proposed to take out of force
}

// Stats returns the figures of every capability that is registered or ran, in the order in which they were
// registered, and those of the system (R30).
func (c *Capabilities) Stats(ctx context.Context) ([]Stats, System, error) {
	sys := System{Versions: map[State]int{}}
	entries, err := c.List(ctx)
	if err != nil {
		return nil, sys, err
	}
	var all []Stats
	of := func(id string) *Stats {
		i := slices.IndexFunc(all, func(s Stats) bool { return s.Capability == id })
		if i < 0 {
			i, all = len(all), append(all, Stats{Capability: id})
		}
		return &all[i]
	}
	for _, e := range entries {
		s := of(e.ID)
		sys.Versions[e.State]++
		if v, err := c.load(e.Plan); err == nil && len(v.From.Traces) > 0 {
			sys.Learnt++
		}
		moves, err := c.History(ctx, e.ID)
		if err != nil {
			return nil, sys, err
		}
		for _, m := range moves {
			if m.State == Tested {
				s.Tested = m.Version + ": " + m.Why
			}
		}
	}
	took, before, week := map[string][]int64{}, map[string][]ran{}, map[string][]ran{}
	since := c.now().Add(-usesWithin)
	heads, err := c.logs.List(ctx)
	if err != nil {
		return nil, sys, err
	}
	for i := len(heads) - 1; i >= 0; i-- { // the oldest first
		if heads[i].Family != family || heads[i].Root == 0 {
			continue
		}
		r, err := readRun(ctx, c.logs, heads[i].Log)
		if err != nil {
			sys.Damaged++
			continue
		}
		s, young := of(r.Capability), r.start.At >= since.Unix()
		if young {
			s.Week++
		}
		if s.count(r) {
			took[r.Capability] = append(took[r.Capability], r.Took)
			if young {
				week[r.Capability] = append(week[r.Capability], ran{r.Took, r.Cost})
			} else {
				before[r.Capability] = append(before[r.Capability], ran{r.Took, r.Cost})
			}
		}
	}
	failed, err := c.failures(ctx)
	for i := range all {
		s := &all[i]
		s.P50, s.P95 = percentile(took[s.Capability], 50), percentile(took[s.Capability], 95)
		s.DeltaCost, s.DeltaP95 = change(before[s.Capability], week[s.Capability])
		s.FailedTests = failed[s.Capability]
		for _, e := range entries {
			if e.ID == s.Capability && e.State == InForce {
				s.Evict = s.evict(e, c.now())
			}
		}
		if s.Evict != "" {
			sys.Evict++
		}
	}
	return all, sys, err
}

// count counts a run, and reports whether it has ended.
func (s *Stats) count(r *Run) bool {
	s.Calls++
	s.Repeats += r.repeats
	s.Cost += r.Cost
	if !r.Ended() {
		s.Running++
		return false
	}
	s.Streak++
	switch r.Status {
	case statusOK:
		s.OK++
		s.Streak = 0
	case statusRefused:
		s.Refused++
	default:
		s.Partial++
	}
	return true
}

// percentile is the least value that at least so many percent of all values do not exceed; 0 for none.
func percentile(values []int64, percent int) int64 {
	if len(values) == 0 {
		return 0
	}
	values = slices.Clone(values)
	slices.Sort(values)
	return values[(len(values)*percent+99)/100-1]
}
