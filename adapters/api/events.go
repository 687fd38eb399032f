package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/internal/fair"
)

// events streams what becomes durable, as server-sent events (HTML standard, section 9.2).
// The id of each is its record's number; Last-Event-ID goes on behind it.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	c := connOf(r)
	next, err := s.since(r, c.from)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	done, ok := s.bounds.stream(c)
	if !ok {
		s.fail(w, r, wrong(http.StatusTooManyRequests,
			"too many streams of events are open; close one of yours, or try again later"))
		return
	}
	defer done()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	flow := http.NewResponseController(w)
	_ = flow.Flush()
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	defer context.AfterFunc(s.ctx, stop)()
	for ctx.Err() == nil { // the caller comes again, and goes on where it was
		text, err := s.news(ctx, r, &next)
		if err != nil || flow.SetWriteDeadline(time.Now().Add(s.bounds.limits.leave)) != nil {
			return
		}
		if _, err := w.Write(text); err != nil || flow.Flush() != nil {
			return
		}
	}
}

// since is the record that a stream of events begins with.
func (s *Server) since(r *http.Request, from caller) (uint64, error) {
	if err := s.allowed(r, from); err != nil {
		return 0, wrong(http.StatusForbidden, "%w", err)
	}
	last := r.Header.Get("Last-Event-ID")
	if last == "" {
		return s.opt.Engine.Journal().Last() + 1, nil
	}
	n, err := strconv.ParseUint(last, 10, 63)
	if err != nil {
		return 0, wrong(http.StatusBadRequest, "Last-Event-ID is %.40q, expected the number of a record", last)
	}
	return n + 1, nil
}

// news waits until there are records from next on, and returns as many as a turn allows.
func (s *Server) news(ctx context.Context, r *http.Request, next *uint64) ([]byte, error) {
	j := s.opt.Engine.Journal()
	if *next > j.Last() {
		for _, err := range j.Subscribe(ctx, *next) {
			if err != nil {
				return nil, err
			}
			break
		}
	}
	t, err := connOf(r).account.hears.Enter(ctx, fair.Listing, piece)
	if err != nil {
		return nil, err
	}
	defer t.Leave(0)
	last := j.Last()
	from := connOf(r).from
	var text []byte
	err = j.Records(*next, func(rec cortex.Record) error {
		if rec.Session != "" && !s.talks.mine(rec.Session, from) {
			*next = rec.Seq + 1
			return nil
		}
		line, err := json.Marshal(eventOf(rec))
		if err != nil {
			return err
		}
		if *next = rec.Seq + 1; len(text)+len(line) > t.Room/2 {
			err = errFull
		}
		text = fmt.Appendf(text, "id: %d\nevent: %s\ndata: %s\n\n", rec.Seq, rec.Kind, line)
		return err
	})
	if errors.Is(err, errFull) {
		return text, nil
	}
	*next = max(*next, last+1) // also where retention has removed what was there
	return text, err
}

// errFull ends the reading of records when there is enough to send.
var errFull = errors.New("full")

func eventOf(rec cortex.Record) Event {
	return Event{Record: rec.Seq, Kind: rec.Kind, Session: rec.Session,
		At: time.Unix(0, rec.At).UTC().Format(time.RFC3339Nano)}
}
