package signal

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"

	"github.com/opencortex-go/cortex/gateways"
)

// maxLine bounds one line from the daemon, in bytes: attachments come as files.
const maxLine = 4 << 20

// dialer opens connections to signal-cli's daemon.
type dialer struct{ network, address string }

func newDialer(address string) dialer {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return dialer{"unix", path}
	}
	if strings.HasPrefix(address, "/") {
		return dialer{"unix", address}
	}
	return dialer{"tcp", strings.TrimPrefix(address, "tcp:")}
}

// conn is one connection: newline-delimited JSON-RPC 2.0, one object a line. Its
// owner calls read in a goroutine of its own until it returns.
type conn struct {
	net.Conn
	write sync.Mutex

	mu    sync.Mutex
	next  int
	calls map[int]chan reply
	dead  error
}

type reply struct {
	result json.RawMessage
	err    error
}

// line is a message from the daemon: a reply, or a notification.
type line struct {
	ID     *int            `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

// rpcError is an error from the daemon, with the codes of its manual page.
type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// The daemon's own error codes (signal-cli-jsonrpc(5)).
const (
	codeUser      = -1
	codeIO        = -3
	codeUntrusted = -4
	codeRate      = -5
	codeMethod    = -32601
	codeParams    = -32602
)

func (e *rpcError) Error() string { return fmt.Sprintf("signal-cli: %d %s", e.Code, e.Message) }

func (d dialer) dial(ctx context.Context) (*conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, d.network, d.address)
	if err != nil {
		return nil, fmt.Errorf("signal-cli's daemon at %s: %w", d.address, err)
	}
	return &conn{Conn: c, calls: map[int]chan reply{}}, nil
}

// read passes replies to their callers and notifications to notify, until the
// connection ends.
func (c *conn) read(notify func(line)) error {
	in := bufio.NewScanner(c)
	in.Buffer(nil, maxLine)
	for in.Scan() {
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			return c.end(fmt.Errorf("signal-cli sent no JSON: %w", err))
		}
		if l.ID == nil {
			notify(l)
			continue
		}
		c.mu.Lock()
		ch := c.calls[*l.ID]
		delete(c.calls, *l.ID)
		c.mu.Unlock()
		if ch == nil {
			continue // the caller has left
		}
		r := reply{result: l.Result}
		if l.Error != nil {
			r.err = l.Error
		}
		ch <- r
	}
	err := in.Err()
	if err == nil {
		err = errors.New("signal-cli has closed the connection")
	}
	return c.end(err)
}

// end fails all waiting and future calls.
func (c *conn) end(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead == nil {
		c.dead = err
	}
	for id, ch := range c.calls {
		ch <- reply{err: err}
		delete(c.calls, id)
	}
	_ = c.Close() // the connection is unusable either way
	return err
}

// call calls a method and waits for its result.
func (c *conn) call(ctx context.Context, method string, params map[string]any, result any) error {
	c.mu.Lock()
	if c.dead != nil {
		c.mu.Unlock()
		return c.dead
	}
	c.next++
	id, ch := c.next, make(chan reply, 1)
	c.calls[id] = ch
	c.mu.Unlock()
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		return err
	}
	c.write.Lock()
	_, err = c.Write(append(text, '\n'))
	c.write.Unlock()
	if err != nil {
		return c.end(err)
	}
	select {
	case r := <-ch:
		if r.err != nil || result == nil {
			return r.err
		}
		return json.Unmarshal(r.result, result)
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.calls, id)
		c.mu.Unlock()
		return context.Cause(ctx)
	}
}

// sorted marks errors of the daemon that retries cannot fix as permanent.
func sorted(err error) error {
	var r *rpcError
	if !errors.As(err, &r) {
		return err
	}
	switch r.Code {
	case codeRate:
		return &gateways.RetryAfter{Wait: rateWait, Err: err}
	case codeIO:
		return err
	}
	return &gateways.Permanent{Err: err}
}
