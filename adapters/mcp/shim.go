package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// shim makes streamable HTTP of links. In the era of sessions each session has a link of its
// own. Clients of the era without share one, so their ids and tokens of progress are made
// different on the way there, and are their own again on the way back.
type shim struct {
	p      *Proxy
	behind Backend

	mu     sync.Mutex
	by     map[string]*channel // of sessions
	shared *channel
}

func newShim(p *Proxy, behind Backend) *shim {
	return &shim{p: p, behind: behind, by: map[string]*channel{}}
}

// RoundTrip answers a request that [Handler] has judged.
func (s *shim) RoundTrip(req *http.Request) (*http.Response, error) {
	id := req.Header.Get(headerSession)
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
func (s *shim) post(req *http.Request, id string) (*http.Response, error) {
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	m, err := wire.Parse(wire.OneLine(raw))
	if err != nil {
		return nil, err
	}
	if req.Header.Get(headerVersion) >= stateless && m.Call() && !selfContained(m) {
		return answer(http.StatusBadRequest, "application/json", string(wire.Failure(m.ID, wire.CodeInvalidParams,
			"expected _meta with the protocol version and the capabilities of the client"))), nil
	}
	c, fresh, err := s.channel(req.Context(), m, id)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return answer(http.StatusNotFound, "text/plain", "there is no such session"), nil
	}
	if !m.Call() {
		return answer(http.StatusAccepted, "", ""), c.link.send(req.Context(), m.Raw)
	}
	resp, err := c.ask(req, m, fresh)
	if fresh != "" && (err != nil || resp.Header.Get(headerSession) == "") { // no client knows of it
		if err := s.end(fresh); err != nil {
			s.p.Logger.Warn("a server did not end as it should", "error", err)
		}
	}
	return resp, err
}

// end ends the link of a session, if there is one.
func (s *shim) end(id string) error {
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
	params, _ := wire.Members(m.Params)
	inner, _ := wire.Members(params.Get("_meta"))
	return inner.Get(wire.MetaVersion) != nil && inner.Get("io.modelcontextprotocol/clientCapabilities") != nil
}

// channel returns the link for a message, and the id of its session where that is new.
func (s *shim) channel(ctx context.Context, m *wire.Message, id string) (c *channel, fresh string, err error) {
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
	l, err := s.behind.dial(ctx, s.p)
	if err != nil {
		return nil, "", err
	}
	c = newChannel(s.p, l, m.Method != wire.MethodInitialize)
	if c.shared {
		s.shared = c
		return c, "", nil
	}
	fresh = rand.Text()
	s.by[fresh] = c
	return c, fresh, nil
}

// Close ends all links.
func (s *shim) Close() error {
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
	p      *Proxy
	link   link
	shared bool
	over   chan struct{} // closed when the link has ended

	mu    sync.Mutex
	next  int
	wait  map[string]*waiter // by the id that the server knows
	token map[string]*waiter // by the token of progress that the server knows
	own   *waiter            // the stream for what belongs to no request
	early [][]byte           // what came for it before it was there
}

// waiter is one request over HTTP.
type waiter struct {
	c     *channel
	key   string
	id    json.RawMessage // the client's
	token json.RawMessage // the client's
	said  chan []byte
	done  chan struct{}
	once  sync.Once
}

