package wire

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/internal/fair"
	"github.com/opencortex-go/cortex/internal/socket"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

const (
	// patience is how long a request holds up those behind it. What is quick is
	// so answered in order and takes no more than one processor from the other
	// clients; what is slow runs beside the rest.
	patience = 2 * time.Millisecond
	// held bounds the text of one client's requests that are being worked on.
	held = 4 << 20
	// leading bounds white space between frames.
	leading = 4096
	// lastWords is how long a client may take to read what it is told in the end.
	lastWords = time.Second
	// listening is how often a client that has stopped talking is looked at.
	listening = 500 * time.Millisecond
)

// Why a connection ends, or work that was done for it.
var (
	errGone    = errors.New("the client has gone")
	errUnread  = errors.New("the client does not read its answers")
	errTooLong = errors.New("too long")
)

// conn is one client.
type conn struct {
	s        *Server
	nc       *net.UnixConn
	door     *door
	place    *socket.Place
	in       *bufio.Reader
	bytes    *counter
	reader   sexpr.Reader
	peer     perceive.Peer // without a session
	out      *outbox
	slots    *semaphore.Weighted // of requests that are being worked on
	room     *semaphore.Weighted // of their text
	asks     *fair.Client        // what its requests take of the room that all clients share
	hears    *fair.Client        // what its answers take, and whose turn it is
	taken    int                 // bytes of asks that the message takes which was just read; 0 when somebody works on it
	pace     pace
	atoms    int  // that a message may have
	failures int  // wrong secrets
	leaving  bool // nothing more is read

	ctx context.Context // ends, with the reason, when the client is gone
	end context.CancelCauseFunc

	mu       sync.Mutex
	approver *cortex.Approver     // who showed the secret
	sessions map[string]evaluator // by name
	evals    map[*evaluation]bool // that are running
}

// counter counts what is read through it.
type counter struct {
	io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

func (s *Server) newConn(d *door, nc *net.UnixConn, p socket.Peer) *conn {
	c := &conn{
		s: s, nc: nc, door: d, bytes: &counter{Reader: nc}, reader: sexpr.Reader{Limits: s.opt.Limits, Code: true},
		peer:  perceive.Peer{Source: perceive.SourceSocket, Principal: p.Name()},
		atoms: cmp.Or(s.opt.Limits.Atoms, 100_000), slots: semaphore.NewWeighted(int64(s.opt.Requests)),
		room:     semaphore.NewWeighted(held),
		sessions: map[string]evaluator{}, evals: map[*evaluation]bool{},
		pace: pace{credit: newCredit(), hurrying: &s.hurrying},
	}
	c.in = bufio.NewReader(c.bytes)
	c.ctx, c.end = context.WithCancelCause(context.Background())
	c.asks, c.hears = s.pool.Client(nil), s.pool.Client(func() {
		c.cut(fmt.Errorf("%w, and others need the room", errUnread))
	})
	c.out = newOutbox(c)
	return c
}

// serve talks to the client until it leaves, breaks the rules, or the server is
// closed. What is being answered then is still sent, as far as the client reads
// it.
func (c *conn) serve() {
	stop := context.AfterFunc(c.s.ctx, func() { _ = c.nc.CloseRead() })
	defer stop()
	late := context.AfterFunc(c.s.work, func() { _ = c.nc.SetWriteDeadline(time.Now().Add(lastWords)) })
	defer late()
	c.s.wg.Go(c.out.drain)
	defer c.s.crier.leave(c)
	defer c.asks.Close()
	defer c.hears.Close()
	c.send(c.handshake())
	if c.door.approval { // from here on: the handshake comes before anything else
		unproven := time.AfterFunc(c.s.opt.AuthTimeout, c.expectSecret)
		defer unproven.Stop()
	}
	if err := c.listen(); err != nil {
		c.send(logFrame(codeFrame, err.Error()))
		c.s.linger(c.ctx)
	}
	c.finish()
	c.out.finish()
	<-c.ctx.Done()
	if err := context.Cause(c.ctx); !errors.Is(err, errGone) {
		c.s.opt.Logger.Warn("a client was cut off", "socket", c.door.Path(), "principal", c.peer.Principal, "error", err)
	}
}

// cut ends the connection at once.
func (c *conn) cut(why error) {
	c.end(why)
	_ = c.nc.Close()
}

// expectSecret sends somebody away who keeps a place on the approval socket and
// has shown no secret.
func (c *conn) expectSecret() {
	if c.who() == nil {
		c.s.opt.Logger.Warn("a client did not show the pairing secret", "principal", c.peer.Principal,
			"within", c.s.opt.AuthTimeout)
		c.send(logFrame(codeRefused, "no pairing secret within "+c.s.opt.AuthTimeout.String()))
		_ = c.nc.CloseRead() // the reader ends, and what is queued still goes out
	}
}

// who is the approver who showed the secret, or nil.
func (c *conn) who() *cortex.Approver {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.approver
}

// finish waits for what is being worked on, unless the client has left.
func (c *conn) finish() {
	look := time.NewTicker(listening)
	defer look.Stop()
	idle := make(chan struct{})
	c.s.wg.Go(func() {
		if c.slots.Acquire(c.ctx, int64(c.s.opt.Requests)) == nil {
			close(idle)
		}
	})
	for !socket.Gone(c.nc) {
		select {
		case <-idle:
			return
		case <-c.ctx.Done():
			return
		case <-look.C:
		}
	}
	c.end(errGone)
}

// listen reads frames and sees to their messages. It returns nil at the end of
// the stream, and an error where the start of the next frame is unknown.
func (c *conn) listen() error {
	defer c.pace.hurry(false)
	for !c.leaving && c.s.ctx.Err() == nil && c.ctx.Err() == nil {
		form, size, err := c.read()
		c.place.Touch()
		c.pace.keep(c.s.ctx, size)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed), c.s.ctx.Err() != nil:
			return nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return fmt.Errorf("a frame that began did not end within %s", c.s.opt.FrameTimeout)
		case errors.Is(err, sexpr.ErrFrame):
			return err
		case err != nil:
			c.send(logFrame(codeFrame, err.Error()))
			continue
		}
		c.dispatch(form, size)
		c.asks.Free(c.taken)
		c.taken = 0
	}
	return nil
}

