package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/gateways/repl/socket"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// Handshake is what a daemon says of itself on connect.
type Handshake struct {
	Version      string
	Protocol     int
	Approval     bool   // this is the approval socket
	Record       string // names the record, as [RecordID] does; "" if it is in memory
	Capabilities []string
}

// Health is how a daemon stands.
type Health struct {
	Status  string // "healthy", "degraded" or "unhealthy"
	Live    bool   // permits act
	Killed  bool   // the kill switch is on
	Running int    // signals that are being answered
	Pending int    // approvals that wait
	Text    string // why it is not healthy
}

// Message is what a client says in a session.
type Message struct {
	Text    string
	Sensor  string      // "" is a person's words
	Session string      // "" is the client's, [Client.Session]
	Key     string      // a dedupe key: a repeat gets the first answer; "" for none
	Payload sexpr.Value // further members of the payload, a plist

	// Accepted is called when the message is durable, with its record; nil if
	// nobody wants to know. It must not use the client.
	Accepted func(signal uint64)
}

// Reply is what came of a message.
type Reply struct {
	Signal   uint64 // its record
	Text     string // what was said to the user
	Notice   string // what Cortex itself has to say
	Approval string // token of the card that it waits for
	Dropped  bool   // recorded, and too deep in a chain to be worked on
	Repeat   bool   // a key seen before: this is the first answer
}

// Client is a connection to a daemon. Many goroutines may use it at once.
type Client struct {
	// Session is the session that requests speak in; "" is "main". It is set
	// before the first request.
	Session string

	nc    *net.UnixConn
	hello Handshake
	done  chan struct{} // closed when nothing more arrives
	heard *heard

	sending sync.Mutex

	mu    sync.Mutex
	last  int64 // the id given last
	calls map[int64]*call
	err   error // why nothing more arrives
}

// call is a request that waits for its answer.
type call struct {
	accepted func(uint64)            // nil if nobody wants to know
	part     func(sexpr.Value) error // takes a part of the answer; nil if it comes at once
	answer   chan sexpr.Value
	parts    chan sexpr.Value
	over     chan struct{} // closed when nobody waits any more
}

// answers are as long as the daemon makes them; this only keeps a broken one from
// filling the memory.
var answerLimits = sexpr.Limits{Bytes: maxFrame, Depth: 512, Atoms: 8 << 20, String: maxFrame}

// Dial connects to the daemon's socket and reads its handshake. A socket that
// is served by another user than the caller, root and those with the uids in also
// is refused: anyone who shows the pairing secret shows it to their own daemon.
func Dial(ctx context.Context, path string, also ...int) (*Client, error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, "unix", path)
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, syscall.EAGAIN): // too many wait to be let in
		return nil, fmt.Errorf("%s: %w", path, &silence{err})
	case err != nil:
		return nil, fmt.Errorf("no daemon on %s: %w", path, err)
	}
	c := &Client{nc: nc.(*net.UnixConn), done: make(chan struct{}), heard: newHeard(), calls: map[int64]*call{}}
	in := bufio.NewReader(nc)
	if err := c.greet(ctx, in, append(also, os.Geteuid())); err != nil {
		_ = nc.Close() // it may be closed already
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	go c.receive(in)
	return c, nil
}

// greet checks who serves and reads the handshake.
func (c *Client) greet(ctx context.Context, in *bufio.Reader, uids []int) error {
	p, err := socket.Of(c.nc)
	if err == nil {
		err = p.Check(uids...)
	}
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.nc.Close() })
	v, err := sexpr.Reader{Limits: answerLimits}.ReadFrame(in)
	if !stop() {
		return waited(ctx)
	}
	if err != nil {
		return fmt.Errorf("the daemon says nothing that is a handshake: %w", ended(err))
	}
	if err := complaint(v); err != nil {
		return err
	}
	h, _ := v.Get("payload")
	if word(h, "action") != "handshake" {
		return errors.New("what serves this socket is not Cortex: its first message is no handshake")
	}
	c.hello = Handshake{
		Version: h.GetText("version"), Protocol: int(h.GetInt("protocol")), Approval: word(h, "socket") == "approval",
		Record: h.GetText("record"),
	}
	list, _ := h.Get("capabilities")
	for _, k := range list.Items() {
		c.hello.Capabilities = append(c.hello.Capabilities, k.Text())
	}
	if c.hello.Protocol != Protocol {
		return fmt.Errorf("the daemon, version %s, speaks protocol %d, and this client %d", c.hello.Version, c.hello.Protocol,
			Protocol)
	}
	return nil
}

// silence is an error of a daemon that is there and says nothing in time.
type silence struct{ cause error }

func (*silence) Error() string {
	return "the daemon does not answer in time: it has too much to do, or hangs; try again later, and look at its log"
}

func (s *silence) Unwrap() error { return s.cause }

