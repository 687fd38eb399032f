package llm

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/reason/model"
)

// badly are all the ways in which an endpoint is known to fail, and what the log
// says of each.
func badly(kind string) map[string]struct {
	how http.HandlerFunc
	is  string
} {
	type m = map[string]struct {
		how http.HandlerFunc
		is  string
	}
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	typed := func(media, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", media)
			_, _ = io.WriteString(w, body)
		}
	}
	good := wholeAnswer(kind)
	return m{
		"401": {status(401, `{"error":{"message":"Incorrect API key provided: `+testKey+`"}}`),
			"status 401: Incorrect API key provided: [key]"},
		"403 of a proxy":   {status(403, "<html>Forbidden</html>"), "status 403: <html>Forbidden</html>"},
		"404":              {status(404, ``), "status 404: "},
		"429":              {status(429, `{"error":{"message":"slow down"}}`), "status 429: slow down"},
		"500":              {status(500, `{"error":"oops"}`), "status 500: oops"},
		"503, much to say": {status(503, strings.Repeat("x", 1<<20)), "status 503: xxx"},
		"529": {status(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`),
			"status 529: Overloaded"},
		"204":                   {status(204, ``), "status 204"},
		"201":                   {status(201, good), "status 201"},
		"empty":                 {say(""), "the answer is empty"},
		"blank":                 {say(" \n\t "), "the answer is empty"},
		"null":                  {say("null"), "not a JSON object"},
		"a list":                {say("[" + good + "]"), "not a JSON object"},
		"no JSON":               {say("Hello, I am a model"), "the answer is not JSON"},
		"half of it":            {say(good[:len(good)/2]), "ends too early"},
		"two of it":             {say(good + good), "more behind its JSON"},
		"keys twice":            {say(strings.Replace(good, `"content"`, `"content":null,"content"`, 1)), "a key twice"},
		"very deep":             {say(strings.Repeat("[", 100_000)), "nested deeper than 100"},
		"another shape":         {say(`{"answer":"hello"}`), "the answer has no "},
		"an error with 200":     {say(`{"error":{"message":"no credits"}}`), "the answer is an error: no credits"},
		"HTML":                  {typed("text/html", "<html></html>"), "expected application/json"},
		"JSON that says HTML":   {typed("text/html; charset=utf-8", good), "expected application/json"},
		"an unrequested stream": {typed("text/event-stream", "data: "+good+"\n\n"), "expected application/json"},
		"a broken content type": {typed(";;;", good), "expected application/json"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/v1/?key="+testKey, http.StatusTemporaryRedirect)
		}, "redirects are not followed"},
		"redirect to itself": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.String(), http.StatusPermanentRedirect)
		}, "redirects are not followed"},
		"slow headers": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "deadline exceeded"},
		"slow body": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, good[:10])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "deadline exceeded"},
		"huge, and says so": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99999999999")
			_, _ = io.WriteString(w, good)
		}, "expected at most 4194304"},
		"huge": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			block := bytes.Repeat([]byte(" "), 64<<10)
			for range 1000 {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}, "longer than 4194304 bytes"},
		"huge headers": {func(w http.ResponseWriter, _ *http.Request) {
			for i := range 2000 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 1000))
			}
		}, "exceeded"},
		"gzip bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.Copy(z, io.LimitReader(zeros{}, 64<<20))
			_ = z.Close()
		}, "packed"},
		"connection cut at once": {func(w http.ResponseWriter, _ *http.Request) { hangUp(w, "") }, "EOF"},
		"connection cut in the head": {func(w http.ResponseWriter, _ *http.Request) {
			hangUp(w, "HTTP/1.1 200 OK\r\nContent-Ty")
		}, "connection broken"},
		"connection cut in the body": {func(w http.ResponseWriter, _ *http.Request) {
			hangUp(w, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"+good[:20])
		}, "EOF"},
		"chunks cut": {func(w http.ResponseWriter, _ *http.Request) {
			hangUp(w, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n14\r\n"+good[:20]+
				"\r\n")
		}, "EOF"},
		"no HTTP": {func(w http.ResponseWriter, _ *http.Request) {
			hangUp(w, "SSH-2.0-OpenSSH\r\n")
		}, "malformed HTTP"},
		"its own key in the answer": {say(strings.Replace(good, "hello", testKey, 1)), "repeats this provider's key"},
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func hangUp(w http.ResponseWriter, said string) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	_, _ = io.WriteString(conn, said)
	_ = conn.Close()
}

// W32: whatever an endpoint does, the next provider is asked and answers. No key
// is in what is said of it.
func TestW32_AServerThatMisbehavesInEveryWay(t *testing.T) {
	crashtest.Long(t)
	for _, kind := range []string{OpenAI, Anthropic} {
		for name, bad := range badly(kind) {
			t.Run(kind+"/"+name, func(t *testing.T) {
				timeout := 10 * time.Second
				if strings.HasPrefix(name, "slow") {
					timeout = 50 * time.Millisecond
				}
				p := connect(t, kind, serve(t, bad.how), func(c *Config) { c.Timeout = Duration(timeout) })
				_, err := p.Complete(ctx(t), testPrompt())
				require.Error(t, err)
				assert.Contains(t, err.Error(), bad.is)
				assert.NotContains(t, err.Error(), testKey)
				assert.Less(t, len(err.Error()), 2000)
				assert.NotContains(t, err.Error(), "\n")

				var heard bytes.Buffer
				th := &model.Thinker{Providers: []model.Provider{p, scriptOf(t, `(:reply "from the next")`)},
					Health: &model.Health{}, Logger: slog.New(slog.NewTextHandler(&heard, nil))}
				c, err := th.Think(ctx(t), model.Turn{})
				require.NoError(t, err)
				assert.Equal(t, "from the next", c.Prose)
				assert.Contains(t, heard.String(), "provider=bad")
				assert.NotContains(t, heard.String(), testKey)
			})
		}
	}
}

func TestNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	at := l.Addr().String()
	require.NoError(t, l.Close())
	_, err = connect(t, OpenAI, "http://"+at).Complete(ctx(t), testPrompt())
	assert.ErrorContains(t, err, "connection refused")
	_, err = connect(t, OpenAI, "http://"+at+"/v1?token=SECRET").Complete(ctx(t), testPrompt())
	assert.ErrorContains(t, err, "connection refused")
	assert.NotContains(t, err.Error(), "SECRET", "an address may hold more than a host")
	_, err = connect(t, OpenAI, "http://no-such-host.invalid", func(c *Config) { c.KeyEnv = "" }).Complete(ctx(t),
		testPrompt())
	assert.Error(t, err)
}

// A huge answer costs no more memory than is allowed.
func TestAHugeAnswerIsNotKept(t *testing.T) {
	p := connect(t, OpenAI, serve(t, badly(OpenAI)["huge"].how), func(c *Config) { c.MaxBytes = 1 << 20 })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := p.Complete(ctx(t), testPrompt())
	runtime.ReadMemStats(&after)
	assert.ErrorContains(t, err, "longer than 1048576 bytes")
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20), "64 MB were sent")
}

// A redirect is not followed: no other host gets the key.
func TestTheKeyGoesToNobodyElse(t *testing.T) {
	var seen []string
	other := serve(t, func(_ http.ResponseWriter, r *http.Request) { seen = append(seen, r.Header.Get("Authorization")) })
	for _, code := range []int{301, 302, 303, 307, 308} {
		p := connect(t, OpenAI, serve(t, func(w http.ResponseWriter, r *http.Request) {
			assert.Equal(t, "Bearer "+testKey, r.Header.Get("Authorization"))
			http.Redirect(w, r, other, code)
		}))
		_, err := p.Complete(ctx(t), testPrompt())
		assert.ErrorContains(t, err, fmt.Sprint("status ", code))
	}
	assert.Empty(t, seen)
}

func TestProxiesOfTheEnvironmentAreOff(t *testing.T) {
	// ProxyFromEnvironment reads the environment once for all, so look at who
	// asks it.
	assert.Nil(t, connect(t, OpenAI, "https://a.example/v1").http.Transport.(*http.Transport).Proxy)
	assert.NotNil(t, connect(t, OpenAI, "https://a.example/v1", func(c *Config) {
		c.Proxy = true
	}).http.Transport.(*http.Transport).Proxy)
}

// The caller's end is told of as such.
func TestTheCallersEnd(t *testing.T) {
	c, cancel := context.WithCancel(ctx(t))
	p := connect(t, OpenAI, serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	_, err := p.Complete(c, testPrompt())
	assert.ErrorIs(t, err, context.Canceled)
	slow := connect(t, OpenAI, serve(t, badly(OpenAI)["slow body"].how),
		func(c *Config) { c.Timeout = Duration(20 * time.Millisecond) })
	_, err = slow.Complete(ctx(t), testPrompt())
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}

// What is wrong with the prompt is not held against the provider.
func TestFaultsOfThePrompt(t *testing.T) {
	for code, prompt := range map[int]bool{400: true, 413: true, 422: true, 401: false, 404: false, 429: false,
		500: false} {
		p := connect(t, OpenAI, serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
		_, err := p.Complete(ctx(t), testPrompt())
		assert.Equal(t, prompt, errors.Is(err, model.ErrPrompt), code)
	}
}

func scriptOf(t testing.TB, src string) model.Provider {
	t.Helper()
	s, err := model.NewScripted("next", "next.lisp", strings.Repeat(src, 5))
	require.NoError(t, err)
	return s
}

// A server with an untrusted certificate gets no request.
func TestCertificatesAreChecked(t *testing.T) {
	asked := false
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	p := connect(t, OpenAI, s.URL, func(c *Config) { c.Retries = 3 })
	_, err := p.Complete(ctx(t), testPrompt())
	assert.ErrorContains(t, err, "certificate")
	assert.NotContains(t, err.Error(), "tries", "another try would not mend it")
	assert.False(t, asked)
}
