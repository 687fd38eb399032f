// Package overhttp makes streamable HTTP of links to servers, each a program that reads and writes lines.
package overhttp

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/merging"
	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// Links makes streamable HTTP of links. In the era of sessions each session has a link of its
// own. Clients of the era without share one, so their ids and tokens of progress are made
// different on the way there, and are their own again on the way back.
type Links struct {
	dial   func(context.Context) (merging.Link, error)
	logger *slog.Logger

	mu     sync.Mutex
	by     map[string]*channel // of sessions
	shared *channel
}

// New returns HTTP without a link; dial makes each. The caller closes it.
func New(dial func(context.Context) (merging.Link, error), logger *slog.Logger) *Links {
	return &Links{dial: dial, logger: logger, by: map[string]*channel{}}
}

// RoundTrip answers a request that was judged.
func (s *Links) RoundTrip(req *http.Request) (*http.Response, error) {
	id := req.Header.Get(wire.HeaderSession)
	if req.Method == http.MethodPost {
		return s.post(req, id)
	}
	s.mu.Lock()
	c := s.by[id]
	if req.Method == http.MethodDelete {
		delete(s.by, id)
	} else if c != nil && !c.alive() {
		c = nil
	}
	s.mu.Unlock()
	switch {
	case id == "":
		return answer(http.StatusMethodNotAllowed, "text/plain", "expected a session"), nil
	case c == nil:
		return answer(http.StatusNotFound, "text/plain", "there is no such session"), nil
	case req.Method == http.MethodDelete:
		return answer(http.StatusNoContent, "", ""), c.close()
	}
	out := c.join("", nil)
	return out.stream(req.Context()), nil
}

// post sends one message on.
func (s *Links) post(req *http.Request, id string) (*http.Response, error) {
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	m, err := wire.Parse(raw)
	if err != nil {
		return nil, err
	}
	if req.Header.Get(wire.HeaderVersion) >= wire.Stateless && m.Call() && !selfContained(m) {
		return answer(http.StatusBadRequest, "application/json", string(wire.Failure(m.ID, wire.CodeInvalidParams,
			"expected _meta with the protocol version and the capabilities of the client").Bytes())), nil
	}
	c, fresh, err := s.channel(req.Context(), m, id)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return answer(http.StatusNotFound, "text/plain", "there is no such session"), nil
	}
	if !m.Call() {
		return answer(http.StatusAccepted, "", ""), c.link.Send(req.Context(), m)
	}
	resp, err := c.ask(req, m, fresh)
	if fresh != "" && (err != nil || resp.Header.Get(wire.HeaderSession) == "") { // no client knows of it
		if err := s.End(fresh); err != nil {
			s.logger.Warn("a server did not end as it should", "error", err)
		}
	}
	return resp, err
}

// End ends the link of a session, if there is one.
func (s *Links) End(id string) error {
	s.mu.Lock()
	c := s.by[id]
	delete(s.by, id)
	s.mu.Unlock()
	if c == nil {
		return nil
	}
	return c.close()
}

// selfContained reports whether a request says what the era without sessions wants to know.
// A server on standard input takes one that does not for a request of the other era.
func selfContained(m *wire.Message) bool {
	inner := m.In().Object("_meta")
	return inner.Get(wire.MetaVersion) != nil && inner.Get("io.modelcontextprotocol/clientCapabilities") != nil
}

// channel returns the link for a message, and the id of its session where that is new.
func (s *Links) channel(ctx context.Context, m *wire.Message, id string) (c *channel, fresh string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case id != "":
		if c = s.by[id]; c != nil && !c.alive() {
			c = nil // its server has ended
		}
		return c, "", nil
	case m.Method != wire.MethodInitialize && s.shared != nil && s.shared.alive():
		return s.shared, "", nil
	}
	l, err := s.dial(ctx)
	if err != nil {
		return nil, "", err
	}
	c = newChannel(s.logger, l, m.Method != wire.MethodInitialize)
	if c.shared {
		s.shared = c
		return c, "", nil
	}
	fresh = rand.Text()
	s.by[fresh] = c
	return c, fresh, nil
}

