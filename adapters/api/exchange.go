package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/opencortex-go/cortex/cortex"
)

// Limits of one request.
const (
	maxBody   = 32 << 20 // bytes: a result with its quotes
	maxHeader = 16 << 10 // bytes
	maxHold   = time.Hour
	// copies is how much memory a body takes while it is taken apart, in its lengths; kept is what it takes then.
	copies, kept = 5, 2
	// piece is how much of a body is read at a time where its length is unknown.
	piece = 64 << 10
)

// method answers the body of a request.
type method[In, Out any] func(ctx context.Context, from caller, in In) (Out, error)

var errCrowd = wrong(http.StatusTooManyRequests, "too many requests are being answered; try again when some are")

// endpoint makes a handler of a method. A request takes a place when it is there as a whole.
func endpoint[In, Out any](s *Server, f method[In, Out]) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := connOf(r)
		if err := s.allowed(r, c.from); err != nil {
			s.fail(w, r, wrong(http.StatusForbidden, "%w", err))
			return
		}
		var in In
		held, err := s.take(w, r, &in)
		defer c.account.asks.Free(held)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		done, ok := s.bounds.begin(c)
		if !ok {
			s.fail(w, r, errCrowd)
			return
		}
		out, err := answered(s, r, done, func(ctx context.Context) (Out, error) { return f(ctx, c.from, in) })
		if err != nil {
			s.fail(w, r, err)
			return
		}
		s.answer(w, r, http.StatusOK, out)
	}
}

// answered does what a request asks for. The place is free again when it returns, also in a panic.
func answered[Out any](s *Server, r *http.Request, done func(), f func(context.Context) (Out, error)) (Out, error) {
	defer done()
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(cortex.ErrClosed) })()
	return f(ctx)
}

// take reads the body of a request. A key that the request does not know is an error. It returns how many bytes are
// held in the room of the caller until the request is over, also beside an error.
func (s *Server) take(w http.ResponseWriter, r *http.Request, in any) (held int, err error) {
	if r.Method == http.MethodGet {
		return 0, nil
	}
	text, held, err := s.body(w, r)
	if err != nil {
		return held, err
	}
	if err := checkRequest(text); err != nil {
		return held, wrong(http.StatusBadRequest, "the body is not a request of %s: %w", r.URL.Path, err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(in); err != nil {
		return held, wrong(http.StatusBadRequest, "the body is not a request of %s: %w", r.URL.Path, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return held, wrong(http.StatusBadRequest, "there is more behind the request's JSON, expected one object")
	}
	over := held - min(held, kept*len(text)) // the text itself is done with
	connOf(r).account.asks.Free(over)
	return held - over, nil
}

// body reads a body into memory that is counted before it is taken.
func (s *Server) body(w http.ResponseWriter, r *http.Request) (text []byte, held int, err error) {
	if r.ContentLength > maxBody {
		return nil, 0, wrong(http.StatusRequestEntityTooLarge, "the body is %d bytes long, expected at most %d",
			r.ContentLength, maxBody)
	}
	flow, body := http.NewResponseController(w), http.MaxBytesReader(w, r.Body, maxBody)
	next := int(r.ContentLength)
	if next < 0 {
		next = piece
	}
	for whole := false; !whole; next = max(piece, len(text)) {
		if err := s.keepPace(r, next); err != nil {
			return nil, held, err
		}
		if err := s.makeRoom(r, copies*next); err != nil {
			return nil, held, err
		}
		held += copies * next
		// the wait for room is not the caller's time
		if err := flow.SetReadDeadline(time.Now().Add(s.bounds.limits.arrive)); err != nil {
			return nil, held, err
		}
		if text, whole, err = more(text, next, body); err != nil {
			return nil, held, s.incomplete(err)
		}
	}
	return text, held, flow.SetReadDeadline(time.Time{}) // people may take their time
}

// more reads up to n+1 bytes more behind a text, and reports whether that was all.
func more(text []byte, n int, from io.Reader) ([]byte, bool, error) {
	at := len(text)
	text = append(make([]byte, 0, at+n+1), text...)[:at+n+1] // one more, to see the end
	n, err := io.ReadFull(from, text[at:])
	text = text[:at+n]
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return text, true, nil
	}
	return text, false, err
}

// keepPace waits as long as the caller of a request has sent more than others would have to wait for. It refuses what
// would wait too long.
func (s *Server) keepPace(r *http.Request, n int) error {
	turn := connOf(r).account.pace.ReserveN(time.Now(), min(n, maxBody))
	wait := turn.Delay()
	if wait == 0 {
		return nil
	}
	if wait > s.bounds.limits.room {
		turn.Cancel()
		return wrong(http.StatusTooManyRequests, "the bodies of this process come faster than %d MiB a second; try again, "+
			"or send less at a time", int(s.bounds.limits.pace)>>20)
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-r.Context().Done():
		turn.Cancel()
		return r.Context().Err()
	case <-s.ctx.Done():
		turn.Cancel()
		return cortex.ErrClosed
	}
}

// makeRoom counts n bytes for the caller of a request, when there is room for them.
func (s *Server) makeRoom(r *http.Request, n int) error {
	room := connOf(r).account.asks
	if room.Hold(n) {
		return nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.bounds.limits.room)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	if room.Await(ctx, n) != nil {
		return wrong(http.StatusTooManyRequests, "there is no room for the request while others are being "+
			"answered; try again, or send less at a time")
	}
	return nil
}

// incomplete says why a body did not arrive.
func (s *Server) incomplete(err error) error {
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return wrong(http.StatusRequestEntityTooLarge, "the body is longer than %d bytes", long.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return wrong(http.StatusRequestTimeout, "the body did not arrive within %s", s.bounds.limits.arrive)
	}
	return wrong(http.StatusBadRequest, "the body did not arrive: %w", err)
}

func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	code := http.StatusInternalServerError
	var st *status
	var busy *cortex.BusyError
	switch {
	case errors.As(err, &st):
		code = st.code
	case errors.As(err, &busy):
		code = http.StatusTooManyRequests
	case errors.Is(err, errOwner), errors.Is(err, cortex.ErrOtherMessage):
		code = http.StatusConflict
	case errors.Is(err, cortex.ErrClosed):
		code = http.StatusServiceUnavailable
	default:
		s.opt.Logger.Error("a request failed", "error", err)
	}
	s.answer(w, r, code, Failure{err.Error()})
}

// answer sends JSON. What the caller does not read in time is lost.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, code int, out any) {
	text, err := json.Marshal(out)
	if err != nil { // of a value that came from the record
		s.opt.Logger.Error("an answer could not be written", "error", err)
		code, text = http.StatusInternalServerError, []byte(`{"error":"the answer could not be written"}`)
	}
	s.send(w, r, code, "application/json", append(text, '\n'))
}

// send sends a text, which counts as the caller's until it is read.
func (s *Server) send(w http.ResponseWriter, r *http.Request, code int, kind string, text []byte) {
	room := connOf(r).account.hears
	room.Must(len(text))
	defer room.Free(len(text))
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.bounds.limits.leave))
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(code)
	_, _ = w.Write(text) // the caller may have gone
}
