package spans

import (
	"context"
	"log/slog"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/internal/telemetry"
)

type idsKey struct{}

type spanIDs struct {
	trace trace.TraceID
	span  trace.SpanID
}

// ids puts the names that the next span gets into ctx: the trace of a decision, and its own.
func ids(ctx context.Context, decision cortex.Record, span [8]byte) context.Context {
	return context.WithValue(ctx, idsKey{}, spanIDs{telemetry.Trace(decision), span})
}

// named is an [sdk.IDGenerator] that takes ids from the context. Every span here has some.
type named struct{}

// NewIDs implements [sdk.IDGenerator].
func (named) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	x := ctx.Value(idsKey{}).(spanIDs)
	return x.trace, x.span
}

// NewSpanID implements [sdk.IDGenerator].
func (n named) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	_, span := n.NewIDs(ctx)
	return span
}

// logged logs what the collector did not take. The SDK would tell a global handler.
type logged struct {
	sdk.SpanExporter
	log *slog.Logger
}

// ExportSpans implements [sdk.SpanExporter].
func (l *logged) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if err := l.SpanExporter.ExportSpans(ctx, spans); err != nil {
		l.log.Warn("spans were dropped", "count", len(spans), "error", err)
	}
	return nil
}
