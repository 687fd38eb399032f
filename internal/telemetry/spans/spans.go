// Package spans tells a collector of OpenTelemetry about decisions and executions, over
// OTLP/HTTP, by the names of its conventions for generative AI and MCP (in development:
// those of autumn 2026), and by cortex.* where there are none.
//
// Each decision is a trace: a span for deciding, one for what people took to answer, and
// one for each execution. Their ids come from the hashes of records, so what ends after a
// restart still joins. Nothing waits for the collector; what it cannot take is dropped. No
// argument and no result leaves unless the operator asks for contents, and then masked.
package spans

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/telemetry"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

// Options of [Open].
type Options struct {
	URL     string       // of the collector: "http://127.0.0.1:4318"; /v1/traces is added where it is missing
	View    journal.View // of the record, for what a record refers to
	Version string       // of the program
	Agent   string       // the principal that asks
	Mask    func(string) string
	Content bool // arguments and results are told too
	Logger  *slog.Logger
}

// Exporter is a [telemetry.Sink].
type Exporter struct {
	opt      Options
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// Open prepares an exporter. It calls the collector only when there are spans.
func Open(ctx context.Context, opt Options) (*Exporter, error) {
	to, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(endpoint(opt.URL)))
	if err != nil {
		return nil, err
	}
	x := &Exporter{opt: opt}
	x.provider = sdk.NewTracerProvider(sdk.WithIDGenerator(named{}), sdk.WithSampler(sdk.AlwaysSample()),
		sdk.WithBatcher(&logged{SpanExporter: to, log: opt.Logger}),
		sdk.WithResource(resource.NewSchemaless(attribute.String("service.name", "cortex"),
			attribute.String("service.version", opt.Version))))
	x.tracer = x.provider.Tracer("github.com/opencortex-go/cortex")
	return x, nil
}

// endpoint is where a collector takes traces. Some name it by that, others by what stands before.
func endpoint(collector string) string {
	const path = "/v1/traces"
	return strings.TrimSuffix(strings.TrimRight(collector, "/"), path) + path
}

// Close sends what waits, until ctx ends.
func (x *Exporter) Close(ctx context.Context) error { return x.provider.Shutdown(ctx) }

// Note implements [telemetry.Sink].
func (x *Exporter) Note(rec cortex.Record) error {
	switch rec.Kind {
	case record.KindDecision:
		return x.decision(rec)
	case record.KindReceipt:
		return x.execution(rec)
	case record.KindApproval:
		return x.approval(rec)
	}
	return nil
}

func (x *Exporter) decision(rec cortex.Record) error {
	d, err := record.DecisionFrom(rec)
	if err != nil {
		return err
	}
	at := time.Unix(0, rec.At)
	name := "decide"
	attrs := []attribute.KeyValue{
		attribute.String("gen_ai.conversation.id", rec.Session), attribute.String("gen_ai.agent.name", x.opt.Agent),
		attribute.String("cortex.decision", telemetry.Verdict(d)), attribute.String("cortex.decision.id", number(rec.Seq)),
		attribute.String("cortex.rule.id", x.opt.Mask(d.Key)), attribute.String("cortex.ruleset.digest", d.Policy.String()),
	}
	if a := telemetry.Action(d); a != nil {
		tool := x.opt.Mask(a.Tool()) // a model may name one that is not declared
		name += " " + tool
		attrs = append(attrs, attribute.String("gen_ai.tool.name", tool))
	}
	if d.Proposed != nil {
		attrs = append(attrs, attribute.String("cortex.proposal.digest", d.Proposed.Digest().String()))
	}
	_, s := x.tracer.Start(ids(context.Background(), rec, telemetry.Span(rec)), name,
		trace.WithTimestamp(at.Add(-d.Elapsed)),
		trace.WithSpanKind(trace.SpanKindInternal), trace.WithAttributes(attrs...))
	for _, g := range d.Trace {
		s.AddEvent("cortex.gate", trace.WithTimestamp(at), trace.WithAttributes(
			attribute.String("cortex.gate.name", g.Gate), attribute.String("cortex.gate.verdict", string(g.Outcome))))
		if g.Outcome == reason.Failed {
			s.SetStatus(codes.Error, "a gate failed")
			s.SetAttributes(attribute.String("error.type", "gate_failed"))
		}
	}
	s.End(trace.WithTimestamp(at))
	return nil
}

