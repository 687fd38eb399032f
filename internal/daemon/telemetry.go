package daemon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/internal/socket"
	"github.com/opencortex-go/cortex/internal/telemetry"
	"github.com/opencortex-go/cortex/internal/telemetry/decisions"
	"github.com/opencortex-go/cortex/internal/telemetry/metrics"
	"github.com/opencortex-go/cortex/internal/telemetry/spans"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
)

// Telemetry configures what leaves the daemon about its work. All of it is off unless set.
type Telemetry struct {
	Metrics   bool   `toml:"metrics"`   // GET /metrics on the socket and the port of the API
	Decisions string `toml:"decisions"` // file of the log of decisions; "" for none
	OTLP      string `toml:"otlp"`      // URL of a collector for traces, over HTTP; "" for none
	Content   bool   `toml:"content"`   // traces have arguments and results, masked
}

// check returns what is wrong with the collector's URL.
func (t *Telemetry) check() error {
	u, err := url.Parse(t.OTLP)
	switch {
	case t.OTLP == "" && t.Content:
		return errors.New("is not set, and content is for what goes there")
	case t.OTLP == "":
		return nil
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.User != nil:
		return fmt.Errorf("%q does not address a collector, expected an address such as http://127.0.0.1:4318", t.OTLP)
	}
	return nil
}

// told tells the outside what the engine does. A nil told tells nothing.
type told struct {
	metrics   *metrics.Metrics
	decisions *decisions.Log
	spans     *spans.Exporter
	stop      context.CancelFunc
	done      sync.WaitGroup
}

// openTelemetry opens what the settings ask for, and starts to follow the record. What
// became durable while the engine opened is told too, as far as it is the log's.
func (d *daemon) openTelemetry(ctx context.Context) (err error) {
	t, journal := &told{}, d.engine.Journal()
	d.told = t
	follow, stop := context.WithCancel(context.WithoutCancel(ctx))
	t.stop = stop
	from, mask := journal.Last()+1, secrets.NewMask()
	start := func(name string, from uint64, to telemetry.Sink) {
		t.done.Go(func() { telemetry.Follow(follow, journal, from, name, to, d.log) })
	}
	if d.cfg.Telemetry.Metrics {
		t.metrics = metrics.New(metrics.Options{Status: d.engine.Status, Capabilities: d.caps.Stats, Version: d.opt.Version,
			Free: func() (uint64, error) { return FreeSpace(d.cfg.Dir) }})
		start("metrics", from, t.metrics)
	}
	if file := d.cfg.Telemetry.Decisions; file != "" {
		id, err := socket.RecordID(d.cfg.Dir)
		if err != nil {
			return err
		}
		t.decisions, err = decisions.Open(decisions.Options{File: file, Record: id, Version: d.opt.Version, Mask: mask})
		if err != nil {
			return fmt.Errorf("telemetry.decisions: %w", err)
		}
		next := from
		if last := t.decisions.Last(); last > 0 && last < from {
			next = last + 1
		}
		start("the log of decisions", next, t.decisions)
	}
	if to := d.cfg.Telemetry.OTLP; to != "" {
		t.spans, err = spans.Open(ctx, spans.Options{URL: to, View: journal, Version: d.opt.Version, Agent: d.cfg.Agent,
			Content: d.cfg.Telemetry.Content, Mask: mask, Logger: d.log})
		if err != nil {
			return fmt.Errorf("telemetry.otlp: %w", err)
		}
		start("the collector of traces", from, t.spans)
	}
	return nil
}

// handler answers Prometheus; nil without metrics.
func (t *told) handler() http.Handler {
	if t.metrics == nil {
		return nil
	}
	return t.metrics.Handler()
}

// reopen lets the system rotate the log of decisions.
func (d *daemon) reopen() {
	if l := d.told.decisions; l != nil {
		if err := l.Reopen(); err != nil {
			d.log.Error("the log of decisions stays in its old file", "error", err)
		}
	}
}

// lastWords is how long the collector may take at a stop.
const lastWords = 2 * time.Second

// close tells what is left. The engine is still open then.
func (t *told) close() (err error) {
	if t == nil {
		return nil
	}
	t.stop()
	t.done.Wait()
	if t.decisions != nil {
		err = t.decisions.Close()
	}
	if t.spans != nil {
		ctx, cancel := context.WithTimeout(context.Background(), lastWords)
		defer cancel()
		_ = t.spans.Close(ctx) // what was dropped is logged
	}
	return err
}
