package veil

import (
	"context"
	"fmt"
	"log/slog"
)

// Logger returns a logger whose lines hold no text that is known to be secret: tools and
// panics tell in their own words.
func (v *Veil) Logger(to *slog.Logger) *slog.Logger {
	if v.keys == nil {
		return to
	}
	return slog.New(&handler{to.Handler(), v})
}

// handler redacts what it passes on.
type handler struct {
	slog.Handler
	veil *Veil
}

func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, h.veil.Redact(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool { out.AddAttrs(h.attr(a)); return true })
	return h.Handler.Handle(ctx, out)
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = h.attr(a)
	}
	return &handler{h.Handler.WithAttrs(out), h.veil}
}

func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.Handler.WithGroup(name), h.veil}
}

// attr redacts one attribute. A value that holds a secret becomes its text.
func (h *handler) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindGroup:
		var in []slog.Attr
		for _, x := range v.Group() {
			in = append(in, h.attr(x))
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(in...)}
	case slog.KindString, slog.KindAny:
		text := v.String()
		if v.Kind() == slog.KindAny {
			text = fmt.Sprintf("%+v", v.Any())
		}
		if clean := h.veil.Redact(text); clean != text {
			return slog.String(a.Key, clean)
		}
	case slog.KindBool, slog.KindDuration, slog.KindFloat64, slog.KindInt64, slog.KindTime, slog.KindUint64,
		slog.KindLogValuer:
	}
	return slog.Attr{Key: a.Key, Value: v}
}
