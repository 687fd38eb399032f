// Package bounds keeps one client of a server over HTTP from taking what others need: room that is counted in total
// and for each caller, and answers that have to be read in time.
package bounds

import (
	"net/http"
	"sync"
	"time"
)

// Room bounds what is in use at a time, in total and of each caller.
type Room struct {
	all, each int

	mu   sync.Mutex
	used int
	by   map[string]int
}

// NewRoom returns room for so many in total and of each caller.
func NewRoom(all, each int) *Room { return &Room{all: all, each: each, by: map[string]int{}} }

// Take reports whether there is room for n more.
func (r *Room) Take(who string, n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.used+n > r.all || r.by[who]+n > r.each {
		return false
	}
	r.used += n
	r.by[who] += n
	return true
}

// Give gives n back.
func (r *Room) Give(who string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used -= n
	if r.by[who] -= n; r.by[who] <= 0 {
		delete(r.by, who)
	}
}

// Writer is an answer whose client has to take what is written, in time.
type Writer struct{ http.ResponseWriter }

// taking is how long a client may take for what is written at a time.
const taking = 30 * time.Second

// Write implements [io.Writer].
func (w Writer) Write(p []byte) (int, error) {
	control := http.NewResponseController(w.ResponseWriter)
	_ = control.SetWriteDeadline(time.Now().Add(taking)) // where the server has deadlines
	defer func() { _ = control.SetWriteDeadline(time.Time{}) }()
	return w.ResponseWriter.Write(p)
}

// FlushError sends what was written.
func (w Writer) FlushError() error {
	control := http.NewResponseController(w.ResponseWriter)
	_ = control.SetWriteDeadline(time.Now().Add(taking))
	defer func() { _ = control.SetWriteDeadline(time.Time{}) }()
	return control.Flush()
}

// Unwrap returns the answer for what [http.ResponseController] does beside that.
func (w Writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