// Close ends all links.
func (s *Links) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for id, c := range s.by {
		err = errors.Join(err, c.close())
		delete(s.by, id)
	}
	if s.shared != nil {
		err = errors.Join(err, s.shared.close())
	}
	return err
}

// channel is a link with those who wait for what it brings.
type channel struct {
	logger *slog.Logger
	link   merging.Link
	shared bool
	over   chan struct{} // closed when the link has ended

	mu    sync.Mutex
	next  int
	wait  map[string]*waiter // by the id that the server knows
	token map[string]*waiter // by the token of progress that the server knows
	own   *waiter            // the stream for what belongs to no request
	early []*wire.Message    // what came for it before it was there
}

// waiter is one request over HTTP.
type waiter struct {
	c     *channel
	key   string
	id    json.RawMessage // the client's
	token json.RawMessage // the client's
	said  chan *wire.Message
	done  chan struct{}
	once  sync.Once
}

func newChannel(logger *slog.Logger, l merging.Link, shared bool) *channel {
	c := &channel{logger: logger, link: l, shared: shared, over: make(chan struct{}), wait: map[string]*waiter{},
		token: map[string]*waiter{}}
	go c.run()
	return c
}

func (c *channel) alive() bool {
	select {
	case <-c.over:
		return false
	default:
		return true
	}
}

func (c *channel) close() error {
	err := c.link.Close()
	<-c.over
	return err
}

// run hands out what the link brings, until it ends.
func (c *channel) run() {
	defer close(c.over)
	for {
		m, err := c.link.Receive()
		if err != nil {
			return
		}
		if w, m := c.route(m); w != nil {
			w.hand(m)
		}
	}
}

func (w *waiter) hand(m *wire.Message) {
	stalls := time.NewTimer(stalled)
	defer stalls.Stop()
	select {
	case w.said <- m:
	case <-w.done:
	case <-stalls.C:
		w.c.logger.Warn("a client does not read; its stream was ended")
		w.leave()
	}
}

// stalled is how long a client may hold up what the others wait for.
const stalled = time.Second

// most bounds what is kept for a stream that is not open yet.
const most = 256

// route returns who a message is for, as that client knows it.
func (c *channel) route(m *wire.Message) (*waiter, *wire.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.Response() {
		key, _ := wire.Match(c.wait, m.ID)
		w := c.wait[key]
		if w == nil {
			return nil, nil
		}
		return c.known(w, m, w.id, "id")
	}
	params := m.In()
	if w := c.token[wire.IDKey(params.Get("progressToken"))]; w != nil && m.Method == wire.NoteProgress {
		return c.known(w, m, w.token, "params", "progressToken")
	}
	if !c.shared {
		if c.own != nil {
			return c.own, m
		}
		for _, w := range c.wait {
			return w, m
		}
		if len(c.early) < most {
			c.early = append(c.early, m)
		}
		return nil, nil
	}
	if w := c.wait[wire.IDKey(params.Object("_meta").Get(wire.Subscription))]; w != nil {
		return c.known(w, m, w.id, "params", "_meta", wire.Subscription)
	}
	if len(c.wait) == 1 {
		for _, w := range c.wait {
			return w, m
		}
	}
	return nil, nil // whose it is cannot be known
}

// known returns a message with the client's own value at a path.
func (c *channel) known(w *waiter, m *wire.Message, value json.RawMessage, path ...string) (*waiter, *wire.Message) {
	if !c.shared {
		return w, m
	}
	m, err := m.Replace(value, path...)
	if err != nil {
		c.logger.Error("a message of the server was not passed on", "error", err)
		return nil, nil
	}
	return w, m
}

// join enters a waiter: the session's own stream if m is nil.
func (c *channel) join(key string, m *wire.Message) *waiter {
	w := &waiter{c: c, key: key, said: make(chan *wire.Message, most), done: make(chan struct{})}
	c.mu.Lock()
	defer c.mu.Unlock()
	if m == nil {
		c.own = w
		for _, m := range c.early {
			w.said <- m
		}
		c.early = nil
		return w
	}
	c.wait[key] = w
	return w
}