// execution is what ran between an intent and its receipt.
func (x *Exporter) execution(rec cortex.Record) error {
	r := record.ReceiptFrom(rec.Body)
	began, err := x.opt.View.Read(r.Intent)
	if err != nil {
		return x.gone(rec, err)
	}
	in := record.IntentFrom(began.Body)
	ctx, err := x.under(rec, in.Decision)
	if err != nil {
		return x.gone(rec, err)
	}
	attrs := []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", in.Tool),
		attribute.String("gen_ai.tool.type", "function"), attribute.String("gen_ai.tool.call.id", number(r.Intent)),
		attribute.String("gen_ai.conversation.id", rec.Session), attribute.String("gen_ai.agent.name", x.opt.Agent),
		attribute.String("cortex.decision.id", number(in.Decision)), attribute.String("cortex.outcome", string(r.State)),
	}
	if parts := strings.Split(rec.Session, "/"); len(parts) > 2 && parts[0] == "host" && parts[2] == "mcp" {
		attrs = append(attrs, attribute.String("mcp.method.name", "tools/call")) // by cortex mcp
	}
	if x.opt.Content {
		attrs = append(attrs, x.content("gen_ai.tool.call.arguments", in.Args),
			x.content("gen_ai.tool.call.result", sexpr.Plist("result", r.Result, "text", sexpr.Str(r.Text))))
	}
	_, s := x.tracer.Start(ctx, "execute_tool "+in.Tool, trace.WithTimestamp(time.Unix(0, began.At)),
		trace.WithSpanKind(trace.SpanKindInternal), trace.WithAttributes(attrs...))
	if r.State == act.Failed || r.State == act.Unknown {
		s.SetStatus(codes.Error, string(r.State))
		s.SetAttributes(attribute.String("error.type", "tool_error"))
	}
	s.End(trace.WithTimestamp(time.Unix(0, rec.At)))
	return nil
}

// approval is how long a card waited for people.
func (x *Exporter) approval(rec cortex.Record) error {
	a, err := approval.From(rec.Body)
	if err != nil {
		return err
	}
	if a.State == approval.Pending || a.State == approval.Consumed {
		return nil
	}
	ctx, err := x.under(rec, a.Decision)
	if err != nil {
		return x.gone(rec, err)
	}
	_, s := x.tracer.Start(ctx, "wait for approval", trace.WithTimestamp(time.Unix(a.Created, 0)), trace.WithAttributes(
		attribute.String("gen_ai.tool.name", a.Action.Tool()), attribute.String("gen_ai.conversation.id", rec.Session),
		attribute.String("cortex.decision.id", number(a.Decision)),
		attribute.String("cortex.approval.state", string(a.State))))
	s.End(trace.WithTimestamp(time.Unix(0, rec.At)))
	return nil
}

// under puts the span of a record below that of a decision.
func (x *Exporter) under(rec cortex.Record, decision uint64) (context.Context, error) {
	d, err := x.opt.View.Read(decision)
	if err != nil {
		return nil, err
	}
	parent := trace.NewSpanContext(trace.SpanContextConfig{TraceID: telemetry.Trace(d), SpanID: telemetry.Span(d),
		TraceFlags: trace.FlagsSampled, Remote: true})
	return ids(trace.ContextWithRemoteSpanContext(context.Background(), parent), d, telemetry.Span(rec)), nil
}

// gone says that what a record refers to was removed by retention, or cannot be read: it
// has no span, and the next ones go on.
func (x *Exporter) gone(rec cortex.Record, err error) error {
	x.opt.Logger.Warn("a record has no span", "record", rec.Seq, "error", err)
	return nil
}

func (x *Exporter) content(key string, v sexpr.Value) attribute.KeyValue {
	out, _, err := telemetry.Masked(v, "", x.opt.Mask)
	if err != nil {
		return attribute.String(key, fmt.Sprintf("[not shown: %v]", err))
	}
	return attribute.String(key, string(out))
}

func number(n uint64) string { return strconv.FormatUint(n, 10) }
