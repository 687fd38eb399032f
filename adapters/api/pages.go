package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/opencortex-go/cortex/internal/fair"
)

// maxPage is how much of a list is answered at a time, in bytes.
const maxPage = 1 << 20

// page is as much of a list as has room.
type page[T any] struct {
	room int // left, in bytes
	list []T
}

// add adds a row and reports true, or reports false if there is no room for it. The first row always fits.
func (p *page[T]) add(row T) (bool, error) {
	text, err := json.Marshal(row)
	if err != nil {
		return false, err
	}
	if p.room -= len(text) + 1; p.room < 0 && len(p.list) > 0 {
		return false, nil
	}
	p.list = append(p.list, row)
	return true, nil
}

// lister returns a page of a list that has at most so many bytes, and where the next page is, "" for none.
type lister func(ctx context.Context, r *http.Request, room int) (out any, next string, err error)

// listing makes a handler of a list. wait, which may be nil, waits until there is something to list. Then the caller
// has a turn to go through the list; it has another one when it has read the answer. The Link header leads to the next
// page (RFC 8288).
func listing(s *Server, wait func(context.Context, *http.Request) error, f lister) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := connOf(r)
		if err := s.allowed(r, c.from); err != nil {
			s.fail(w, r, wrong(http.StatusForbidden, "%w", err))
			return
		}
		done, ok := s.bounds.begin(c)
		if !ok {
			s.fail(w, r, errCrowd)
			return
		}
		var next string
		out, err := answered(s, r, done, func(ctx context.Context) (out any, err error) {
			if wait != nil {
				if err := wait(ctx, r); err != nil {
					return nil, err
				}
			}
			t, err := c.account.hears.Enter(ctx, fair.Listing, maxPage)
			if err != nil {
				return nil, err
			}
			defer t.Leave(0) // what is sent is counted there
			out, next, err = f(ctx, r, t.Room)
			return out, err
		})
		if err != nil {
			s.fail(w, r, err)
			return
		}
		if next != "" {
			w.Header().Set("Link", "<"+next+`>; rel="next"`)
		}
		s.answer(w, r, http.StatusOK, out)
	}
}