// waited is why somebody waits no longer.
func waited(ctx context.Context) error {
	if err := context.Cause(ctx); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &silence{context.Cause(ctx)}
}

// ended is why a connection ended, for people.
func ended(err error) error {
	switch {
	case errors.Is(err, net.ErrClosed):
		return errors.New("the connection to the daemon has been closed here")
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return errors.New("the connection to the daemon broke off: it was stopped or killed")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, sexpr.ErrFrame):
		return errors.New("the daemon closed the connection")
	}
	return err
}

// complaint is the error that a log message carries, or nil.
func complaint(v sexpr.Value) error {
	if word(v, "type") != perceive.Log {
		return nil
	}
	p, _ := v.Get("payload")
	return asError(p)
}

// asError reads an error as it stands in a payload.
func asError(p sexpr.Value) error {
	return &repl.Error{
		Code: word(p, "code"), Err: errors.New(p.GetText("text")),
		Pos: sexpr.Pos{Line: int32(p.GetInt("line")), Col: int32(p.GetInt("column"))},
	}
}

// Handshake returns what the daemon said on connect.
func (c *Client) Handshake() Handshake { return c.hello }

// Path returns the path of the socket that the client is connected to.
func (c *Client) Path() string { return c.nc.RemoteAddr().String() }

// Close ends the connection. What was accepted is still answered, by the daemon.
func (c *Client) Close() error {
	err := c.nc.Close()
	<-c.done
	return err
}

// receive hands answers to those who wait for them, until the stream ends.
func (c *Client) receive(in *bufio.Reader) {
	defer close(c.done)
	var said error
	for {
		v, err := sexpr.Reader{Limits: answerLimits}.ReadFrame(in)
		if err != nil {
			c.over(said, err)
			return
		}
		if err := complaint(v); err != nil {
			said = err
			continue
		}
		if n, missed, ok := noticeOf(v); ok {
			c.heard.add(n, missed)
			continue
		}
		c.hand(v)
	}
}

// over fails what still waits, with what the daemon said last if that is known.
func (c *Client) over(said, err error) {
	switch {
	case said != nil:
		err = said
	default:
		err = ended(err)
	}
	_ = c.nc.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
}

// hand gives one message to the call that it answers.
func (c *Client) hand(v sexpr.Value) {
	id := v.GetInt("id")
	c.mu.Lock()
	w := c.calls[id]
	part := w != nil && w.part != nil && word(v, "status") == statusPart
	if w != nil && word(v, "type") != perceive.Status && !part {
		delete(c.calls, id)
	}
	c.mu.Unlock()
	switch {
	case w == nil:
	case part:
		select {
		case w.parts <- v: // what the daemon says next waits for anyone who takes this
		case <-w.over:
		}
	case word(v, "type") != perceive.Status:
		w.answer <- v
	case w.accepted != nil:
		p, _ := v.Get("payload")
		w.accepted(uint64(p.GetInt("signal")))
	}
}

// call sends a message and waits for its answer. If ctx ends it waits no longer;
// the daemon goes on.
func (c *Client) call(ctx context.Context, b plist.Builder, w *call) (sexpr.Value, error) {
	w.answer, w.parts, w.over = make(chan sexpr.Value, 1), make(chan sexpr.Value), make(chan struct{})
	defer close(w.over)
	c.mu.Lock()
	c.last++
	id := c.last
	c.calls[id] = w
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.calls, id)
		c.mu.Unlock()
	}()
	b.Int("id", id)
	if err := c.write(ctx, b.Done()); err != nil {
		return sexpr.Value{}, err
	}
	for waiting := true; waiting; {
		select {
		case v := <-w.answer:
			return v, nil
		case v := <-w.parts:
			if err := w.part(v); err != nil {
				return sexpr.Value{}, err
			}
		case <-ctx.Done():
			return sexpr.Value{}, waited(ctx)
		case <-c.done:
			waiting = false
		}
	}
	select {
	case v := <-w.answer: // it came just before the end
		return v, nil
	default:
		return sexpr.Value{}, c.reason()
	}
}

func (c *Client) reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *Client) write(ctx context.Context, v sexpr.Value) error {
	c.sending.Lock()
	defer c.sending.Unlock()
	if ctx.Err() != nil {
		return waited(ctx)
	}
	gaveUp := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { _ = c.nc.SetWriteDeadline(time.Now()); close(gaveUp) })
	err := sexpr.WriteFrame(c.nc, v)
	if !stop() {
		<-gaveUp
		_ = c.nc.SetWriteDeadline(time.Time{})
	}
	if errors.Is(err, os.ErrDeadlineExceeded) { // half of it may have been sent: nothing can follow
		_ = c.nc.Close()
		return waited(ctx)
	}
	broken := (*net.OpError)(nil)
	if errors.As(err, &broken) {
		<-c.done // the reader knows better why
		return c.reason()
	}
	return err
}

