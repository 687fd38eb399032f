package llmtest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
)

// API is one of the three APIs, by the name that adapters/llm has for it.
type API string

// The APIs.
const (
	Chat      API = "openai"
	Responses API = "openai-responses"
	Messages  API = "anthropic"
)

// APIs are all of them.
func APIs() []API { return []API{Chat, Responses, Messages} }

// Call is a tool call. Its Arguments are sent as they stand, be they JSON or not.
type Call struct{ ID, Name, Arguments string }

// Answer is what the server says to one request. The zero Answer says nothing.
type Answer struct {
	Text  string
	Calls []Call
	// Cut says that the answer ended at its length limit.
	Cut bool
	// Status other than 0 and 200 is an error, and After its Retry-After, if not "".
	Status int
	After  string
	// Dies breaks the connection after that many bytes of the body; 0 does not.
	Dies int
	// Fails ends a stream with an error event before the answer is whole.
	Fails bool
}

// Server answers requests in the order of its script. After the last answer it says the
// last one again. Set its fields before the first request.
type Server struct {
	URL string // for the url of a provider
	// Piece is how many characters of a text or of arguments go into one event of a
	// stream; 0 means 8. Cut, if not 0, is where the first piece of arguments ends, and the
	// second piece is the rest.
	Piece, Cut int
	// Write is how many bytes the server writes at a time; 0 writes all at once.
	Write int

	api    API
	http   *httptest.Server
	mu     sync.Mutex
	script []Answer
	answer func(n int, request map[string]any) Answer
	asked  []map[string]any
}

// Serve starts a server for one API.
func Serve(api API, script ...Answer) *Server {
	s := &Server{api: api, script: script}
	s.http = httptest.NewServer(s)
	s.URL = s.http.URL + "/v1"
	return s
}

// Play has a function answer from now on, in place of the script. n counts the requests
// from 0.
func (s *Server) Play(answer func(n int, request map[string]any) Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// Close ends the server.
func (s *Server) Close() { s.http.Close() }

// Asked returns the requests so far.
func (s *Server) Asked() []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]map[string]any{}, s.asked...)
}

// path is the endpoint.
func (a API) path() string {
	return map[API]string{Chat: "/v1/chat/completions", Responses: "/v1/responses", Messages: "/v1/messages"}[a]
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request map[string]any
	data, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(data, &request)
	}
	if err != nil || r.Method != http.MethodPost || r.URL.Path != s.api.path() {
		http.Error(w, "expected a POST of JSON to "+s.api.path(), http.StatusNotFound)
		return
	}
	a := s.next(request)
	w.Header().Set("Content-Type", "application/json")
	if a.Status != 0 && a.Status != http.StatusOK {
		if a.After != "" {
			w.Header().Set("Retry-After", a.After)
		}
		w.WriteHeader(a.Status)
		_, _ = io.WriteString(w, s.api.refusal(a.Status)) // a client that is gone hears nothing
		return
	}
	body := s.api.whole(a)
	if request["stream"] == true {
		w.Header().Set("Content-Type", "text/event-stream")
		body = s.events(a)
	}
	s.write(w, body, a.Dies)
}

func (s *Server) next(request map[string]any) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.asked)
	s.asked = append(s.asked, request)
	switch {
	case s.answer != nil:
		return s.answer(n, request)
	case len(s.script) == 0:
		return Answer{}
	}
	return s.script[min(n, len(s.script)-1)]
}

// write sends a body in pieces, and breaks the connection after some bytes of it.
func (s *Server) write(w http.ResponseWriter, body string, dies int) {
	if dies > 0 {
		body = body[:min(dies, len(body))]
	}
	size := s.Write
	if size == 0 {
		size = len(body)
	}
	for len(body) > 0 {
		n := min(size, len(body))
		if _, err := io.WriteString(w, body[:n]); err != nil {
			return
		}
		body = body[n:]
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	}
	if dies > 0 {
		panic(http.ErrAbortHandler)
	}
}

// pieces cuts a text.
func (s *Server) pieces(text string) (out []string) {
	size := s.Piece
	if size == 0 {
		size = 8
	}
	for r := []rune(text); len(r) > 0; {
		n := min(size, len(r))
		out, r = append(out, string(r[:n])), r[n:]
	}
	return out
}

// arguments cuts the arguments of a call.
func (s *Server) arguments(text string) []string {
	if r := []rune(text); s.Cut > 0 && s.Cut < len(r) {
		return []string{string(r[:s.Cut]), string(r[s.Cut:])}
	}
	return s.pieces(text)
}

// events is an answer as a stream.
func (s *Server) events(a Answer) string {
	var b strings.Builder
	for _, e := range s.api.stream(s, a) {
		if kind, ok := e["type"].(string); ok {
			b.WriteString("event: " + kind + "\n")
		}
		b.WriteString("data: " + text(e) + "\n\n")
	}
	if s.api == Chat && !a.Fails {
		b.WriteString("data: [DONE]\n\n")
	}
	return b.String()
}

type object = map[string]any

// text is a value as JSON.
func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic("llmtest: " + err.Error()) // it is made of texts and numbers
	}
	return string(data)
}

// refusal is the body of an error.
func (a API) refusal(status int) string {
	message := "refused with status " + strconv.Itoa(status)
	if a == Messages {
		return text(object{"type": "error", "error": object{"type": "api_error", "message": message}})
	}
	return text(object{"error": object{"message": message, "type": "server_error", "param": nil, "code": nil}})
}