// read reads one frame and returns how many bytes it took. A client may be silent
// as long as it likes between frames, but not within one.
func (c *conn) read() (form sexpr.Value, size int64, err error) {
	if err := c.begin(); err != nil {
		return form, 0, err
	}
	before := c.bytes.n - int64(c.in.Buffered())
	if err := c.late(); err != nil {
		return form, 0, err
	}
	// waiting is not the client's time
	text, err := c.reader.FrameText(c.in, func(n int) error { return errors.Join(c.makeRoom(n), c.late()) })
	if e := c.nc.SetReadDeadline(time.Time{}); err == nil {
		err = e
	}
	if err == nil {
		form, err = c.parse(text)
	}
	if err != nil {
		c.asks.Free(c.taken)
		c.taken = 0
	}
	return form, c.bytes.n - int64(c.in.Buffered()) - before, err
}

// late sets the time at which the frame that has begun is late.
func (c *conn) late() error { return c.nc.SetReadDeadline(time.Now().Add(c.s.opt.FrameTimeout)) }

// makeRoom waits until there is room for n bytes more of a message.
func (c *conn) makeRoom(n int) error {
	if !c.asks.Hold(n) {
		ctx, cancel := context.WithCancelCause(c.ctx)
		defer cancel(nil)
		defer context.AfterFunc(c.s.ctx, func() { cancel(net.ErrClosed) })()
		if err := c.asks.Await(ctx, n); err != nil {
			return err
		}
	}
	c.taken += n
	return nil
}

// parse reads a message. What its values may take is counted before there are any,
// by what may stand between them.
func (c *conn) parse(text string) (form sexpr.Value, err error) {
	const value = 64 // bytes of one
	atoms := 1
	for i := range len(text) {
		if strings.IndexByte(" \t\r\n()\"';|", text[i]) >= 0 {
			atoms++
		}
	}
	if err := c.makeRoom(value * min(atoms, c.atoms)); err != nil {
		return form, err
	}
	return c.reader.Message(text)
}

// begin waits for the first byte of a frame.
func (c *conn) begin() error {
	for range leading {
		b, err := c.in.Peek(1)
		switch {
		case err != nil && c.s.ctx.Err() == nil && !errors.Is(err, net.ErrClosed):
			return io.EOF // whatever the reason, nothing more will come
		case err != nil:
			return err
		case b[0] != ' ' && b[0] != '\t' && b[0] != '\r' && b[0] != '\n':
			return nil
		}
		_, _ = c.in.Discard(1) // it was peeked at
	}
	return fmt.Errorf("%w: %d bytes of white space, expected six hex digits", sexpr.ErrFrame, leading)
}

// send sends one message, or drops it if the client is gone.
func (c *conn) send(v sexpr.Value) { c.out.put(v) }

// start works on a request beside others. It returns when that is done, when
// patience is over, or when the client is gone; before it begins it waits until
// the client has a slot and room for it. It reports whether the work was begun.
func (c *conn) start(id sexpr.Value, size int64, work func()) bool {
	size = min(size, held)
	if c.slots.Acquire(c.ctx, 1) != nil {
		return false
	}
	if c.room.Acquire(c.ctx, size) != nil {
		c.slots.Release(1)
		return false
	}
	done, taken := make(chan struct{}), c.taken
	c.taken = 0
	c.s.wg.Go(func() {
		defer close(done)
		defer c.asks.Free(taken)
		defer c.slots.Release(1)
		defer c.room.Release(size)
		c.guard(id, work)
	})
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case <-done:
	case <-wait.C:
	case <-c.ctx.Done():
	}
	return true
}

// guard turns a panic into an error answer: a fault in one handler ends neither
// the connection nor the daemon (weakness W33).
func (c *conn) guard(id sexpr.Value, work func()) {
	defer func() {
		if r := recover(); r != nil {
			c.s.opt.Logger.Error("panic while a request was handled", "principal", c.peer.Principal, "panic", r,
				"stack", string(debug.Stack()))
			c.send(refuse(id, fault{code: codeInternal, text: "Cortex has a fault; the daemon's log says where"}))
		}
	}()
	work()
}
