package mcp

import (
	"bytes"
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// HTTPOptions configure how clients reach a proxy over streamable HTTP.
type HTTPOptions struct {
	// Hosts may stand in the Host header besides those of this machine itself, and web
	// pages on them may call. A page elsewhere that makes a browser call a server on this
	// machine (DNS rebinding) is refused.
	Hosts []string
	// Token, if set, is what clients have to send as their bearer token.
	Token string
}

// Handler serves clients over streamable HTTP. Close ends what it started.
type Handler struct {
	p    *Proxy
	opt  HTTPOptions
	to   upstream
	all  *sessions
	path string
}

// upstream is what a request over HTTP goes on to.
type upstream interface {
	http.RoundTripper
	io.Closer
}

// HTTP returns a handler for what stands behind the proxy.
func (p *Proxy) HTTP(behind Backend, opt HTTPOptions) (*Handler, error) {
	p.stands(behind)
	h := &Handler{p: p, opt: opt, all: newSessions(p), path: "/mcp"}
	if r, ok := behind.(*Remote); ok { // HTTP on both sides passes as HTTP
		h.to, h.path = r, r.path()
		return h, nil
	}
	h.to = newShim(p, behind)
	return h, nil
}

// Path is where the handler serves, such as "/mcp".
func (h *Handler) Path() string { return h.path }

// Close ends the sessions and what stands behind.
func (h *Handler) Close() error {
	h.all.close()
	return h.to.Close()
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !h.known(r):
		http.Error(w, "Forbidden: this host or origin may not call", http.StatusForbidden)
	case h.opt.Token != "" && !h.authorized(r):
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "Unauthorized: expected the bearer token of this proxy", http.StatusUnauthorized)
	case r.URL.Path != h.path && r.URL.Path != strings.TrimSuffix(h.path, "/"):
		http.Error(w, "Not Found: this proxy serves "+h.path, http.StatusNotFound)
	case r.Method == http.MethodPost:
		h.post(w, r)
	case r.Method == http.MethodGet, r.Method == http.MethodDelete:
		h.pass(w, r)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
	}
}

// known reports whether the names under which a request came are ours.
func (h *Handler) known(r *http.Request) bool {
	if !h.ours(r.Host) {
		return false
	}
	for _, o := range r.Header.Values("Origin") {
		u, err := url.Parse(o)
		if err != nil || u.Host == "" || !h.ours(u.Host) {
			return false
		}
	}
	return true
}

func (h *Handler) ours(hostport string) bool {
	host := hostport
	if name, _, err := net.SplitHostPort(hostport); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback() || slices.Contains(h.opt.Hosts, host) ||
		slices.Contains(h.opt.Hosts, hostport)
}

func (h *Handler) authorized(r *http.Request) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && subtle.ConstantTimeCompare([]byte(token), []byte(h.opt.Token)) == 1
}

// passed are the headers that go on. What else a client sends is for this proxy: its token
// and its cookies never go on, since they were not issued for the server behind.
var passed = []string{"Accept", "Content-Type", "User-Agent", "Traceparent", "Tracestate", "Baggage", headerLast}

// onward is the request that goes on.
func onward(ctx context.Context, r *http.Request, body []byte) *http.Request {
	out := &http.Request{Method: r.Method, URL: &url.URL{}, Header: http.Header{}, ContentLength: int64(len(body))}
	for name, values := range r.Header {
		if slices.Contains(passed, name) || strings.HasPrefix(name, "Mcp-") {
			out.Header[name] = values
		}
	}
	if body != nil {
		out.Body = io.NopCloser(bytes.NewReader(body))
	}
	return out.WithContext(ctx)
}

// post takes one message of a client.
func (h *Handler) post(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, wire.MaxMessage))
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		http.Error(w, "Request Entity Too Large", http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		return // the client is gone
	}
	m, err := wire.Parse(body)
	if err == nil {
		err = h.p.checkHeaders(r.Header, m)
	}
	out := &reply{w: w}
	var f *wire.Fault
	if errors.As(err, &f) {
		out.json(http.StatusBadRequest, f.Answer())
		return
	}
	x, over := h.all.exchange(r.Header.Get(headerSession))
	defer over()
	if err := h.exchange(r, m, x, out); err != nil {
		h.p.Logger.Error("a request was not passed on", "method", m.Method, "error", err)
		out.error(m.ID, "the server behind the proxy cannot be reached")
	}
}

