package telemetry_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/internal/oracle"
	"github.com/opencortex-go/cortex/internal/telemetry"
	"github.com/opencortex-go/cortex/internal/telemetry/decisions"
	"github.com/opencortex-go/cortex/internal/telemetry/metrics"
	"github.com/opencortex-go/cortex/internal/telemetry/spans"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
)

const rules = `
(deftool edit :params (:path string :text string) :required (:path) :tier :allow)
(deftool push :params (:branch string) :required (:branch) :tier :ask)
(defskill s :trigger (= action.tool "edit")
  :gate ((deny out :when (= action.args.path "/etc/passwd") :reason "stay in the workspace")
         (rewrite tmp :when (= action.args.path "x") :set (:path "y") :reason "y is the one")))`

// secret looks like a token of GitHub, and is none.
const secret = "ghp_" + "x7Qd2mV9sKc4TzR8bLw1NfY6pHj3AeGu5oZi"

func open(t *testing.T) *cortex.Engine {
	t.Helper()
	e, err := cortex.Open(t.Context(), cortex.Options{Rules: fstest.MapFS{"r.lisp": {Data: []byte(rules)}}, Live: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// do decides, and where it is allowed runs to the state.
func do(t *testing.T, e *cortex.Engine, tool, args string, state act.State) *cortex.Decision {
	t.Helper()
	v, err := sexpr.FromJSON([]byte(args))
	require.NoError(t, err)
	a, err := skills.NewAction(tool, v, "")
	require.NoError(t, err)
	d, err := e.Decide(t.Context(), a, &cortex.Facts{Session: skills.Session{ID: "host/0/mcp/s", Principal: "agent"}})
	require.NoError(t, err)
	if d.Kind.String() == "allow" {
		p, err := e.Begin(t.Context(), d)
		require.NoError(t, err)
		require.NoError(t, p.Finish(t.Context(), cortex.Receipt{State: state, Text: "wrote " + secret, Error: "x"}))
	}
	return d
}

// story is what all sinks hear: an allow, a rewrite that fails, a deny and an ask.
func story(t *testing.T, e *cortex.Engine) (list []*cortex.Decision) {
	t.Helper()
	return append(list,
		do(t, e, "edit", `{"path": "a", "text": "key: `+secret+`"}`, act.Done),
		do(t, e, "edit", `{"path": "x"}`, act.Failed),
		do(t, e, "edit", `{"path": "/etc/passwd"}`, act.Done),
		do(t, e, "push", `{"branch": "main"}`, act.Done))
}

// told gives a sink all of the record, and returns when it has it.
func told(t *testing.T, e *cortex.Engine, from uint64, to telemetry.Sink) {
	t.Helper()
	var log strings.Builder
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // what is durable is passed on all the same
	telemetry.Follow(ctx, e.Journal(), from, "test", to, slog.New(slog.NewTextHandler(&log, nil)))
	require.Empty(t, log.String())
}

func TestMetrics(t *testing.T) {
	e := open(t)
	story(t, e)
	m := metrics.New(metrics.Options{Status: e.Status, Version: "1.2",
		Free: func() (uint64, error) { return 1 << 20, nil }})
	told(t, e, 1, m)
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	text := w.Body.String()
	require.Equal(t, http.StatusOK, w.Code, text)
	for _, line := range []string{
		`cortex_decisions_total{decision="allow",rule_class="tier"} 2`,
		`cortex_decisions_total{decision="deny",rule_class="rule"} 1`,
		`cortex_decisions_total{decision="ask",rule_class="tier"} 1`,
		`cortex_decision_duration_seconds_count 4`,
		`cortex_executions_total{outcome="done"} 1`, `cortex_executions_total{outcome="failed"} 1`,
		`cortex_executions_total{outcome="unknown"} 0`,
		`cortex_approvals_pending 1`, `cortex_executions_in_doubt 0`, `cortex_store_free_bytes 1.048576e+06`,
		`cortex_kill_switch 0`,
	} {
		assert.Contains(t, text, line+"\n")
	}
	assert.Regexp(t, `cortex_build_info\{commit="\w+",version="1.2"\} 1`, text)
	for _, word := range []string{"passwd", "host/0", "main", secret} {
		assert.NotContains(t, text, word, "no ids, paths or arguments")
	}
	check := exec.Command(oracle.Find(t, "promtool"), "check", "metrics")
	check.Stdin = strings.NewReader(text)
	out, err := check.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Empty(t, string(out))
	check = exec.Command("promtool", "check", "metrics") // the judge does judge
	check.Stdin = strings.NewReader("# TYPE cortex_things counter\ncortex_things 1\n")
	require.Error(t, check.Run())
}

func TestAFullSinkEndsAlone(t *testing.T) {
	e := open(t)
	story(t, e)
	var log strings.Builder
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	telemetry.Follow(ctx, e.Journal(), 1, "broken", panics{}, slog.New(slog.NewTextHandler(&log, nil)))
	assert.Contains(t, log.String(), "nothing more is told")
	assert.Contains(t, log.String(), "broken")
	do(t, e, "edit", `{"path": "b"}`, act.Done)
}

type panics struct{}

func (panics) Note(cortex.Record) error { panic("sink") }

func lines(t *testing.T, file string) (list []decisions.Event) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.NotContains(t, string(text), secret)
	for line := range strings.Lines(string(text)) {
		var e decisions.Event
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&e), line)
		list = append(list, e)
	}
	return list
}