func newChannel(p *Proxy, l link, shared bool) *channel {
	c := &channel{p: p, link: l, shared: shared, over: make(chan struct{}), wait: map[string]*waiter{},
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
	err := c.link.close()
	<-c.over
	return err
}

// run hands out what the link brings, until it ends.
func (c *channel) run() {
	defer close(c.over)
	for {
		raw, err := c.link.receive()
		if err != nil {
			return
		}
		m, err := wire.Parse(raw)
		if err != nil {
			c.p.Logger.Warn("the server said something that is not one JSON-RPC message; it was dropped", "error", err)
			continue
		}
		if w, raw := c.route(m); w != nil {
			w.hand(raw)
		}
	}
}

func (w *waiter) hand(raw []byte) {
	stalls := time.NewTimer(stalled)
	defer stalls.Stop()
	select {
	case w.said <- raw:
	case <-w.done:
	case <-stalls.C:
		w.c.p.Logger.Warn("a client does not read; its stream was ended")
		w.leave()
	}
}

// stalled is how long a client may hold up what the others wait for.
const stalled = time.Second

// most bounds what is kept for a stream that is not open yet.
const most = 256

// route returns who a message is for, as that client knows it.
func (c *channel) route(m *wire.Message) (*waiter, []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.Response() {
		w := c.wait[m.Key()]
		if w == nil || !c.shared {
			return w, m.Raw
		}
		return w, replaced(m.Raw, w.id, "id")
	}
	params, _ := wire.Members(m.Params)
	if w := c.token[wire.IDKey(params.Get("progressToken"))]; w != nil && m.Method == wire.NoteProgress {
		if !c.shared {
			return w, m.Raw
		}
		return w, replaced(m.Raw, w.token, "params", "progressToken")
	}
	if !c.shared {
		if c.own != nil {
			return c.own, m.Raw
		}
		for _, w := range c.wait {
			return w, m.Raw
		}
		if len(c.early) < most {
			c.early = append(c.early, m.Raw)
		}
		return nil, nil
	}
	inner, _ := wire.Members(params.Get("_meta"))
	if w := c.wait[wire.IDKey(inner.Get(subscription))]; w != nil {
		return w, replaced(m.Raw, w.id, "params", "_meta", subscription)
	}
	if len(c.wait) == 1 {
		for _, w := range c.wait {
			return w, m.Raw
		}
	}
	return nil, nil // whose it is cannot be known
}

// subscription names, in a notification, the request that it belongs to.
const subscription = "io.modelcontextprotocol/subscriptionId"

// replaced returns an object with another value at a path that it has.
func replaced(raw, value json.RawMessage, path ...string) json.RawMessage {
	all, err := wire.Members(raw)
	if err != nil || all.Get(path[0]) == nil {
		return raw
	}
	if len(path) > 1 {
		value = replaced(all.Get(path[0]), value, path[1:]...)
	}
	return all.With(path[0], value)
}

// join enters a waiter: the session's own stream if m is nil.
func (c *channel) join(key string, m *wire.Message) *waiter {
	w := &waiter{c: c, key: key, said: make(chan []byte, most), done: make(chan struct{})}
	c.mu.Lock()
	defer c.mu.Unlock()
	if m == nil {
		c.own = w
		for _, raw := range c.early {
			w.said <- raw
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
	raw, key := m.Raw, m.Key()
	params, _ := wire.Members(m.Params)
	token, _ := wire.Meta(params)
	theirs := token
	if c.shared {
		c.mu.Lock()
		c.next++
		mine := json.RawMessage(strconv.Quote("cortex-" + strconv.Itoa(c.next)))
		c.mu.Unlock()
		raw, key = replaced(raw, mine, "id"), wire.IDKey(mine)
		if token != nil {
			raw, theirs = replaced(raw, mine, "params", "_meta", "progressToken"), mine
		}
	}
	w := c.join(key, m)
	w.id, w.token = m.ID, token
	if token != nil {
		c.mu.Lock()
		c.token[wire.IDKey(theirs)] = w
		c.mu.Unlock()
	}
	if err := c.link.send(req.Context(), raw); err != nil {
		w.leave()
		return nil, err
	}
	first, err := w.take(req.Context())
	if err != nil {
		w.leave()
		return nil, err
	}
	if got, err := wire.Parse(first); err == nil && got.Response() && m.Method != wire.MethodCall {
		w.leave()
		resp := answer(status(req, got), "application/json", string(first))
		if fresh != "" && got.Fail == nil {
			resp.Header.Set(headerSession, fresh)
		}
		return resp, nil
	}
	resp := w.stream(req.Context(), first)
	if fresh != "" {
		resp.Header.Set(headerSession, fresh)
	}
	return resp, nil
}

// status is what HTTP says of a response in the newer era.
func status(req *http.Request, m *wire.Message) int {
	var f struct {
		Code int `json:"code"`
	}
	if req.Header.Get(headerVersion) < stateless || m.Fail == nil || json.Unmarshal(m.Fail, &f) != nil {
		return http.StatusOK
	}
	switch f.Code {
	case -32601:
		return http.StatusNotFound
	case wire.CodeInvalidParams, -32021, -32022:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// take returns the next message for a waiter.
func (w *waiter) take(ctx context.Context) ([]byte, error) {
	select {
	case raw := <-w.said:
		return raw, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-w.c.over:
	case <-w.done:
	}
	select {
	case raw := <-w.said: // came before the end
		return raw, nil
	default:
		return nil, io.EOF
	}
}

// stream answers with events, up to the response.
func (w *waiter) stream(ctx context.Context, first ...[]byte) *http.Response {
	r, to := io.Pipe()
	go func() {
		defer w.leave()
		for {
			var raw []byte
			var err error
			if len(first) > 0 {
				raw, first = first[0], nil
			} else if raw, err = w.take(ctx); err != nil {
				_ = to.CloseWithError(err)
				return
			}
			if _, err := to.Write(wire.AsEvent(raw)); err != nil {
				return
			}
			if m, err := wire.Parse(raw); err == nil && m.Response() {
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
