package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/merging"
	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// remoteLink makes a link of a server over streamable HTTP, for clients on standard input
// and output: each message is a request, and what comes back on all of them is one stream.
type remoteLink struct {
	p    *Proxy
	r    *Remote
	ctx  context.Context
	stop context.CancelFunc
	said chan *wire.Message
	work sync.WaitGroup

	mu      sync.Mutex
	session string
	version string                        // that was agreed on, or that the client names
	open    map[string]context.CancelFunc // the requests that have no answer, by id
}

func (r *Remote) dial(_ context.Context, p *Proxy) (merging.Link, error) {
	ctx, stop := context.WithCancel(context.Background())
	return &remoteLink{p: p, r: r, ctx: ctx, stop: stop, said: make(chan *wire.Message),
		open: map[string]context.CancelFunc{}}, nil
}

func (l *remoteLink) Receive() (*wire.Message, error) {
	select {
	case m := <-l.said:
		return m, nil
	case <-l.ctx.Done():
		return nil, io.EOF
	}
}

// hand hands a message of the server to who receives.
func (l *remoteLink) hand(m *wire.Message) {
	select {
	case l.said <- m:
	case <-l.ctx.Done():
	}
}

// send sends one message. A request goes out while the next message is taken; another
// message has arrived when send returns.
func (l *remoteLink) Send(_ context.Context, m *wire.Message) error {
	if l.cancelled(m) {
		return nil
	}
	req, err := l.request(l.ctx, http.MethodPost, m)
	if err != nil {
		return err
	}
	if !m.Call() {
		resp, err := l.r.RoundTrip(req)
		if err != nil {
			l.p.Logger.Error("a message did not reach the server", "method", m.Method, "error", err)
			return nil
		}
		if m.Method == "notifications/initialized" && resp.StatusCode < 300 {
			l.work.Go(l.listen)
		}
		return resp.Body.Close()
	}
	ctx, stop := context.WithCancel(l.ctx)
	l.mu.Lock()
	l.open[m.Key()] = stop
	l.mu.Unlock()
	l.work.Go(func() {
		defer stop()
		err := l.ask(req.WithContext(ctx), m)
		l.mu.Lock()
		delete(l.open, m.Key())
		l.mu.Unlock()
		if err != nil && ctx.Err() == nil {
			l.p.Logger.Error("a request was not answered", "method", m.Method, "error", err)
			l.hand(wire.Failure(m.ID, wire.CodeInternal, "the server behind the proxy did not answer"))
		}
	})
	return nil
}

// cancelled ends a request of the era in which a client takes one back by hanging up.
func (l *remoteLink) cancelled(m *wire.Message) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m.Method != wire.NoteCancelled || l.version < wire.Stateless {
		return false
	}
	if stop := l.open[wire.IDKey(m.In().Get("requestId"))]; stop != nil {
		stop()
	}
	return true
}

// request returns a request with the headers that the protocol wants; m is nil for one
// without a message.
func (l *remoteLink) request(ctx context.Context, method string, m *wire.Message) (*http.Request, error) {
	var body io.Reader
	if m != nil {
		body = bytes.NewReader(m.Bytes())
	}
	req, err := http.NewRequestWithContext(ctx, method, l.r.url.String(), body)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if m != nil {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if m.Method == wire.MethodInitialize {
			l.version = "" // it is agreed on anew
		}
		if _, era := wire.Meta(m.In()); era != "" {
			l.version = era
		}
	}
	if l.version != "" {
		req.Header.Set(wire.HeaderVersion, l.version)
	}
	if l.session != "" {
		req.Header.Set(wire.HeaderSession, l.session)
	}
	if m != nil && l.version >= wire.Stateless && !m.Response() {
		err = l.p.setHeaders(req.Header, m)
	}
	return req, err
}

// ask sends a request and hands on what comes back, up to the response.
func (l *remoteLink) ask(req *http.Request, m *wire.Message) error {
	resp, err := l.r.RoundTrip(req)
	if err != nil {
		return err
	}
	if m.Method == wire.MethodInitialize {
		l.mu.Lock()
		l.session = resp.Header.Get(wire.HeaderSession)
		l.mu.Unlock()
	}
	var last wire.Event
	for {
		answered, err := l.take(resp, m, &last)
		if answered || err != nil {
			return err
		}
		// The server hung up before it answered: the rest is on another stream.
		if last.ID == "" {
			return errors.New("the server hung up")
		}
		if resp, err = l.resume(req.Context(), last); err != nil {
			return err
		}
	}
}