func TestLogOfDecisions(t *testing.T) {
	e, file := open(t), filepath.Join(t.TempDir(), "decisions.jsonl")
	opt := decisions.Options{File: file, Record: "0123456789ab", Version: "1.2", Mask: secrets.NewMask()}
	all := story(t, e)
	log, err := decisions.Open(opt)
	require.NoError(t, err)
	require.Zero(t, log.Last())
	told(t, e, 1, log)
	require.NoError(t, log.Close())
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())

	got := lines(t, file)
	require.Len(t, got, len(all))
	first, second := got[0], got[1]
	assert.Equal(t, "dev.cortex.decision.v1", first.Type)
	assert.Equal(t, "/cortex/0123456789ab", first.Source)
	assert.Equal(t, []string{"/input/args/text"}, first.Data.Masked)
	assert.Contains(t, string(first.Data.Input.Args), `"path":"a"`)
	assert.Equal(t, "agent", first.Data.RequestedBy)
	assert.Equal(t, all[0].Policy.String(), first.Data.Bundles["rules"].Revision)
	rec, err := e.Journal().Read(all[0].ID)
	require.NoError(t, err)
	assert.Equal(t, rec.Prev.String(), first.Data.PrevHash)
	assert.Equal(t, rec.Hash.String(), first.ID)
	assert.JSONEq(t, `{"path": "y"}`, string(second.Data.Result.Action.Args))
	assert.Equal(t, []string{"allow", "allow", "deny", "ask"}, []string{first.Data.Result.Decision,
		second.Data.Result.Decision, got[2].Data.Result.Decision, got[3].Data.Result.Decision})
	assert.Equal(t, "stay in the workspace", got[2].Data.Result.Reasons[0].Text)
	assert.Contains(t, got[2].Data.Verdicts, decisions.Verdict{Gate: "s/out", Outcome: "rejected", Round: 1,
		Note: "stay in the workspace"})

	// A crash cuts the last line off; the next start writes it again, and no other twice.
	require.NoError(t, os.Truncate(file, info.Size()-7))
	log, err = decisions.Open(opt)
	require.NoError(t, err)
	require.Equal(t, all[2].ID, log.Last())
	told(t, e, log.Last()+1, log)
	assert.Equal(t, got, lines(t, file))

	// logrotate renames the file.
	require.NoError(t, os.Rename(file, file+".1"))
	d := do(t, e, "edit", `{"path": "c"}`, act.Done)
	require.NoError(t, log.Reopen())
	told(t, e, log.Last()+1, log)
	require.NoError(t, log.Close())
	assert.Equal(t, got, lines(t, file+".1"))
	got = lines(t, file)
	require.Len(t, got, 1)
	assert.Equal(t, telemetry.Action(d).Digest().String(), got[0].Data.ProposalDigest)

	// The lines of another record are left, and say nothing about this one.
	opt.Record = "another"
	log, err = decisions.Open(opt)
	require.NoError(t, err)
	assert.Zero(t, log.Last())
	require.NoError(t, log.Close())
}

func TestLogOfDecisionsTakesNoOtherFile(t *testing.T) {
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes")
	require.NoError(t, os.WriteFile(notes, []byte("milk\n"), 0o600))
	for _, file := range []string{dir, notes, os.DevNull, filepath.Join(dir, "none", "log")} {
		_, err := decisions.Open(decisions.Options{File: file, Mask: secrets.NewMask()})
		require.ErrorContains(t, err, file)
	}
}

// receiver is a small collector of OTLP over HTTP.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	spans []*tracepb.Span
	raw   strings.Builder
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		body, err := io.ReadAll(req.Body)
		var in collector.ExportTraceServiceRequest
		if err != nil || req.URL.Path != "/v1/traces" || req.Header.Get("Content-Type") != "application/x-protobuf" ||
			proto.Unmarshal(body, &in) != nil {
			http.Error(w, "not OTLP", http.StatusBadRequest)
			return
		}
		r.raw.Write(body)
		for _, rs := range in.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				r.spans = append(r.spans, ss.Spans...)
			}
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// send exports the record to a new collector.
func send(t *testing.T, e *cortex.Engine, content bool) *receiver { return sendTo(t, e, "", content) }

