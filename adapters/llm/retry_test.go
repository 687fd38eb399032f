package llm

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason/model"
)

// endpoint plays answers without a network, so that a test can own the clock.
type endpoint struct {
	answers []func() (*http.Response, error)
	at      []time.Duration // when it was asked, since the first time
	first   time.Time
}

func (e *endpoint) RoundTrip(r *http.Request) (*http.Response, error) {
	if e.first.IsZero() {
		e.first = time.Now()
	}
	e.at = append(e.at, time.Since(e.first))
	next := e.answers[min(len(e.at), len(e.answers))-1]
	if next == nil {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return next()
}

func answering(code int, body string, header ...string) func() (*http.Response, error) {
	return func() (*http.Response, error) {
		h := http.Header{"Content-Type": {"application/json"}}
		for i := 0; i+1 < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: -1},
			nil
	}
}

func losing(err error) func() (*http.Response, error) {
	return func() (*http.Response, error) { return nil, err }
}

func TestRetries(t *testing.T) {
	ok := answering(200, wholeAnswer(OpenAI))
	failed := answering(500, `{"error":"x","usage":{"prompt_tokens":3}}`)
	reset := losing(&net.OpError{Op: "read", Err: syscall.ECONNRESET})
	tests := []struct {
		name    string
		answers []func() (*http.Response, error)
		limit   time.Duration // of the caller; 0: none
		tries   int
		waits   time.Duration // at least, in all
		within  time.Duration
		err     string
		in      int64
	}{
		{name: "none needed", answers: []func() (*http.Response, error){ok}, tries: 1, in: 10},
		{name: "a failing server", answers: []func() (*http.Response, error){failed, failed, ok}, tries: 3,
			waits: 750 * time.Millisecond, within: 1500 * time.Millisecond, in: 16},
		{name: "too often", answers: []func() (*http.Response, error){failed}, tries: 4, within: 4 * time.Second,
			err: "(after 4 tries)", in: 12},
		{name: "a lost connection", answers: []func() (*http.Response, error){reset, losing(io.ErrUnexpectedEOF),
			losing(io.EOF), ok}, tries: 4, within: 4 * time.Second, in: 10},
		{name: "as long as it says", answers: []func() (*http.Response, error){answering(429, "", "Retry-After", "7"), ok},
			tries: 2, waits: 7 * time.Second, within: 7 * time.Second, in: 10},
		{name: "not if it says too long", answers: []func() (*http.Response, error){answering(429, "", "Retry-After", "3600"),
			ok}, tries: 1, err: "status 429"},
		{name: "nonsense", answers: []func() (*http.Response, error){answering(429, "", "Retry-After", "-5"), ok}, tries: 2,
			within: time.Second, in: 10},
		{name: "huge nonsense", answers: []func() (*http.Response,
			error){answering(503, "", "Retry-After", "99999999999999999"), ok}, tries: 1, err: "status 503"},
		{name: "not if the caller has no time",
			answers: []func() (*http.Response, error){answering(429, "", "Retry-After", "7"), ok}, limit: 6 * time.Second,
			tries: 1, err: "status 429"},
		{name: "the prompt's fault", answers: []func() (*http.Response, error){answering(400, "", "Retry-After", "1"), ok},
			tries: 1, err: "status 400"},
		{name: "the key's fault", answers: []func() (*http.Response, error){answering(401, ""), ok}, tries: 1,
			err: "status 401"},
		{name: "nonsense in the answer", answers: []func() (*http.Response, error){answering(200, "{}"), ok}, tries: 1,
			err: "no choices"},
		{name: "a certificate", answers: []func() (*http.Response, error){losing(errors.New("x509: unknown authority")), ok},
			tries: 1, err: "x509"},
		{name: "too slow", answers: []func() (*http.Response, error){nil, ok}, tries: 1, within: 10 * time.Second,
			err: "deadline exceeded"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := connect(t, OpenAI, "https://a.example", func(c *Config) { c.Retries = 3 })
			synctest.Test(t, func(t *testing.T) {
				e := &endpoint{answers: test.answers}
				p.http.Transport = e
				ctx := t.Context()
				if test.limit > 0 {
					limited, cancel := context.WithTimeout(ctx, test.limit)
					defer cancel()
					ctx = limited
				}
				begin := time.Now()
				out, err := p.Complete(ctx, testPrompt())
				took := time.Since(begin)
				assert.Len(t, e.at, test.tries)
				assert.GreaterOrEqual(t, took, test.waits)
				assert.LessOrEqual(t, took, test.within)
				assert.Equal(t, test.in, out.Usage.TokensIn, "failed tries count")
				if test.err == "" {
					require.NoError(t, err)
					return
				}
				assert.ErrorContains(t, err, test.err)
				assert.Equal(t, model.Completion{Usage: out.Usage}, out)
			})
		})
	}
}

func TestRetriesEndWithTheCaller(t *testing.T) {
	p := connect(t, OpenAI, "https://a.example", func(c *Config) { c.Retries = 3 })
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{answers: []func() (*http.Response, error){answering(500, "")}}
		p.http.Transport = e
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		begin := time.Now()
		_, err := p.Complete(ctx, testPrompt())
		assert.Error(t, err)
		assert.Equal(t, 100*time.Millisecond, time.Since(begin))
		assert.Len(t, e.at, 1)
	})
}

func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the clock stands at 2000-01-01
		assert.Equal(t, 3*time.Second, retryAfter("3"))
		assert.Equal(t, 90*time.Second, retryAfter("Sat, 01 Jan 2000 00:01:30 GMT"))
		for _, s := range []string{"", "soon", "-1", "Fri, 31 Dec 1999 00:00:00 GMT", "1e9"} {
			assert.Zero(t, retryAfter(s), s)
		}
	})
}

// Without a timeout of its own a provider takes the caller's, or a minute.
func TestTimeoutOfATry(t *testing.T) {
	for own, want := range map[time.Duration]time.Duration{0: 5 * time.Minute, time.Second: time.Second} {
		p := connect(t, OpenAI, "https://a.example", func(c *Config) { c.Timeout = Duration(own) })
		synctest.Test(t, func(t *testing.T) {
			p.http.Transport = &endpoint{answers: []func() (*http.Response, error){nil}}
			for limit, want := range map[time.Duration]time.Duration{5 * time.Minute: want, 0: cmp.Or(own, time.Minute)} {
				ctx, cancel := context.WithCancel(t.Context())
				if limit > 0 {
					ctx, cancel = context.WithTimeout(t.Context(), limit)
				}
				begin := time.Now()
				_, err := p.Complete(ctx, testPrompt())
				assert.ErrorIs(t, err, context.DeadlineExceeded)
				assert.Equal(t, want, time.Since(begin))
				cancel()
			}
		})
	}
}
