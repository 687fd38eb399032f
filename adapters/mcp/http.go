package mcp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/bounds"
	"github.com/opencortex-go/cortex/adapters/mcp/internal/merging"
	"github.com/opencortex-go/cortex/adapters/mcp/internal/overhttp"
	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// HTTPOptions configure how clients reach a proxy over streamable HTTP.
type HTTPOptions struct {
	// Hosts may stand in the Host header besides those of this machine itself, and web
	// pages on them may call. A page elsewhere that makes a browser call a server on this
	// machine (DNS rebinding) is refused.
	Hosts []string
	// Token is what clients have to send as their bearer token. Without one every program that reaches the address
	// may call, so the program that serves the handler has to know its clients by other means.
	Token string
	// Sessions bounds how many sessions may be open before a [Command] or a [Merge], each with processes of its
	// own. Half of them may be of one address. 0 means 64.
	Sessions int
	// Idle is how long a session may rest, without a request or a stream, before it ends. 0 means ten minutes.
	Idle time.Duration
	// Arrival is how long a request's body may take to arrive. 0 means 30 seconds.
	Arrival time.Duration
}

// Handler serves clients over streamable HTTP. Close ends what it started.
type Handler struct {
	p    *Proxy
	opt  HTTPOptions
	to   upstream
	all  *sessions
	path string

	bodies, calls *bounds.Room
}

// upstream is what a request over HTTP goes on to.
type upstream interface {
	http.RoundTripper
	io.Closer
}

// HTTP returns a handler for what stands behind the proxy.
func (p *Proxy) HTTP(behind Backend, opt HTTPOptions) (*Handler, error) {
	p.stands(behind)
	opt.Sessions, opt.Idle = cmp.Or(opt.Sessions, 64), cmp.Or(opt.Idle, 10*time.Minute)
	opt.Arrival = cmp.Or(opt.Arrival, 30*time.Second)
	h := &Handler{p: p, opt: opt, path: "/mcp", bodies: bounds.NewRoom(allBodies, eachBodies),
		calls: bounds.NewRoom(allCalls, eachCalls)}
	if r, ok := behind.(*Remote); ok { // HTTP on both sides passes as HTTP
		h.to, h.path = r, r.path()
		h.all = newSessions(p, opt, allRemote, nil)
		return h, nil
	}
	s := overhttp.New(func(ctx context.Context) (merging.Link, error) { return behind.dial(ctx, p) }, p.Logger)
	h.to, h.all = s, newSessions(p, opt, opt.Sessions, s.End)
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
	w = bounds.Writer{ResponseWriter: w}
	h.arrives(w, r)
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
	case r.ContentLength != 0 && (r.Method == http.MethodGet || r.Method == http.MethodDelete):
		refuse(w, http.StatusBadRequest, errors.New("found a body; expected none with "+r.Method))
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
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare([]byte(token), []byte(h.opt.Token)) == 1
}

// passed are the headers that go on. What else a client sends is for this proxy: its token
// and its cookies never go on, since they were not issued for the server behind.
var passed = []string{"Accept", "Content-Type", "User-Agent", "Traceparent", "Tracestate", "Baggage", headerLast}

// onward is the request that goes on.
func onward(ctx context.Context, r *http.Request, m *wire.Message) *http.Request {
	out := &http.Request{Method: r.Method, URL: &url.URL{}, Header: http.Header{}}
	for name, values := range r.Header {
		if slices.Contains(passed, name) || strings.HasPrefix(name, "Mcp-") {
			out.Header[name] = values
		}
	}
	if m != nil {
		out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(m.Bytes())), int64(len(m.Bytes()))
	}
	return out.WithContext(ctx)
}

// post takes one message of a client.
func (h *Handler) post(w http.ResponseWriter, r *http.Request) {
	body, done, err := h.body(w, r, h.caller(r))
	defer done()
	switch {
	case errors.Is(err, errBodyLong):
		refuse(w, http.StatusRequestEntityTooLarge, err)
		return
	case errors.Is(err, errBodySlow):
		refuse(w, http.StatusRequestTimeout, err)
		return
	case errors.Is(err, errBodies):
		busy(w, err)
		return
	case err != nil:
		return // the client is gone
	}
	m, err := wire.Parse(body)
	if err == nil {
		err = h.p.checkHeaders(r.Header, m)
	}
	out := &reply{w: w}
	var f *wire.Fault
	if errors.As(err, &f) {
		status := http.StatusBadRequest
		if f.Args {
			status = http.StatusOK
		}
		out.json(status, faulty(f))
		return
	}
	x, over := h.enter(w, r)
	if x == nil {
		return
	}
	last, err := h.exchange(r, m, x, out)
	over(last)
	if err != nil {
		h.p.Logger.Error("a request was not passed on", "method", m.Method, "error", err)
		out.error(m.ID, "the server behind the proxy cannot be reached")
	}
}