// sendTo exports the record to a new collector, whose address has more behind it.
func sendTo(t *testing.T, e *cortex.Engine, behind string, content bool) *receiver {
	t.Helper()
	r := newReceiver(t)
	x, err := spans.Open(t.Context(), spans.Options{URL: r.URL + behind, View: e.Journal(), Version: "1.2", Agent: "agent",
		Content: content, Mask: secrets.NewMask(), Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	told(t, e, 1, x)
	require.NoError(t, x.Close(t.Context()))
	return r
}

// A collector is addressed with or without the path of traces.
func TestACollectorByEitherAddress(t *testing.T) {
	e := open(t)
	story(t, e)
	for _, behind := range []string{"", "/", "/v1/traces", "/v1/traces/"} {
		assert.NotEmpty(t, sendTo(t, e, behind, false).spans, behind)
	}
}

func attributes(s *tracepb.Span) map[string]string {
	out := map[string]string{}
	for _, a := range s.Attributes {
		out[a.Key] = a.Value.GetStringValue()
	}
	return out
}

func TestSpans(t *testing.T) {
	e := open(t)
	all := story(t, e)
	require.NoError(t, e.Withdraw(t.Context(), all[3].Approval, "agent"))
	r := send(t, e, false)
	byName := map[string][]*tracepb.Span{}
	for _, s := range r.spans {
		byName[s.Name] = append(byName[s.Name], s)
	}
	require.Len(t, byName["decide edit"], 3)
	require.Len(t, byName["decide push"], 1)
	require.Len(t, byName["execute_tool edit"], 2)
	require.Len(t, byName["wait for approval"], 1)

	decide, run := byName["decide edit"][0], byName["execute_tool edit"][0]
	assert.Equal(t, decide.TraceId, run.TraceId)
	assert.Equal(t, decide.SpanId, run.ParentSpanId)
	assert.Less(t, run.StartTimeUnixNano, run.EndTimeUnixNano)
	rec, err := e.Journal().Read(all[0].ID)
	require.NoError(t, err)
	id := telemetry.Trace(rec)
	assert.Equal(t, hex.EncodeToString(id[:]), hex.EncodeToString(decide.TraceId), "as the log of decisions has it")
	assert.Equal(t, "allow", attributes(decide)["cortex.decision"])
	at := attributes(run)
	assert.Equal(t, "execute_tool", at["gen_ai.operation.name"])
	assert.Equal(t, "edit", at["gen_ai.tool.name"])
	assert.Equal(t, "tools/call", at["mcp.method.name"])
	assert.Equal(t, "tool_error", attributes(byName["execute_tool edit"][1])["error.type"])
	assert.Equal(t, tracepb.Status_STATUS_CODE_ERROR, byName["execute_tool edit"][1].Status.Code)
	denied := byName["decide edit"][2]
	assert.Equal(t, "s/out", attributes(denied)["cortex.rule.id"])
	assert.Equal(t, byName["decide push"][0].SpanId, byName["wait for approval"][0].ParentSpanId)
	assert.Equal(t, "withdrawn", attributes(byName["wait for approval"][0])["cortex.approval.state"])
	for _, word := range []string{"passwd", "key:", "wrote ", secret} {
		assert.NotContains(t, r.raw.String(), word, "content leaves only when asked for")
	}
}

func TestSpansWithContent(t *testing.T) {
	e := open(t)
	story(t, e)
	r := send(t, e, true)
	assert.NotContains(t, r.raw.String(), secret)
	var args, results []string
	for _, s := range r.spans {
		if strings.HasPrefix(s.Name, "execute_tool") {
			args = append(args, attributes(s)["gen_ai.tool.call.arguments"])
			results = append(results, attributes(s)["gen_ai.tool.call.result"])
		}
	}
	require.Len(t, args, 2)
	assert.Contains(t, args[0], `"path":"a"`)
	assert.Contains(t, args[0], "key: [")
	assert.Contains(t, results[0], "wrote [")
}

// A collector that hangs delays nothing but the end, and that only as long as it may.
func TestACollectorThatHangs(t *testing.T) {
	e, hang := open(t), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer srv.Close()
	defer close(hang)
	var log strings.Builder
	x, err := spans.Open(t.Context(), spans.Options{URL: srv.URL, View: e.Journal(), Mask: secrets.NewMask(),
		Logger: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	story(t, e)
	told(t, e, 1, x)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_ = x.Close(ctx)
	require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
}
