package api

import (
	_ "embed" // openapi.json
	"net/http"
	"time"
)

// document describes the API as OpenAPI 3.1. A test makes it from the operations.
//
//go:embed openapi.json
var document []byte

// operation is one kind of request. The server's routes and the document come from the same
// table, so neither has one that the other lacks.
type operation struct {
	pattern string // method and path
	doc     string // what it does, in a line
	in, out any    // of the types of the body and the answer; nil where there is none
	handler http.HandlerFunc
}

// does makes an operation whose body and answer are JSON.
func does[In, Out any](s *Server, pattern, doc string, f method[In, Out]) operation {
	return operation{pattern, doc, *new(In), *new(Out), endpoint(s, f)}
}

// operations are all that the server does.
func (s *Server) operations() []operation {
	return []operation{
		does(s, "POST /v1/judge", "Decide on a call, wait for people if asked to, and open the intent of what is allowed.",
			s.judge),
		does(s, "POST /v1/decide", "Decide on a call and record it. Nothing may be run on the answer alone.", s.decide),
		does(s, "POST /v1/begin", "Open the intent of a decision, after people have approved it where it asks.", s.begin),
		does(s, "POST /v1/finish", "Say how a call ended. Its result is what the model reads.", s.finish),
		{"GET /v1/capabilities", "The capabilities that may be started; with hold, when they are others than since.",
			nil, Capabilities{}, listing(s, s.another, s.listed)},
		does(s, "POST /v1/call", "Decide on a call of a capability, wait for people if asked to, and run it here.", s.call),
		does(s, "POST /v1/words", "Report what a person said to the model.", s.words),
		does(s, "POST /v1/read", "Report a text that the model read besides messages and results.", s.read),
		does(s, "POST /v1/submit", "Have the daemon's own model answer.", s.submit),
		does(s, "POST /v1/end", "Say that a session or a turn is over. Calls that are open end as unknown.", s.end),
		{"GET /v1/cards", "The cards of the caller's own sessions that wait for people.", nil, []Card{},
			listing(s, nil, s.cards)},
		{"GET /v1/cards/{token}", "One card of the caller's own sessions; with hold, when people have answered it.",
			nil, Card{}, s.card},
		does(s, "POST /v1/withdraw", "Take back a card of the caller's own session.", s.withdraw),
		{"GET /v1/events", "What becomes durable from now on in the caller's own sessions and in none, as server-sent " +
			"events; each one's id is its record's number.", nil, Event{}, s.events},
		does(s, "GET /v1/status", "How the daemon stands.", s.status),
		{"GET /v1/openapi.json", "This document.", nil, nil, s.openapi},
	}
}

// handler routes requests. An answer that another handler writes has its time too: that of the request before is over.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for _, o := range s.operations() {
		mux.HandleFunc(o.pattern, o.handler)
	}
	if s.opt.Metrics != nil {
		mux.HandleFunc("GET /metrics", s.metrics)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.bounds.limits.leave))
		mux.ServeHTTP(w, r)
	})
}

func (s *Server) openapi(w http.ResponseWriter, r *http.Request) {
	if err := s.allowed(r, connOf(r).from); err != nil {
		s.fail(w, r, wrong(http.StatusForbidden, "%w", err))
		return
	}
	s.send(w, r, http.StatusOK, "application/json", document)
}
