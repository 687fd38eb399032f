package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/capabilities"
	"github.com/opencortex-go/cortex/capabilities/form"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

// judged is a round tripper that holds every request and answer against the document.
type judged struct {
	t    *testing.T
	doc  *openapi3.T
	next http.RoundTripper
	seen map[string]bool // operation and status
}

func (j *judged) RoundTrip(r *http.Request) (*http.Response, error) {
	path := r.URL.Path
	if strings.HasPrefix(path, "/v1/cards/") {
		path = "/v1/cards/{token}"
	}
	op := j.doc.Paths.Value(path).GetOperation(r.Method)
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	res, err := j.next.RoundTrip(r)
	if err != nil {
		return res, err
	}
	said := op.Responses.Value("default")
	if res.StatusCode == http.StatusOK {
		said = op.Responses.Value("200")
		j.seen[r.Method+" "+path+" done"] = true
	} else {
		j.seen[r.Method+" "+path+" refused"] = true
	}
	kind := res.Header.Get("Content-Type")
	media := said.Value.Content[kind]
	require.NotNil(j.t, media, "%s answers %s as %q", path, res.Status, kind)
	if op.RequestBody != nil && res.StatusCode == http.StatusOK {
		asked := op.RequestBody.Value.Content["application/json"].Schema
		require.NoError(j.t, fits(asked, body), "request of %s: %s", path, body)
	}
	if kind == "application/json" {
		text, err := io.ReadAll(res.Body)
		require.NoError(j.t, err)
		require.NoError(j.t, fits(media.Schema, text), "answer of %s: %s", path, text)
		res.Body = io.NopCloser(bytes.NewReader(text))
	}
	return res, nil
}

func fits(schema *openapi3.SchemaRef, text []byte) error {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	return schema.Value.VisitJSON(v, openapi3.EnableJSONSchema2020())
}

// A server's answers are as the document says that it serves: of every operation, one that
// was done and one that was refused.
func TestAnswersFitTheDocument(t *testing.T) {
	caps := capabilities.New()
	e, err := cortex.Open(t.Context(), cortex.Options{Live: true, Capabilities: caps,
		Tools: []act.Tool{{Schema: &skills.Tool{Name: "look"}, Actuator: act.Func(
			func(context.Context, act.Call) (act.Receipt, error) {
				return act.Receipt{State: act.Done, Text: "seen"}, nil
			})}},
		Models:    cortex.Models{Providers: []model.Provider{hello{}}},
		Approvals: cortex.ApprovalOptions{Classes: map[string][]string{"operator": {"ana"}}},
		Rules: fstest.MapFS{"r.lisp": {Data: []byte(`
(deftool look :params (:at string) :required (:at) :tier :allow :effect :none)
(deftool push :params (:to string) :required (:to) :tier :ask)
(deftool launch :tier :deny)
(defskill s :trigger (= action.tool "look") :gate ((rewrite r :when (= action.args.at "x") :set (:at "y") :reason "y")))`)}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	all, err := form.Read("plan.lisp", []byte(`(defcapability say.word :version "1.0.0" :owner "o" :scope :project
  :inputs (:word string) :required (:word) :plan ((say :tool "look" :args (:at "{{word}}") :undo "only reads")))`))
	require.NoError(t, err)
	require.NoError(t, caps.Register(t.Context(), all[0], "op"))
	for _, to := range []capabilities.State{capabilities.Tested, capabilities.OnTrial} {
		require.NoError(t, caps.Move(t.Context(), "say.word", "1.0.0", to, "op", ""))
	}
	path := filepath.Join(t.TempDir(), "s", "api.sock")
	s, err := Listen(Options{Engine: e, Socket: path, Version: "test"})
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- s.Serve(t.Context()) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, <-done)
	})
	dial := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	t.Cleanup(dial.CloseIdleConnections)
	j := &judged{t: t, next: dial, seen: map[string]bool{}}
	j.doc = served(t, dial)
	j.everything(e)
	for _, o := range s.operations() {
		assert.True(t, j.seen[o.pattern+" done"], "%s was never done", o.pattern)
		if o.pattern != "GET /v1/cards" && o.pattern != "GET /v1/status" { // they fail with the engine alone
			assert.True(t, j.seen[o.pattern+" refused"], "%s was never refused", o.pattern)
		}
	}
}

// served is the document as a client gets it.
func served(t *testing.T, via http.RoundTripper) *openapi3.T {
	t.Helper()
	res, err := (&http.Client{Transport: via}).Get("http://cortex/v1/openapi.json")
	require.NoError(t, err)
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	doc, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	require.NoError(t, doc.Validate(t.Context()))
	return doc
}

// send sends a request and returns its answer.
func (j *judged) send(pattern, body string, headers ...string) (out struct {
	Decision, Approval string
	Record, Intent     uint64
}) {
	j.t.Helper()
	verb, path, _ := strings.Cut(pattern, " ")
	ctx, stop := context.WithTimeout(j.t.Context(), 10*time.Second)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, verb, "http://cortex"+path, strings.NewReader(body))
	require.NoError(j.t, err)
	for h := range slices.Chunk(headers, 2) {
		r.Header.Set(h[0], h[1])
	}
	res, err := (&http.Client{Transport: j}).Do(r)
	require.NoError(j.t, err)
	defer func() { _ = res.Body.Close() }()
	if res.Header.Get("Content-Type") == "application/json" {
		text, err := io.ReadAll(res.Body)
		require.NoError(j.t, err)
		_ = json.Unmarshal(text, &out) // lists have none of it
	}
	return out
}

