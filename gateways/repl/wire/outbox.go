package wire

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/opencortex-go/cortex/sexpr"
)

// outbox holds what a client has not read yet, as far as the system does not.
type outbox struct {
	c     *conn
	queue chan []byte
	bytes atomic.Int64 // of what waits, also of what waits for a place in the queue
	news  *news        // what goes out between answers
	done  chan struct{}
}

func newOutbox(c *conn) *outbox {
	return &outbox{c: c, queue: make(chan []byte, c.s.opt.Queue), news: newNews(), done: make(chan struct{})}
}

// put queues one message.
func (o *outbox) put(v sexpr.Value) {
	frame, err := o.encode(v)
	if err != nil {
		o.c.s.opt.Logger.Error("an answer could not be written", "error", err)
		return
	}
	o.c.hears.Must(len(frame))
	o.add(frame)
}

// add queues a frame, whose bytes are counted. It waits while the queue is full, so
// that a client gets no more work done than it takes answers. Who leaves too many
// bytes unread is cut off.
func (o *outbox) add(frame []byte) {
	n := int64(len(frame))
	if waiting := o.bytes.Add(n); waiting > n && waiting > 2*int64(o.c.s.opt.MaxAnswer) {
		o.c.cut(fmt.Errorf("%w: %d bytes wait", errUnread, waiting))
		return
	}
	select {
	case o.queue <- frame:
	case <-o.c.ctx.Done():
	}
}

// encode prints a message as a frame. An answer that is too long, or that cannot
// be printed, becomes an error that says so.
func (o *outbox) encode(v sexpr.Value) ([]byte, error) {
	var w buffer
	err := sexpr.WriteFrame(&w, v)
	switch most := o.c.s.opt.MaxAnswer; {
	case err == nil && len(w) <= most+frameRoom:
		return w, nil
	case err == nil:
		err = fmt.Errorf("the answer is %w: %d bytes, expected at most %d; ask for less at a time", errTooLong, len(w), most)
	default:
		o.c.s.opt.Logger.Error("an answer cannot be printed", "error", err)
		err = fmt.Errorf("the answer is %w to be sent", errTooLong)
	}
	f, _ := asFault(err)
	id, _ := v.Get("id")
	w = w[:0]
	err = sexpr.WriteFrame(&w, refuse(id, f))
	return w, err
}

// buffer is a writer that keeps a frame as it is: it is written once.
type buffer []byte

func (b *buffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}

// finish lets drain return when all that is queued has been written.
func (o *outbox) finish() { close(o.done) }

// drain writes what is queued, until finish or until the client reads no more,
// and ends the connection.
func (o *outbox) drain() {
	w := bufio.NewWriterSize(patient{o.c}, 16<<10)
	for {
		select {
		case frame := <-o.queue:
			if !o.write(w, frame) {
				return
			}
		case <-o.news.some:
			if !o.tell(w) {
				return
			}
		case <-o.c.ctx.Done():
			return
		case <-o.done:
			o.rest(w)
			o.c.end(errGone)
			return
		}
	}
}

// tell writes what was not asked for.
func (o *outbox) tell(w *bufio.Writer) bool {
	for frame := o.news.next(); frame != nil; frame = o.news.next() {
		o.bytes.Add(int64(len(frame)))
		o.c.hears.Must(len(frame))
		if !o.write(w, frame) {
			return false
		}
	}
	return true
}

// rest writes what is still queued.
func (o *outbox) rest(w *bufio.Writer) {
	for {
		select {
		case frame := <-o.queue:
			if !o.write(w, frame) {
				return
			}
		default:
			return
		}
	}
}

// write writes one frame, and sends what has been written if no other waits.
func (o *outbox) write(w *bufio.Writer, frame []byte) bool {
	_, err := w.Write(frame)
	o.bytes.Add(-int64(len(frame)))
	o.c.hears.Free(len(frame))
	if err == nil && len(o.queue) == 0 {
		err = w.Flush()
	}
	switch {
	case err == nil:
		return true
	case errors.Is(err, os.ErrDeadlineExceeded):
		o.c.cut(fmt.Errorf("%w: nothing in %s", errUnread, o.c.s.opt.WriteTimeout))
	default:
		o.c.cut(errGone)
	}
	return false
}

// patient writes in pieces, each with a time limit of its own: a client that
// reads slowly is served slowly, and only one that does not read at all is late.
type patient struct{ c *conn }

const piece = 64 << 10

func (p patient) Write(b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		err = p.c.nc.SetWriteDeadline(time.Now().Add(p.c.s.opt.WriteTimeout))
		if err == nil && p.c.s.work.Err() != nil {
			err = p.c.nc.SetWriteDeadline(time.Now().Add(lastWords))
		}
		if err == nil {
			var m int
			m, err = p.c.nc.Write(b[n:min(n+piece, len(b))])
			n += m
		}
	}
	return n, err
}
