package client

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"

	"github.com/opencortex-go/cortex/gateways/internal/protocol"
	"github.com/opencortex-go/cortex/internal/socket"
	"github.com/opencortex-go/cortex/sexpr"
)

// Handshake is what a daemon says of itself on connect.
type Handshake struct {
	Version      string
	Protocol     int
	Approval     bool   // this is the approval socket
	Record       string // names the record, as [socket.RecordID] does; "" if it is in memory
	Capabilities []string
}

// Conn is a connection to a daemon. Many goroutines may use it at once.
type Conn struct {
	Calls

	// Session is the session that requests speak in; "" is "main". It is set
	// before the first request.
	Session string

	nc    *net.UnixConn
	hello Handshake
	done  chan struct{} // closed when nothing more arrives
	heard *heard

	sending sync.Mutex

	mu      sync.Mutex
	last    int64 // the id given last
	waiting map[int64]*call
	err     error // why nothing more arrives
}

// Dial connects to the daemon's socket and reads its handshake. A socket that
// is served by another user than the caller, root and those with the uids in also
// is refused: anyone who shows the pairing secret shows it to their own daemon.
func Dial(ctx context.Context, path string, also ...int) (*Conn, error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, "unix", path)
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, syscall.EAGAIN): // too many wait to be let in
		return nil, fmt.Errorf("%s: %w", path, &silence{err})
	case err != nil:
		return nil, fmt.Errorf("no daemon on %s: %w", path, err)
	}
	c := &Conn{nc: nc.(*net.UnixConn), done: make(chan struct{}), heard: newHeard(), waiting: map[int64]*call{}}
	c.Calls = Calls{c}
	in := bufio.NewReader(nc)
	if err := c.greet(ctx, in, append(also, os.Geteuid())); err != nil {
		_ = nc.Close() // it may be closed already
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	go c.receive(in)
	return c, nil
}

// greet checks who serves and reads the handshake.
func (c *Conn) greet(ctx context.Context, in *bufio.Reader, uids []int) error {
	p, err := socket.Of(c.nc)
	if err == nil {
		err = p.Check(uids...)
	}
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.nc.Close() })
	v, err := sexpr.Reader{Limits: protocol.Answers}.ReadFrame(in)
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
	if protocol.Word(h, "action") != "handshake" {
		return errors.New("what serves this socket is not Cortex: its first message is not a handshake")
	}
	c.hello = Handshake{
		Version: h.GetText("version"), Protocol: int(h.GetInt("protocol")),
		Approval: protocol.Word(h, "socket") == "approval",
		Record:   h.GetText("record"),
	}
	list, _ := h.Get("capabilities")
	for _, k := range list.Items() {
		c.hello.Capabilities = append(c.hello.Capabilities, k.Text())
	}
	if c.hello.Protocol != protocol.Version {
		return fmt.Errorf("the daemon, version %s, speaks protocol %d, and this client %d", c.hello.Version, c.hello.Protocol,
			protocol.Version)
	}
	return nil
}

// Handshake returns what the daemon said on connect.
func (c *Conn) Handshake() Handshake { return c.hello }

// Path returns the path of the socket that the client is connected to.
func (c *Conn) Path() string { return c.nc.RemoteAddr().String() }

// Close ends the connection. What was accepted is still answered, by the daemon.
func (c *Conn) Close() error {
	err := c.nc.Close()
	<-c.done
	return err
}

// Done is closed when nothing more arrives; [Conn.Err] says why.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns why nothing more arrives, or nil.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}
