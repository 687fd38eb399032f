package spans

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/traces"
	"github.com/opencortex-go/cortex/internal/telemetry"
	"github.com/opencortex-go/cortex/reason"
)

// Lines writes traces as OTLP JSON, the form of OpenTelemetry's file exporter: each line is one
// ExportTraceServiceRequest and holds one trace. A trace is one root signal; its spans are the
// signal, below it the steps of runs, below those the questions to models and the decisions,
// and below a decision what people took to answer and what ran. No argument, result or other
// text of the session is in it.
type Lines struct {
	To      io.Writer
	Version string              // of the program
	Mask    func(string) string // for credentials, in names that a model may have written
}

// line is one ExportTraceServiceRequest, as far as it is used here.
type line struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource   attributed   `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
}

type scopeSpans struct {
	Scope struct {
		Name string `json:"name"`
	} `json:"scope"`
	Spans []*lineSpan `json:"spans"`
}

type attributed struct {
	Attributes []lineAttribute `json:"attributes"`
}

// lineSpan is a span. Ids are hexadecimal and times are texts, as OTLP's JSON has them.
type lineSpan struct {
	TraceID    string          `json:"traceId"`
	SpanID     string          `json:"spanId"`
	Parent     string          `json:"parentSpanId,omitempty"`
	Name       string          `json:"name"`
	Kind       int             `json:"kind"`
	Start      string          `json:"startTimeUnixNano"`
	End        string          `json:"endTimeUnixNano"`
	Attributes []lineAttribute `json:"attributes,omitempty"`
	Events     []lineEvent     `json:"events,omitempty"`
	Status     struct {
		Code    int    `json:"code,omitempty"`
		Message string `json:"message,omitempty"`
	} `json:"status"`
}

type lineEvent struct {
	At         string          `json:"timeUnixNano"`
	Name       string          `json:"name"`
	Attributes []lineAttribute `json:"attributes,omitempty"`
}

type lineAttribute struct {
	Key   string         `json:"key"`
	Value map[string]any `json:"value"`
}

const (
	kindInternal, kindClient = 1, 3
	statusError              = 2
)

func text(key, v string) lineAttribute { return lineAttribute{key, map[string]any{"stringValue": v}} }

func count(key string, n int64) lineAttribute {
	return lineAttribute{key, map[string]any{"intValue": fmt.Sprint(n)}}
}

func amount(key string, x float64) lineAttribute {
	return lineAttribute{key, map[string]any{"doubleValue": x}}
}

// Write writes one trace.
func (l *Lines) Write(t *traces.Trace) error {
	b := &lineTrace{l: l, t: t, id: hex.EncodeToString(t.ID[:]), steps: map[record.Step]*lineSpan{}}
	b.build()
	out := line{ResourceSpans: []resourceSpans{{Resource: attributed{[]lineAttribute{text("service.name", "cortex"),
		text("service.version", l.Version)}}, ScopeSpans: []scopeSpans{{Spans: b.out}}}}}
	out.ResourceSpans[0].ScopeSpans[0].Scope.Name = "github.com/opencortex-go/cortex"
	e := json.NewEncoder(l.To)
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

// lineTrace makes the spans of one trace.
type lineTrace struct {
	l     *Lines
	t     *traces.Trace
	id    string
	steps map[record.Step]*lineSpan // of runs: a span for each step, whatever the try
	out   []*lineSpan
}

// span adds a span.
func (b *lineTrace) span(id [8]byte, parent, name string, start, end int64, attrs ...lineAttribute) *lineSpan {
	s := &lineSpan{TraceID: b.id, SpanID: hex.EncodeToString(id[:]), Parent: parent, Name: name, Kind: kindInternal,
		Start: fmt.Sprint(start), End: fmt.Sprint(max(start, end)), Attributes: append(attrs,
			text("gen_ai.conversation.id", b.t.Session))}
	b.out = append(b.out, s)
	return s
}

func (s *lineSpan) failed(kind, message string) {
	s.Status.Code, s.Status.Message = statusError, message
	s.Attributes = append(s.Attributes, text("error.type", kind))
}

// rootSpan is the id of the root signal's span, also for what comes of it later.
func (b *lineTrace) rootSpan() (id [8]byte) {
	copy(id[:], b.t.ID[8:])
	return id
}

func (b *lineTrace) build() {
	parent := ""
	if b.t.Root != 0 {
		id := b.rootSpan()
		parent = hex.EncodeToString(id[:])
	}
	if b.t.Root != 0 && !b.t.Late {
		b.root()
	}
	for _, x := range b.t.Thoughts {
		b.thought(parent, x)
	}
	for _, c := range b.t.Calls {
		b.call(parent, c)
	}
}

func (b *lineTrace) root() {
	u := b.t.Usage()
	s := b.span(b.rootSpan(), "", "invoke_agent", b.t.Begun.At, b.t.End(), text("gen_ai.operation.name", "invoke_agent"),
		text("cortex.signal.id", number(b.t.Root)), text("cortex.signal.sensor", b.t.Signal.Sensor),
		count("gen_ai.usage.input_tokens", u.TokensIn), count("gen_ai.usage.output_tokens", u.TokensOut),
		amount("cortex.cost.usd", u.Cost))
	if n := len(b.t.Answers); n > 0 && b.t.Answers[n-1].Error != "" {
		s.failed("answer_error", "the signal could not be answered")
	}
}

func (b *lineTrace) thought(parent string, x *traces.Thought) {
	model := x.Model
	if model == "" {
		model = x.Provider
	}
	s := b.span(x.Span, parent, "chat "+model, x.At-int64(x.Took), x.At, text("gen_ai.operation.name", "chat"),
		text("gen_ai.provider.name", x.Provider), text("gen_ai.request.model", model),
		count("gen_ai.usage.input_tokens", x.TokensIn), count("gen_ai.usage.output_tokens", x.TokensOut),
		amount("cortex.cost.usd", x.Cost), text("cortex.prompt.digest", x.Prompt.Digest.String()),
		text("cortex.answer.digest", x.Answer.Digest.String()))
	s.Kind = kindClient
	if x.Error != "" {
		s.failed("model_error", x.Error)
	}
}

// step returns the id of the span of a run's step; parent where a decision belongs to none.
func (b *lineTrace) step(parent string, c *traces.Call) string {
	name := c.Step
	if name == (record.Step{}) {
		return parent
	}
	name.Try = ""
	s := b.steps[name]
	if s == nil {
		id := c.Span // of the first decision, turned so that it is another's
		for i := range id {
			id[i] ^= 0xff
		}
		s = b.span(id, parent, "step "+name.ID, c.At, c.At, text("cortex.step.id", name.ID))
		b.steps[name] = s
	}
	s.End = fmt.Sprint(ended(c))
	return s.SpanID
}

// ended is when the last that is known of a decision happened.
func ended(c *traces.Call) int64 {
	end := c.At
	for _, w := range c.Waits {
		end = max(end, w.Ended)
	}
	for _, r := range c.Runs {
		end = max(end, r.At, r.Ended)
	}
	return end
}

func (b *lineTrace) call(parent string, c *traces.Call) {
	parent = b.step(parent, c)
	at := parent
	if c.Span != ([8]byte{}) { // else it was told before
		s := b.decision(parent, c)
		at = s.SpanID
	}
	for _, w := range c.Waits {
		b.span(w.Span, at, "wait for approval", w.Created, w.Ended, text("cortex.decision.id", number(c.ID)),
			text("cortex.approval.state", string(w.State)))
	}
	for _, r := range c.Runs {
		b.run(at, r)
	}
}

func (b *lineTrace) decision(parent string, c *traces.Call) *lineSpan {
	s := b.span(c.Span, parent, "decide", c.At-int64(c.Elapsed), c.At,
		text("cortex.decision", telemetry.Verdict(c.Decision)),
		text("cortex.decision.id", number(c.ID)), text("cortex.rule.id", b.l.Mask(c.Key)),
		text("cortex.ruleset.digest", c.Policy.String()))
	if a := telemetry.Action(c.Decision); a != nil {
		tool := b.l.Mask(a.Tool())
		s.Name += " " + tool
		s.Attributes = append(s.Attributes, text("gen_ai.tool.name", tool))
	}
	for _, g := range c.Trace {
		s.Events = append(s.Events, lineEvent{At: s.End, Name: "cortex.gate", Attributes: []lineAttribute{
			text("cortex.gate.name", g.Gate), text("cortex.gate.verdict", string(g.Outcome))}})
		if g.Outcome == reason.Failed {
			s.failed("gate_failed", "a gate failed")
		}
	}
	return s
}

func (b *lineTrace) run(parent string, r *traces.Run) {
	state := act.State("open")
	if r.Receipt != nil {
		state = r.Receipt.State
	}
	s := b.span(r.Span, parent, "execute_tool "+r.Tool, r.At, r.Ended, text("gen_ai.operation.name", "execute_tool"),
		text("gen_ai.tool.name", r.Tool), text("gen_ai.tool.type", "function"), text("gen_ai.tool.call.id", number(r.Seq)),
		text("cortex.decision.id", number(r.Decision)), text("cortex.outcome", string(state)))
	if strings.HasPrefix(b.t.Session, "host/") && strings.Contains(b.t.Session, "/mcp/") {
		s.Attributes = append(s.Attributes, text("mcp.method.name", "tools/call"))
	}
	if state == act.Failed || state == act.Unknown {
		s.failed("tool_error", string(state))
	}
}
