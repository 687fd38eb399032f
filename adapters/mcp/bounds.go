package mcp

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// Limits of clients over HTTP. A caller is a session, and without one a network address.
const (
	maxBody    = 32 << 20 // of a request, in bytes, as the API of the daemon takes it
	bodyPart   = 64 << 10 // what is read of a body at a time; the first part is free
	allBodies  = 4 * maxBody
	eachBodies = 2 * maxBody // of one caller
	allCalls   = 1024        // requests that are being answered, streams among them
	eachCalls  = 128
	allRemote  = 1024 // sessions of a server at an address, of which the proxy holds only what it has to know
)

// addressOf is the network address of a client, without its port.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

var (
	errBodyLong = errors.New("the body is longer than 32 MiB")
	errBodySlow = errors.New("the body did not arrive in time")
	errCalls    = errors.New("too many requests are being answered; try again when some are")
	errBodies   = errors.New("too much is being read; try again when some is answered")
)

// body reads a request's body, as long as it may take. What is read is accounted for first, until done is called.
func (h *Handler) body(w http.ResponseWriter, r *http.Request, who string) (body []byte, done func(), err error) {
	taken := 0
	done = func() { h.bodies.Give(who, taken) }
	if r.ContentLength > maxBody {
		return nil, done, errBodyLong
	}
	in := http.MaxBytesReader(w, r.Body, maxBody)
	for buf := make([]byte, bodyPart); ; {
		free := bodyPart + taken - len(body)
		if free == 0 {
			if !h.bodies.Take(who, bodyPart) {
				return nil, done, errBodies
			}
			taken, free = taken+bodyPart, bodyPart
		}
		n, err := in.Read(buf[:free])
		body = append(body, buf[:n]...)
		var long *http.MaxBytesError
		switch {
		case errors.Is(err, io.EOF):
			_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
			return body, done, nil
		case errors.As(err, &long):
			return nil, done, errBodyLong
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, done, errBodySlow
		case err != nil:
			return nil, done, err
		}
	}
}

// arrives gives a body its time to arrive, also one that is not read: the server waits for it before it answers.
func (h *Handler) arrives(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(h.opt.Arrival)) // where there are deadlines
	}
}

// refuse answers a request that is not read, and waits for no more of it.
func refuse(w http.ResponseWriter, status int, err error) {
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "10")
	}
	w.Header().Set("Connection", "close")
	http.Error(w, http.StatusText(status)+": "+err.Error(), status)
}
