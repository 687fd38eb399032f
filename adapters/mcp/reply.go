package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// reply is the answer to one request over HTTP. It becomes a stream once there is more than
// one thing to say.
type reply struct {
	mu        sync.Mutex
	w         http.ResponseWriter
	begun     bool // the status is sent
	streaming bool // as a stream
}

// returned are the headers that come back from the server. Its challenges and cookies do
// not: the client's credentials are not for it.
var returned = []string{"Cache-Control", "Allow", "Retry-After", "X-Accel-Buffering"}

// notify sends a message of the proxy's own before the answer.
func (r *reply) notify(m *wire.Message) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begin()
	return r.send(wire.AsEvent(m))
}

// begin turns the answer into a stream.
func (r *reply) begin() {
	if r.begun {
		return
	}
	r.begun, r.streaming = true, true
	r.w.Header().Set("Content-Type", "text/event-stream")
	r.w.Header().Set("Cache-Control", "no-cache, no-transform")
	r.w.WriteHeader(http.StatusOK)
}

func (r *reply) send(raw []byte) error {
	if _, err := r.w.Write(raw); err != nil {
		return err
	}
	return http.NewResponseController(r.w).Flush()
}

// answer sends the proxy's own response.
func (r *reply) answer(m *wire.Message) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.streaming {
		return r.send(wire.AsEvent(m))
	}
	r.json(http.StatusOK, m)
	return nil
}

// json sends a whole answer.
func (r *reply) json(status int, m *wire.Message) {
	r.begun = true
	r.w.Header().Set("Content-Type", "application/json")
	r.w.WriteHeader(status)
	_, _ = r.w.Write(m.Bytes())
}

// error says that there is no answer, unless part of one is sent.
func (r *reply) error(id json.RawMessage, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := wire.Failure(id, wire.CodeInternal, text)
	switch {
	case r.streaming:
		_ = r.send(wire.AsEvent(m))
	case !r.begun:
		r.json(http.StatusBadGateway, m)
	}
}

// stream takes over the head of a server's stream.
func (r *reply) stream(resp *http.Response) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begun {
		return nil
	}
	r.head(resp, "text/event-stream")
	r.streaming = true
	return http.NewResponseController(r.w).Flush()
}

// write passes an event on.
func (r *reply) write(raw []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.send(raw)
}

// whole passes an answer on that is no stream.
func (r *reply) whole(resp *http.Response, m *wire.Message) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.streaming {
		return r.send(wire.AsEvent(m))
	}
	r.head(resp, "application/json")
	_, err := r.w.Write(m.Bytes())
	return err
}

// status passes an answer on that has no message, without the text that it has in place of one. A client that hears
// a stream gets instead.
func (r *reply) status(resp *http.Response, instead *wire.Message) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.streaming:
		return r.send(wire.AsEvent(instead))
	case resp.StatusCode < http.StatusMultipleChoices:
		r.head(resp, "")
		return nil
	}
	r.head(resp, "text/plain; charset=utf-8")
	_, err := fmt.Fprintf(r.w, "the server behind the proxy answers %d %s\n", resp.StatusCode,
		http.StatusText(resp.StatusCode))
	return err
}

// head passes the status and the headers on.
func (r *reply) head(resp *http.Response, kind string) {
	r.begun = true
	for name, values := range resp.Header {
		if slices.Contains(returned, name) || strings.HasPrefix(name, "Mcp-") {
			r.w.Header()[name] = values
		}
	}
	if kind != "" {
		r.w.Header().Set("Content-Type", kind)
	}
	r.w.WriteHeader(resp.StatusCode)
}