// leave ends a waiter.
func (w *waiter) leave() {
	w.once.Do(func() {
		close(w.done)
		w.c.mu.Lock()
		defer w.c.mu.Unlock()
		if w.c.own == w {
			w.c.own = nil
		}
		if w.c.wait[w.key] == w {
			delete(w.c.wait, w.key)
		}
		for t, other := range w.c.token {
			if other == w {
				delete(w.c.token, t)
			}
		}
	})
}

// ask sends a request and returns its answer: one message, or a stream where more comes.
func (c *channel) ask(req *http.Request, m *wire.Message, fresh string) (*http.Response, error) {
	onward, key := m, m.Key()
	token, _ := wire.Meta(m.In())
	theirs := token
	if c.shared {
		c.mu.Lock()
		c.next++
		mine := json.RawMessage(strconv.Quote("cortex-" + strconv.Itoa(c.next)))
		c.mu.Unlock()
		var err error
		if onward, err = m.Replace(mine, "id"); err == nil && token != nil {
			theirs = mine
			onward, err = onward.Replace(mine, "params", "_meta", "progressToken")
		}
		if err != nil {
			return nil, err
		}
		key = wire.IDKey(mine)
	}
	w := c.join(key, m)
	w.id, w.token = m.ID, token
	if token != nil {
		c.mu.Lock()
		c.token[wire.IDKey(theirs)] = w
		c.mu.Unlock()
	}
	if err := c.link.Send(req.Context(), onward); err != nil {
		w.leave()
		return nil, err
	}
	first, err := w.take(req.Context())
	if err != nil {
		w.leave()
		return nil, err
	}
	if first.Response() && m.Method != wire.MethodCall {
		w.leave()
		resp := answer(status(req, first), "application/json", string(first.Bytes()))
		if fresh != "" && first.Fail == nil {
			resp.Header.Set(wire.HeaderSession, fresh)
		}
		return resp, nil
	}
	resp := w.stream(req.Context(), first)
	if fresh != "" {
		resp.Header.Set(wire.HeaderSession, fresh)
	}
	return resp, nil
}

// status is what HTTP says of a response in the newer era.
func status(req *http.Request, m *wire.Message) int {
	fail, err := wire.Members(m.Fail)
	if req.Header.Get(wire.HeaderVersion) < wire.Stateless || m.Fail == nil || err != nil {
		return http.StatusOK
	}
	switch code, _ := strconv.Atoi(string(fail.Get("code"))); code {
	case -32601:
		return http.StatusNotFound
	case wire.CodeInvalidParams, -32021, -32022:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// take returns the next message for a waiter.
func (w *waiter) take(ctx context.Context) (*wire.Message, error) {
	select {
	case m := <-w.said:
		return m, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-w.c.over:
	case <-w.done:
	}
	select {
	case m := <-w.said: // came before the end
		return m, nil
	default:
		return nil, io.EOF
	}
}

// stream answers with events, up to the response.
func (w *waiter) stream(ctx context.Context, first ...*wire.Message) *http.Response {
	r, to := io.Pipe()
	go func() {
		defer w.leave()
		for {
			var m *wire.Message
			var err error
			if len(first) > 0 {
				m, first = first[0], nil
			} else if m, err = w.take(ctx); err != nil {
				_ = to.CloseWithError(err)
				return
			}
			if _, err := to.Write(wire.AsEvent(m)); err != nil {
				return
			}
			if m.Response() {
				_ = to.Close()
				return
			}
		}
	}()
	resp := answer(http.StatusOK, "text/event-stream", "")
	resp.Body = r
	return resp
}

// answer is an answer over HTTP.
func answer(status int, kind, body string) *http.Response {
	resp := &http.Response{
		StatusCode: status, Status: strconv.Itoa(status) + " " + http.StatusText(status),
		Header: http.Header{}, Body: io.NopCloser(bytes.NewReader([]byte(body))),
	}
	if kind != "" {
		resp.Header.Set("Content-Type", kind)
	}
	return resp
}
