package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// step is one turn of the scripted model: it calls a tool.
type step struct {
	tool string
	args map[string]any
}

// model is a scripted model that speaks one provider's API. It goes through its steps, one for
// each result that it has been shown, and then says that it is done.
type model struct {
	steps []step
	// spoil is done when the model is first asked: the prompt has passed by then.
	spoil func() error
	pause time.Duration // before the second step

	mu      sync.Mutex
	results []string // what the host told the model of each step
	spoiled error
	asked   int // requests in the course of the conversation
	listen  net.Listener
	server  http.Server
}

// serve starts a model on loopback that speaks by handler.
func serve(steps []step, handler func(*model) http.Handler) (*model, error) {
	m := &model{steps: steps}
	var err error
	if m.listen, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	m.server.Handler = handler(m)
	go func() { _ = m.server.Serve(m.listen) }()
	return m, nil
}

func (m *model) url() string { return "http://" + m.listen.Addr().String() }

func (m *model) close() { _ = m.server.Close() }

// next hears the results so far, and returns the step to take; nil at the end.
func (m *model) next(results []string) *step {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked++; m.asked == 1 && m.spoil != nil {
		m.spoiled = m.spoil()
	}
	if len(results) > len(m.results) {
		m.results = results
	}
	if len(results) == 1 {
		time.Sleep(m.pause)
	}
	if len(results) < len(m.steps) {
		return &m.steps[len(results)]
	}
	return nil
}

// told is what the host said of a step, "" if it has not come to that.
func (m *model) told(i int) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i < len(m.results) {
		return m.results[i]
	}
	return ""
}

// body reads a request.
func body(r *http.Request, into any) error {
	raw, err := io.ReadAll(io.LimitReader(r.Body, 32<<20))
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// stream writes server-sent events.
type stream struct{ w http.ResponseWriter }

func streaming(w http.ResponseWriter) stream {
	w.Header().Set("Content-Type", "text/event-stream")
	return stream{w}
}

func (s stream) send(event string, data any) {
	raw, _ := json.Marshal(data)
	if event != "" {
		_, _ = fmt.Fprintf(s.w, "event: %s\n", event)
	}
	_, _ = fmt.Fprintf(s.w, "data: %s\n\n", raw)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

// flat is every text in a JSON value, in order.
func flat(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	var b strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(v)
	return b.String()
}

type object = map[string]any