// caller is the session of a request, if it is held, or else the address that it comes from.
func (h *Handler) caller(r *http.Request) string {
	if id := r.Header.Get(wire.HeaderSession); h.all.knows(id) {
		return "session " + id
	}
	return addressOf(r)
}

// enter takes room for a request that has arrived, and returns the exchange of its session. Where there is none the
// request is answered, and x is nil.
func (h *Handler) enter(w http.ResponseWriter, r *http.Request) (x *exchange, over func(last string)) {
	id, who := r.Header.Get(wire.HeaderSession), h.caller(r)
	if _, ours := h.to.(*overhttp.Links); ours && id != "" && !h.all.knows(id) {
		http.Error(w, "Not Found: there is no such session", http.StatusNotFound)
		return nil, nil
	}
	if !h.calls.Take(who, 1) {
		busy(w, errCalls)
		return nil, nil
	}
	x, rest, err := h.all.exchange(id, addressOf(r))
	if err != nil {
		h.calls.Give(who, 1)
		busy(w, err)
		return nil, nil
	}
	return x, func(last string) { rest(last); h.calls.Give(who, 1) }
}

// heard notes what the server's answer says of the session of a request.
func (h *Handler) heard(id string, resp *http.Response) {
	switch {
	case id == "":
	case resp.StatusCode < 300:
		h.all.sure(id)
	case resp.StatusCode == http.StatusNotFound:
		h.all.drop(id)
	}
}

// exchange judges a message, sends it on and passes back what comes of it.
// It returns the last event that the client got.
func (h *Handler) exchange(r *http.Request, m *wire.Message, x *exchange, out *reply) (last string, err error) {
	next, later := x.fromClient(r.Context(), m, out.notify)
	if later != nil {
		next = later()
	}
	switch {
	case next.answer != nil:
		return "", out.answer(next.answer)
	case next.stray:
		out.json(http.StatusBadRequest, wire.Failure(nil, wire.CodeInvalidRequest,
			"the server has asked nothing with the id "+string(m.ID)))
		return "", nil
	case next.forward == nil:
		out.w.WriteHeader(http.StatusAccepted)
		return "", nil
	}
	on := onward(r.Context(), r, next.forward)
	if on.Header.Get(wire.HeaderVersion) >= wire.Stateless && !m.Response() {
		if err := h.p.setHeaders(on.Header, next.forward); err != nil {
			return "", err
		}
	}
	begins, began := m.Method == wire.MethodInitialize, false
	if begins {
		if err := h.all.admit(addressOf(r)); err != nil {
			busy(out.w, err)
			return "", nil
		}
		defer func() {
			if !began {
				h.all.refused(addressOf(r))
			}
		}()
	}
	resp, err := h.to.RoundTrip(on)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	if id := resp.Header.Get(wire.HeaderSession); begins && id != "" {
		began, x = true, h.all.begin(id, addressOf(r))
		x.enter(m, &asked{method: m.Method})
	} else {
		h.heard(r.Header.Get(wire.HeaderSession), resp)
	}
	b := &passing{h: h, r: r, m: m, x: x, resp: resp, out: out}
	err = h.telling(b, subscribes(m))
	return b.last, err
}

// telling passes an answer to the client, and meanwhile the note that its list of tools is old, when it is.
func (h *Handler) telling(b *passing, note *wire.Message) error {
	ctx, stop := context.WithCancel(b.r.Context())
	var watching sync.WaitGroup
	defer watching.Wait()
	defer stop()
	if note != nil {
		watching.Go(func() { h.p.watch(ctx, func() error { return b.out.notify(note) }) })
	}
	return b.back()
}

// pass takes a request without a message: for the server's own stream, or to end a session.
func (h *Handler) pass(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(wire.HeaderSession)
	x, over := h.enter(w, r)
	if x == nil {
		return
	}
	if at := r.Header.Get(headerLast); id == "" && at != "" {
		if was := h.all.broken.resume(at); was != nil {
			over(at)
			x, over = was, func(last string) { h.all.broken.rest(cmp.Or(last, at), was) }
		}
	}
	last := ""
	defer func() { over(last) }()
	out := &reply{w: w}
	resp, err := h.to.RoundTrip(onward(r.Context(), r, nil))
	if err != nil {
		h.p.Logger.Error("a request was not passed on", "method", r.Method, "error", err)
		out.error(nil, "the server behind the proxy cannot be reached")
		return
	}
	defer func() { _ = resp.Body.Close() }()
	h.heard(id, resp)
	var note *wire.Message
	if r.Method == http.MethodGet && resp.StatusCode < 300 { // the server's own stream
		note = noteList(nil)
	}
	b := &passing{h: h, r: r, x: x, resp: resp, out: out}
	if err := h.telling(b, note); err != nil {
		h.p.Logger.Debug("a stream ended", "error", err)
	}
	last = b.last
	if r.Method == http.MethodDelete && resp.StatusCode < 300 {
		h.all.drop(id)
	}
}