// everything sends each request in a form that is done, and in one that is refused.
func (j *judged) everything(e *cortex.Engine) {
	const in = `{"session":{"id":"s","host":"test"},`
	ask := func(tool, args string) string { return in + `"action":{"tool":"` + tool + `","args":` + args + `}` }
	for _, x := range [][2]string{{"look", `{"at":"a"}`}, {"look", `{"at":"x"}`}, {"look", `{"at":7}`}, {"launch", `{}`},
		{"none", `{}`}} {
		j.send("POST /v1/decide", ask(x[0], x[1])+"}")
		if r := j.send("POST /v1/judge", ask(x[0], x[1])+`,"call":"c"}`); r.Intent != 0 {
			j.send("POST /v1/finish", in+`"call":"c","state":"done","result":{"seen":[1,"a",null]}}`)
		}
	}
	asked := j.send("POST /v1/decide", ask("push", `{"to":"a"}`)+"}")
	j.send("GET /v1/cards", "")
	j.send("GET /v1/cards/"+asked.Approval, "")
	j.send("POST /v1/begin", in+`"record":`+number(asked.Record)+"}")
	require.NoError(j.t, e.Approve(j.t.Context(), asked.Approval, cortex.Approver{Name: "ana", Via: "test"}))
	j.send("GET /v1/cards/"+asked.Approval+"?hold=5", "")
	begun := j.send("POST /v1/begin", in+`"record":`+number(asked.Record)+"}")
	require.NotZero(j.t, begun.Intent)
	j.send("POST /v1/finish", in+`"intent":`+number(begun.Intent)+`,"state":"failed","error":"no"}`)
	asked = j.send("POST /v1/judge", ask("push", `{"to":"b"}`)+`,"hold":1}`)
	j.send("POST /v1/withdraw", in+`"token":"`+asked.Approval+`"}`)
	j.send("GET /v1/capabilities", "")
	j.send("GET /v1/capabilities?hold=x", "")
	started := j.send("POST /v1/call", ask("say.word", `{"word":"hi"}`)+"}")
	j.send("GET /v1/cards/"+started.Approval, "")
	require.NoError(j.t, e.Approve(j.t.Context(), started.Approval, cortex.Approver{Name: "ana", Via: "test"}))
	require.Equal(j.t, "allow", j.send("POST /v1/call", ask("say.word", `{"word":"hi"}`)+"}").Decision)
	j.send("POST /v1/words", in+`"text":"look at a"}`)
	j.send("POST /v1/read", in+`"text":"a","name":"notes"}`)
	j.send("POST /v1/submit", in+`"text":"hi"}`)
	j.send("POST /v1/end", `{"session":{"id":"s","host":"test"}}`)
	j.send("GET /v1/status", "")
	j.send("GET /v1/events", "")
	j.send("GET /v1/openapi.json", "")
	for _, path := range []string{"judge", "call", "decide", "begin", "finish", "words", "read", "submit", "end",
		"withdraw"} {
		j.send("POST /v1/"+path, `{"facts":{}}`)
	}
	j.send("GET /v1/cards/nosuchcard", "")
	j.send("GET /v1/events", "", "Last-Event-ID", "x")
	j.send("GET /v1/openapi.json", "", "Origin", "http://evil.example")
}

func number(n uint64) string { return string(must(json.Marshal(n))) }

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// The judge has to see an answer that does not fit.
func TestTheDocumentRefusesOtherAnswers(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	require.NoError(t, err)
	for text, name := range map[string]string{
		`{"decision":"maybe","key":"k","reasons":[],"policy":"p","record":1}`:   "Decision",
		`{"decision":"allow","key":"k","policy":"p","record":1}`:                "Decision",
		`{"decision":"allow","key":"k","reasons":null,"policy":"p","record":1}`: "Decision",
		`{"decision":"allow","key":"k","reasons":[],"policy":"p","record":"1"}`: "Decision",
		`{"session":{"id":"s","principal":"root"},"action":{"tool":"t"}}`:       "JudgeRequest",
		`{"session":{"id":"s"},"action":{"tool":"t","args":[1]}}`:               "JudgeRequest",
		`{"session":{"id":"s"},"action":{"tool":"t"},"approved":true}`:          "JudgeRequest",
		`{"session":{"id":"s"},"state":"fine"}`:                                 "Outcome",
		`{"key":"k","reasons":[],"policy":"p","record":1}`:                      "Ruling",
		`{}`: "Failure",
	} {
		assert.Error(t, fits(doc.Components.Schemas[name], []byte(text)), text)
	}
}

// hello is a model that only says hello.
type hello struct{}

func (hello) Name() string { return "hello" }

func (hello) Complete(context.Context, model.Prompt) (model.Completion, error) {
	return model.Completion{Text: "hello"}, nil
}
