// Package metrics counts what an engine does, for Prometheus. Counters begin at zero with
// each start, as Prometheus expects; gauges are read when they are asked for. No label
// holds an id, a path or a word of a model, so the number of series is bounded by the rules.
package metrics

import (
	"context"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/telemetry"
	"github.com/opencortex-go/cortex/reason"
)

// Options of [New].
type Options struct {
	Status  func(context.Context) (cortex.Status, error) // of the engine
	Free    func() (uint64, error)                       // bytes that the record's disk has left; nil if not known
	Version string                                       // of the program
	// Capabilities has the figures of capabilities; nil where there are none.
	Capabilities func(context.Context) ([]capabilities.Stats, capabilities.System, error)
}

// Metrics is a [telemetry.Sink] and what Prometheus reads. It is safe for concurrent use.
type Metrics struct {
	reg        *prometheus.Registry
	decisions  *prometheus.CounterVec
	took       prometheus.Histogram
	failures   *prometheus.CounterVec
	waits      *prometheus.HistogramVec
	executions *prometheus.CounterVec
}

// New returns metrics that all are zero.
func New(opt Options) *Metrics {
	m := &Metrics{reg: prometheus.NewRegistry()}
	m.decisions = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "cortex_decisions_total",
		Help: "Decisions, by what they are and by what kind of rule decided."}, []string{"decision", "rule_class"})
	m.took = prometheus.NewHistogram(prometheus.HistogramOpts{Name: "cortex_decision_duration_seconds",
		Help: "How long deciding took, without writing it down.",
		Buckets: []float64{50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3,
			100e-3, 250e-3, 500e-3, 1}})
	m.failures = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "cortex_gate_failures_total",
		Help: "Gates that failed, timed out or gave no valid answer, and so denied."}, []string{"gate"})
	m.waits = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "cortex_approval_wait_seconds",
		Help:    "How long cards waited for people, by how that ended.",
		Buckets: []float64{1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 24 * 3600}}, []string{"state"})
	m.executions = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "cortex_executions_total",
		Help: "Effects that ended, by outcome."}, []string{"outcome"})
	for _, s := range []act.State{act.Done, act.Failed, act.Nothing, act.Unknown} {
		m.executions.WithLabelValues(string(s)) // a series that is there from the start can be alerted on
	}
	m.reg.MustRegister(m.decisions, m.took, m.failures, m.waits, m.executions, build(opt.Version), newGauges(opt),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if opt.Capabilities != nil {
		m.reg.MustRegister(newCapable(opt.Capabilities))
	}
	return m
}

// build is the version of this program, as a metric that always is 1.
func build(version string) prometheus.Collector {
	commit := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = s.Value
			}
		}
	}
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: "cortex_build_info", Help: "What this program is.",
		ConstLabels: prometheus.Labels{"version": version, "commit": commit}})
	g.Set(1)
	return g
}

// Handler answers Prometheus, in the text format or in OpenMetrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.reg, promhttp.HandlerOpts{MaxRequestsInFlight: 2, Timeout: 10 * time.Second})
}

// Note implements [telemetry.Sink].
func (m *Metrics) Note(rec cortex.Record) error {
	switch rec.Kind {
	case record.KindDecision:
		d, err := record.DecisionFrom(rec)
		if err != nil {
			return err
		}
		m.decisions.WithLabelValues(telemetry.Verdict(d), class(d.Key)).Inc()
		m.took.Observe(d.Elapsed.Seconds())
		for _, s := range d.Trace {
			if s.Outcome == reason.Failed {
				m.failures.WithLabelValues(s.Gate).Inc()
			}
		}
	case record.KindReceipt:
		m.executions.WithLabelValues(string(record.ReceiptFrom(rec.Body).State)).Inc()
	case record.KindApproval:
		a, err := approval.From(rec.Body)
		if err != nil {
			return err
		}
		switch a.State {
		case approval.Approved, approval.Denied, approval.Expired, approval.Superseded, approval.Withdrawn:
			m.waits.WithLabelValues(string(a.State)).Observe(time.Unix(0, rec.At).Sub(time.Unix(a.Created, 0)).Seconds())
		}
	}
	return nil
}

// class is the kind of rule that a key names: the engine's own kinds, or "rule" for a
// clause that somebody wrote.
func class(key string) string {
	first, _, _ := strings.Cut(key, "/")
	own := []string{"approval", "budget", "busy", "gate", "in-doubt", "invariant", "kill-switch", "principal", "protected",
		"schema", "tier"}
	if slices.Contains(own, first) {
		return first
	}
	return "rule"
}

// gauges are read from the engine when Prometheus asks.
type gauges struct {
	opt  Options
	mu   sync.Mutex
	desc map[string]*prometheus.Desc
}

// patience is how long the state of the engine is waited for.
const patience = 5 * time.Second

func newGauges(opt Options) *gauges {
	g := &gauges{opt: opt, desc: map[string]*prometheus.Desc{}}
	for name, help := range map[string]string{
		"cortex_approvals_pending":        "Cards that wait for people.",
		"cortex_executions_in_doubt":      "Effects that began and whose outcome is not known: a person has to say.",
		"cortex_compensations_failed":     "Compensations that failed and wait for a person.",
		"cortex_signals_running":          "Signals that are being answered or wait for their turn.",
		"cortex_session_memory_bytes":     "Memory that sessions take.",
		"cortex_audit_head_seq":           "The number of the newest record.",
		"cortex_kill_switch":              "1 while the kill switch is on, and everything is denied.",
		"cortex_store_read_only":          "1 if the record cannot be written to, and everything is denied.",
		"cortex_store_full":               "1 while nothing new is begun for want of space.",
		"cortex_store_free_bytes":         "Space that the disk of the record has left.",
		"cortex_rules_last_reload_failed": "1 if the last reload failed, and earlier rules are in force.",
	} {
		g.desc[name] = prometheus.NewDesc(name, help, nil, nil)
	}
	return g
}

// Describe implements [prometheus.Collector].
func (g *gauges) Describe(to chan<- *prometheus.Desc) {
	for _, d := range g.desc {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (g *gauges) Collect(to chan<- prometheus.Metric) {
	g.mu.Lock()
	defer g.mu.Unlock()
	send := func(name string, v float64) {
		to <- prometheus.MustNewConstMetric(g.desc[name], prometheus.GaugeValue, v)
	}
	if g.opt.Free != nil {
		if free, err := g.opt.Free(); err == nil {
			send("cortex_store_free_bytes", float64(free))
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := g.opt.Status(ctx)
	if err != nil {
		to <- prometheus.NewInvalidMetric(g.desc["cortex_audit_head_seq"], err)
		return
	}
	for name, v := range map[string]int{
		"cortex_approvals_pending": s.Pending, "cortex_executions_in_doubt": s.Doubts,
		"cortex_compensations_failed": s.Failed,
		"cortex_signals_running":      s.Running, "cortex_session_memory_bytes": s.Memory,
		"cortex_audit_head_seq": int(s.Last),
	} {
		send(name, float64(v))
	}
	for name, on := range map[string]bool{
		"cortex_kill_switch": s.Killed, "cortex_store_read_only": s.ReadOnly != nil, "cortex_store_full": s.Full != nil,
		"cortex_rules_last_reload_failed": s.Reload != nil,
	} {
		v := 0.0
		if on {
			v = 1
		}
		send(name, v)
	}
}