// in adds the session to a message.
func (c *Client) in(b *plist.Builder, session string) {
	if session == "" {
		session = c.Session
	}
	if session != "" {
		b.Add("meta", sexpr.Plist("session", sexpr.Str(session)))
	}
}

// Eval has the daemon evaluate one form. What the daemon answers as an error is a
// [repl.Error]; its place is that in the text that the form was read from.
func (c *Client) Eval(ctx context.Context, form sexpr.Value) (repl.Result, error) {
	return c.eval(ctx, form, &call{})
}

// Stream is Eval of a form that answers with a long list: each is called with each
// part of it, in order, as the daemon reads it. While each is at work nothing else
// arrives for this client, which it must not use. An error of each ends Stream.
func (c *Client) Stream(ctx context.Context, form sexpr.Value, each func(repl.Result) error) error {
	r, err := c.eval(ctx, form, &call{part: func(v sexpr.Value) error {
		p, _ := v.Get("payload")
		return each(evaluated(p))
	}})
	if err != nil {
		return err
	}
	return each(r)
}

func (c *Client) eval(ctx context.Context, form sexpr.Value, w *call) (repl.Result, error) {
	b := c.ask("repl", sexpr.Plist("form", form))
	if w.part != nil {
		b.Add("stream", sexpr.T())
	}
	p, err := result(c.call(ctx, b, w))
	if err != nil {
		return repl.Result{}, inSource(err, b.Done(), form)
	}
	return evaluated(p), nil
}

func evaluated(p sexpr.Value) repl.Result {
	v, _ := p.Get("value")
	return repl.Result{Value: v, Out: p.GetText("out"), Quiet: p.GetTrue("quiet")}
}

// Auth shows the operator's pairing secret, on the approval socket.
func (c *Client) Auth(ctx context.Context, secret string) error {
	_, err := result(c.call(ctx, c.ask("auth", sexpr.Plist("secret", sexpr.Str(secret))), &call{}))
	return err
}

// ask begins a request.
func (c *Client) ask(target string, payload sexpr.Value) (b plist.Builder) {
	b.Add("type", sexpr.Key(perceive.Request))
	b.Add("target", sexpr.Key(target))
	c.in(&b, "")
	b.Add("payload", payload)
	return b
}

// result is the payload of an answer, or the error that it says.
func result(v sexpr.Value, err error) (sexpr.Value, error) {
	if err != nil {
		return v, err
	}
	p, _ := v.Get("payload")
	if word(v, "status") != "ok" {
		return p, asError(p)
	}
	return p, nil
}

// Signal sends a message and waits for what comes of it.
func (c *Client) Signal(ctx context.Context, m Message) (Reply, error) {
	var b, p plist.Builder
	if m.Sensor == "" {
		m.Sensor = perceive.UserInput
	}
	p.Add("sensor", sexpr.Key(m.Sensor))
	p.Text("text", m.Text)
	for i, items := 0, m.Payload.Items(); i+1 < len(items); i += 2 {
		p.Add(items[i].Text(), items[i+1])
	}
	b.Add("type", sexpr.Key(perceive.Event))
	b.Text("key", m.Key)
	c.in(&b, m.Session)
	b.Add("payload", p.Done())
	a, err := result(c.call(ctx, b, &call{accepted: m.Accepted}))
	return Reply{
		Signal: uint64(a.GetInt("signal")), Text: a.GetText("text"), Notice: a.GetText("notice"),
		Approval: a.GetText("approval"),
		Dropped:  a.GetTrue("dropped"), Repeat: a.GetTrue("repeat"),
	}, err
}

// Interrupt cancels what is being answered in the client's session, and the
// forms it has evaluated there, and returns how many those were.
func (c *Client) Interrupt(ctx context.Context) (stopped int, err error) {
	var b plist.Builder
	b.Add("type", sexpr.Key(perceive.Event))
	c.in(&b, "")
	b.Add("payload", sexpr.Plist("sensor", sexpr.Key(perceive.Interrupt)))
	p, err := result(c.call(ctx, b, &call{}))
	return int(p.GetInt("stopped")), err
}

// Health asks how the daemon stands. It answers at once, also while models think.
func (c *Client) Health(ctx context.Context) (Health, error) {
	var b plist.Builder
	b.Add("type", sexpr.Key(perceive.HealthCheck))
	v, err := c.call(ctx, b, &call{})
	if err != nil {
		return Health{}, err
	}
	if word(v, "type") != perceive.HealthResponse {
		p, _ := v.Get("payload")
		return Health{}, asError(p)
	}
	return Health{
		Status: word(v, "status"), Live: v.GetTrue("live"), Killed: v.GetTrue("killed"), Running: int(v.GetInt("running")),
		Pending: int(v.GetInt("pending")), Text: v.GetText("text"),
	}, nil
}
