package metrics_test

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/internal/telemetry/metrics"
)

// Prometheus has what runs of capabilities came to, under these names.
func TestR30_FiguresOfCapabilitiesForPrometheus(t *testing.T) {
	m := metrics.New(metrics.Options{
		Status: func(context.Context) (cortex.Status, error) { return cortex.Status{}, nil },
		Capabilities: func(context.Context) ([]capabilities.Stats, capabilities.System, error) {
			return []capabilities.Stats{{Capability: "a.b", Calls: 4, OK: 2, Refused: 1, Running: 1, Streak: 1, P50: 250,
				P95: 1500, Cost: 0.5}}, capabilities.System{Versions: map[capabilities.State]int{capabilities.InForce: 1}}, nil
		}})
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{`cortex_capability_runs{capability="a.b",status="ok"} 2`,
		`cortex_capability_runs{capability="a.b",status="refused"} 1`,
		`cortex_capability_took_seconds{capability="a.b",quantile="0.95"} 1.5`,
		`cortex_capability_cost_usd{capability="a.b"} 0.5`,
		`cortex_capability_failure_streak{capability="a.b"} 1`, `cortex_capability_versions{state="in-force"} 1`} {
		assert.Contains(t, w.Body.String(), want+"\n")
	}
}