// resume opens a stream again where it broke off.
func (l *remoteLink) resume(ctx context.Context, last wire.Event) (*http.Response, error) {
	select {
	case <-time.After(max(last.Wait, 100*time.Millisecond)):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	req, err := l.request(ctx, http.MethodGet, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	if last.ID != "" {
		req.Header.Set(headerLast, last.ID)
	}
	return l.r.RoundTrip(req)
}

// take hands on the messages of one answer, and reports whether the response to m was one.
func (l *remoteLink) take(resp *http.Response, m *wire.Message, last *wire.Event) (answered bool, err error) {
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind != "text/event-stream" {
		body, err := io.ReadAll(io.LimitReader(resp.Body, wire.MaxMessage))
		if err != nil {
			return false, err
		}
		answer, err := wire.Parse(body)
		if err != nil || m == nil {
			return false, fmt.Errorf("the server answered with %s", resp.Status)
		}
		if !answers(answer, m) && (answer.ID != nil || answer.Fail == nil) {
			return false, errors.New("the server answered with a message that is not for the request")
		}
		if answer.ID == nil { // an error of HTTP, told as one of JSON-RPC
			answer = wire.Own(struct {
				Version string          `json:"jsonrpc"`
				ID      json.RawMessage `json:"id"`
				Fail    json.RawMessage `json:"error"`
			}{"2.0", m.ID, answer.Fail})
		}
		l.learn(m, answer)
		l.hand(answer)
		return true, nil
	}
	for in := wire.NewEvents(resp.Body); ; {
		ev, err := in.Next()
		if err != nil {
			return false, nil //nolint:nilerr // a stream may break off; it is opened again
		}
		if ev.ID != "" {
			last.ID = ev.ID
		}
		last.Wait = max(last.Wait, ev.Wait)
		if !ev.Message() {
			continue
		}
		got, err := wire.Parse(ev.Data)
		all := []*wire.Message{got}
		if err != nil {
			var back *wire.Message
			if all, back = l.p.refused(ev.Data, err); back != nil {
				l.work.Go(func() { _ = l.Send(l.ctx, back) })
			}
		}
		for _, got := range all {
			l.learn(m, got)
			l.hand(got)
			answered = answered || m != nil && answers(got, m)
		}
		if answered {
			return true, nil
		}
	}
}

// answers reports whether a message is a response that is taken for the one to a request.
func answers(got, m *wire.Message) bool {
	if !got.Response() || got.ID == nil {
		return false
	}
	_, ok := wire.Match(map[string]bool{m.Key(): true}, got.ID)
	return ok
}

// learn keeps the protocol version that client and server agreed on.
func (l *remoteLink) learn(m, answer *wire.Message) {
	if m == nil || m.Method != wire.MethodInitialize || answer.Result == nil || !answers(answer, m) {
		return
	}
	if all, err := wire.Members(answer.Result); err == nil {
		l.mu.Lock()
		l.version = all.Text("protocolVersion")
		l.mu.Unlock()
	}
}

// listen hands on what the server says by itself, as long as it offers that.
func (l *remoteLink) listen() {
	var last wire.Event
	for l.ctx.Err() == nil {
		resp, err := l.resume(l.ctx, last)
		if err != nil {
			return
		}
		if resp.StatusCode != http.StatusOK {
			_ = resp.Body.Close()
			return
		}
		if _, err := l.take(resp, nil, &last); err != nil {
			return
		}
	}
}

// close ends the session.
func (l *remoteLink) Close() error {
	l.mu.Lock()
	session := l.session
	l.mu.Unlock()
	if session != "" {
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		if req, err := l.request(ctx, http.MethodDelete, nil); err == nil {
			if resp, err := l.r.RoundTrip(req); err == nil {
				_ = resp.Body.Close()
			}
		}
	}
	l.stop()
	l.work.Wait()
	return l.r.Close()
}
