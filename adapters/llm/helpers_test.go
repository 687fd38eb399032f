package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testKey has every quality of a key but that it opens anything.
const testKey = "sk-test-0123456789abcdef-KEY"

// serve starts an endpoint.
func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // until then the server does not see that a client is gone
		r.Body = io.NopCloser(bytes.NewReader(body))
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// connect makes a provider of a kind over HTTP, without retries, with a key.
func connect(t testing.TB, kind, url string, change ...func(*Config)) *client {
	t.Helper()
	t.Setenv("LLM_TEST_KEY", testKey)
	cfg := Config{Name: "bad", Kind: kind, URL: url, Model: "m", KeyEnv: "LLM_TEST_KEY", Retries: -1,
		Timeout: Duration(10 * time.Second)}
	for _, f := range change {
		f(&cfg)
	}
	p, err := New(cfg)
	require.NoError(t, err)
	c := p.(*client)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// wholeAnswer is what the endpoint of a kind says when all is well.
func wholeAnswer(kind string) string {
	if kind == Anthropic {
		return `{"type":"message","role":"assistant","content":[{"type":"text","text":"hello"}],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":2}}`
	}
	return `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2}}`
}

// say answers with a JSON text.
func say(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = io.WriteString(w, text)
	}
}

var (
	shellTool = &skills.Tool{
		Name: "shell", Doc: "Run a command.", Required: []string{"cmd"}, Tier: skills.TierAllow,
		Params: []skills.Param{{Name: "cmd", Type: skills.Type{Kind: skills.KindCommand}},
			{Name: "timeout", Type: skills.Type{Kind: skills.KindInteger, Bounded: true, Lo: 1, Hi: 300}}},
	}
	dottedTool = &skills.Tool{Name: "files.read", Doc: "Read.",
		Params: []skills.Param{{Name: "path", Type: skills.Type{Kind: skills.KindPath}}}}
)

func testPrompt() model.Prompt {
	return model.Prompt{
		System: "SYSTEM with forms", NativeSystem: "SYSTEM",
		Messages: []model.Message{{Role: model.RoleUser, Text: "hi"}},
		Tools:    append(skills.BuiltinTools()[:1], shellTool, dottedTool),
	}
}

// tools is a policy for Propose.
type tools []*skills.Tool

func (t tools) Tools() []*skills.Tool { return t }
func (t tools) Tool(name string) (*skills.Tool, bool) {
	for _, x := range t {
		if x.Name == name {
			return x, true
		}
	}
	return nil, false
}

// requestOf is the body that a provider sends for a prompt.
func requestOf(t testing.TB, c *client, p model.Prompt) map[string]any {
	t.Helper()
	body, err := c.request(p)
	require.NoError(t, err)
	text, err := json.Marshal(body)
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}

func ctx(t testing.TB) context.Context { return t.Context() }

func bodyOf(r *http.Request) []byte {
	body, _ := io.ReadAll(r.Body)
	return body
}