// exchange judges a message, sends it on and passes back what comes of it.
func (h *Handler) exchange(r *http.Request, m *wire.Message, x *exchange, out *reply) error {
	next, later := x.fromClient(r.Context(), m, out.notify)
	if later != nil {
		next = later()
	}
	switch {
	case next.answer != nil:
		return out.answer(next.answer)
	case next.forward == nil:
		out.w.WriteHeader(http.StatusAccepted)
		return nil
	}
	on := onward(r.Context(), r, next.forward)
	if next.args != nil && on.Header.Get(headerVersion) >= stateless {
		if err := h.p.setHeaders(on.Header, m, next.args); err != nil {
			return err
		}
	}
	resp, err := h.to.RoundTrip(on)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if id := resp.Header.Get(headerSession); m.Method == wire.MethodInitialize && id != "" {
		x = h.all.begin(id)
		x.enter(m, &asked{method: m.Method})
	}
	return h.telling(r.Context(), x, resp, out, subscribes(m))
}

// telling passes an answer to the client, and meanwhile the note that its list of tools is old, when it is.
func (h *Handler) telling(ctx context.Context, x *exchange, resp *http.Response, out *reply, note []byte) error {
	ctx, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer stop()
	if note != nil {
		watching.Go(func() { h.p.watch(ctx, func() error { return out.notify(note) }) })
	}
	return h.back(x, resp, out)
}

// pass takes a request without a message: for the server's own stream, or to end a session.
func (h *Handler) pass(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(headerSession)
	x, over := h.all.exchange(id)
	defer over()
	out := &reply{w: w}
	resp, err := h.to.RoundTrip(onward(r.Context(), r, nil))
	if err != nil {
		h.p.Logger.Error("a request was not passed on", "method", r.Method, "error", err)
		out.error(nil, "the server behind the proxy cannot be reached")
		return
	}
	defer func() { _ = resp.Body.Close() }()
	var note []byte
	if r.Method == http.MethodGet && resp.StatusCode < 300 { // the server's own stream
		note = noteList(nil)
	}
	if err := h.telling(r.Context(), x, resp, out, note); err != nil {
		h.p.Logger.Debug("a stream ended", "error", err)
	}
	if r.Method == http.MethodDelete && resp.StatusCode < 300 {
		h.all.end(id)
	}
}

// back passes an answer to the client, each message after the judge has it.
func (h *Handler) back(x *exchange, resp *http.Response, out *reply) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "text/event-stream" {
		if err := out.stream(resp); err != nil {
			return err
		}
		return h.backStream(x, wire.NewEvents(resp.Body), out)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, wire.MaxMessage+1))
	if err != nil {
		return err
	}
	if len(body) > wire.MaxMessage {
		return errors.New("the server's answer is too long")
	}
	if len(body) > 0 && (kind == "application/json" || resp.StatusCode < 300) {
		m, err := wire.Parse(body)
		if err == nil {
			if body = x.fromServer(m); body == nil {
				return errors.New("the server answered another call, which it was not sent")
			}
		} else if resp.StatusCode < 300 {
			return err
		}
	}
	return out.whole(resp, body)
}

// idLine is the line of an event that says its id.
func idLine(id string) []byte {
	if id == "" {
		return nil
	}
	return []byte("id: " + id + "\n")
}

// backStream passes the events of a stream.
func (h *Handler) backStream(x *exchange, in *wire.Events, out *reply) error {
	for {
		ev, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if len(ev.Data) > 0 {
			m, err := wire.Parse(ev.Data)
			if err != nil {
				h.p.Logger.Warn("the server said something that is not one JSON-RPC message; it was dropped", "error", err)
				continue
			}
			raw := x.fromServer(m)
			if raw == nil {
				continue
			}
			if !bytes.Equal(raw, m.Raw) {
				ev.Raw = append(idLine(ev.ID), wire.AsEvent(raw)...)
			}
		}
		if err := out.write(ev.Raw); err != nil {
			return err
		}
	}
}
