package metrics

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/opencortex-go/cortex/capabilities"
)

// capable is what runs of capabilities came to. It is derived from the record when Prometheus asks, and
// so goes on where it stood after a start. Its labels are ids that an operator has registered.
type capable struct {
	stats func(context.Context) ([]capabilities.Stats, capabilities.System, error)

	runs, repeats, took, cost, streak, evict, versions *prometheus.Desc
}

func newCapable(stats func(context.Context) ([]capabilities.Stats, capabilities.System, error)) *capable {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("cortex_capability_"+name, help, labels, nil)
	}
	return &capable{stats: stats,
		runs:     desc("runs", "Runs on record, by what they came to.", "capability", "status"),
		repeats:  desc("repeats", "Starts that were answered with the outputs of an earlier run.", "capability"),
		took:     desc("took_seconds", "How long the steps of a run took.", "capability", "quantile"),
		cost:     desc("cost_usd", "What the steps of all runs on record cost.", "capability"),
		streak:   desc("failure_streak", "How many runs in a row did not end well, to the newest.", "capability"),
		evict:    desc("evict", "1 if it is proposed to take it out of force.", "capability"),
		versions: desc("versions", "Versions in the registry, by state.", "state")}
}

// Describe implements [prometheus.Collector].
func (c *capable) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.runs, c.repeats, c.took, c.cost, c.streak, c.evict, c.versions} {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (c *capable) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	all, sys, err := c.stats(ctx)
	if err != nil {
		to <- prometheus.NewInvalidMetric(c.versions, err)
		return
	}
	send := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	for i := range all {
		s := &all[i]
		for status, n := range map[string]int{"ok": s.OK, "partial_failure": s.Partial, "refused": s.Refused,
			"running": s.Running} {
			send(c.runs, float64(n), s.Capability, status)
		}
		send(c.repeats, float64(s.Repeats), s.Capability)
		send(c.took, float64(s.P50)/1e3, s.Capability, "0.5")
		send(c.took, float64(s.P95)/1e3, s.Capability, "0.95")
		send(c.cost, s.Cost, s.Capability)
		send(c.streak, float64(s.Streak), s.Capability)
		if s.Evict == "" {
			send(c.evict, 0, s.Capability)
		} else {
			send(c.evict, 1, s.Capability)
		}
	}
	for state, n := range sys.Versions {
		send(c.versions, float64(n), string(state))
	}
}
