package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/opencortex-go/cortex/cortex"
)

// events streams what becomes durable, as server-sent events (HTML standard, section 9.2).
// The id of each is its record's number; Last-Event-ID goes on behind it.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	from := r.Context().Value(callerKey{}).(caller)
	if err := s.allowed(r, from); err != nil {
		answer(w, http.StatusForbidden, Failure{err.Error()})
		return
	}
	j := s.opt.Engine.Journal()
	next := j.Last() + 1
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		n, err := strconv.ParseUint(last, 10, 63)
		if err != nil {
			answer(w, http.StatusBadRequest,
				Failure{fmt.Sprintf("Last-Event-ID is %.40q, expected the number of a record", last)})
			return
		}
		next = n + 1
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w)
	_ = flush.Flush()
	stopped, stop := context.WithCancel(r.Context())
	defer stop()
	defer context.AfterFunc(s.ctx, stop)()
	for rec, err := range j.Subscribe(stopped, next) {
		if err != nil {
			return // the caller comes again, and goes on where it was
		}
		if rec.Session != "" && !s.talks.mine(rec.Session, from) {
			continue
		}
		line, err := json.Marshal(eventOf(rec))
		if err != nil {
			return
		}
		if _, err := fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", rec.Seq, rec.Kind, line); err != nil {
			return
		}
		if flush.Flush() != nil {
			return
		}
	}
}

func eventOf(rec cortex.Record) Event {
	return Event{Record: rec.Seq, Kind: rec.Kind, Session: rec.Session,
		At: time.Unix(0, rec.At).UTC().Format(time.RFC3339Nano)}
}
