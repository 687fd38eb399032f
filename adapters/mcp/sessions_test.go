package mcp_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/adapters/mcp"
)

const (
	greets      = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	greeted     = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	listenToken = "0123456789abcdef0123456789abcdef"
	pings       = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
)

// counted is a server whose processes can be counted.
type counted struct{ dir string }

func (c counted) server(env ...string) mcp.Command {
	return pagedServer(`{"*":{"tools":[{"name":"write"}]}}`, append(env, "MCP_TEST_PIDS="+c.dir)...)
}

// alive counts those that have not ended.
func (c counted) alive(t *testing.T) (n int) {
	all, err := os.ReadDir(c.dir)
	require.NoError(t, err)
	for _, e := range all {
		pid, err := strconv.Atoi(e.Name())
		require.NoError(t, err)
		if p, err := os.FindProcess(pid); err == nil && p.Signal(syscall.Signal(0)) == nil {
			n++
		}
	}
	return n
}

func (c counted) ended(t *testing.T, why string) {
	t.Helper()
	require.Eventually(t, func() bool { return c.alive(t) == 0 }, time.Minute, tick, why)
}

// post sends one message, and returns the status, the session and the body.
func post(t *testing.T, at, session, body string) (status int, id, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	all, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, resp.Header.Get("Mcp-Session-Id"), string(all)
}

// open begins a session.
func open(t *testing.T, at string) string {
	t.Helper()
	status, id, text := post(t, at, "", greets)
	require.Equal(t, 200, status, text)
	require.NotEmpty(t, id)
	status, _, text = post(t, at, id, greeted)
	require.Equal(t, 202, status, text)
	return id
}

// However many sessions a client begins, only so many have a process. Those whose client says nothing more give way;
// one in use never does.
func TestSessionsAreBounded(t *testing.T) {
	w, c := newWorld(t), counted{t.TempDir()}
	at := w.front(c.server(), mcp.HTTPOptions{Sessions: 8})
	mine := open(t, at)
	for range 8 {
		status, _, text := post(t, at, "", greets)
		require.Equal(t, 200, status, text)
	}
	require.LessOrEqual(t, c.alive(t), 4, "half of the sessions may be of one address")
	for range 3 {
		open(t, at)
	}
	status, id, text := post(t, at, "", greets)
	require.Equal(t, 503, status, text)
	require.Contains(t, text, "too many sessions are open")
	require.Empty(t, id)
	require.Equal(t, 4, c.alive(t))
	status, _, text = post(t, at, mine, pings)
	require.Equal(t, 200, status, text)
}

// A process ends with its session, however that ends.
func TestAServerEndsWithItsSession(t *testing.T) {
	w, c := newWorld(t), counted{t.TempDir()}
	at := w.front(c.server(), mcp.HTTPOptions{})
	id := open(t, at)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, at, nil)
	require.NoError(t, err)
	req.Header.Set("Mcp-Session-Id", id)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, 204, resp.StatusCode)
	c.ended(t, "the client has ended the session")
	status, _, _ := post(t, at, id, pings)
	require.Equal(t, 404, status)

	id = open(t, at)
	post(t, at, id, `{"jsonrpc":"2.0","id":2,"method":"exit"}`)
	require.Eventually(t, func() bool { status, _, _ := post(t, at, id, pings); return status == 404 }, time.Minute, tick,
		"the server has ended by itself, so the session has")
	c.ended(t, "the server has ended by itself")

	at = w.front(c.server("MCP_TEST_GREETING=error"), mcp.HTTPOptions{})
	_, id, text := post(t, at, "", greets)
	require.Contains(t, text, "-32602")
	require.Empty(t, id)
	c.ended(t, "no session has begun")

	at = w.front(c.server("MCP_TEST_GREETING=none"), mcp.HTTPOptions{})
	ctx, leave := context.WithCancel(t.Context())
	req, err = http.NewRequestWithContext(ctx, http.MethodPost, at, strings.NewReader(greets))
	require.NoError(t, err)
	over := make(chan error, 1)
	go func() {
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		over <- err
	}()
	require.Eventually(t, func() bool { return c.alive(t) == 1 }, time.Minute, tick)
	leave()
	require.Error(t, <-over)
	c.ended(t, "the client has left before the greeting")
}

// A session that rests ends, with its process; one with a stream that is open does not rest.
func TestASessionThatRestsEnds(t *testing.T) {
	w, c := newWorld(t), counted{t.TempDir()}
	at := w.front(c.server(), mcp.HTTPOptions{Idle: time.Second})
	var id string
	var resp *http.Response
	for status := 0; status != 200; { // on a busy machine it may end before the stream is open
		id = open(t, at)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, nil)
		require.NoError(t, err)
		req.Header.Set("Mcp-Session-Id", id)
		req.Header.Set("Accept", "text/event-stream")
		resp, err = http.DefaultClient.Do(req)
		require.NoError(t, err)
		status = resp.StatusCode
	}
	time.Sleep(3 * time.Second)
	status, _, text := post(t, at, id, pings)
	require.Equal(t, 200, status, text)
	require.NoError(t, resp.Body.Close())
	c.ended(t, "nothing is open")
	status, _, _ = post(t, at, id, pings)
	require.Equal(t, 404, status)
}

// noting notes the sessions of the calls that are judged.
type noting struct {
	judge
	sessions []string
}

// Judge implements [mcp.Judge].
func (n *noting) Judge(ctx context.Context, r client.Request) (client.Ruling, error) {
	n.sessions = append(n.sessions, r.Session)
	return n.judge.Judge(ctx, r)
}

// Names of sessions that there are not take nothing from those that there are.
func TestSessionsThatThereAreNotEndNone(t *testing.T) {
	var h *noting
	w := newWorld(t, func(o *mcp.Options) { h = &noting{judge: o.Judge}; o.Judge = h })
	url, _ := remote(t, false)
	behind, err := mcp.NewRemote(url, mcp.RemoteOptions{})
	require.NoError(t, err)
	at := w.front(behind, mcp.HTTPOptions{})
	id := open(t, at)
	call := `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"write","arguments":{"path":"p"}}}`
	status, _, text := post(t, at, id, call)
	require.Contains(t, text, "write p of a", status)
	for n := range 1100 {
		status, _, text := post(t, at, fmt.Sprint("none-", n), pings)
		require.Equal(t, 404, status, text)
	}
	_, _, text = post(t, at, id, call)
	require.Contains(t, text, "write p of a")
	require.Len(t, h.sessions, 2)
	require.Equal(t, h.sessions[0], h.sessions[1], "the record has them as one conversation")
}

// begun is a request whose body never ends: so much of it is sent.
func begun(t *testing.T, at string, length, sent int) net.Conn {
	t.Helper()
	u, err := url.Parse(at)
	require.NoError(t, err)
	conn, err := net.Dial("tcp", u.Host)
	require.NoError(t, err)
	_, err = fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n", u.Host, length)
	require.NoError(t, err)
	_, _ = conn.Write(bytes.Repeat([]byte(" "), sent)) // what the server does not take is refused
	return conn
}

// statusOf is the status that a connection is answered with.
func statusOf(t *testing.T, conn net.Conn) string {
	t.Helper()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(time.Minute)))
	buf := make([]byte, len("HTTP/1.1 200"))
	_, err := io.ReadFull(conn, buf)
	require.NoError(t, err)
	return string(buf[len("HTTP/1.1 "):])
}

// What a client sends takes no more time and memory than it may, and is answered.
func TestBodiesAreBounded(t *testing.T) {
	w, c := newWorld(t), counted{t.TempDir()}
	at := w.front(c.server(), mcp.HTTPOptions{Arrival: time.Second})
	slow := begun(t, at, 100, 1)
	defer func() { _ = slow.Close() }()
	require.Equal(t, "408", statusOf(t, slow))
	long := begun(t, at, 40_000_000, 1)
	defer func() { _ = long.Close() }()
	require.Equal(t, "413", statusOf(t, long), "before it is read")
	strange := begun(t, w.front(c.server(), mcp.HTTPOptions{Arrival: time.Second, Token: listenToken}), 100, 1)
	defer func() { _ = strange.Close() }()
	require.Equal(t, "401", statusOf(t, strange), "who may not call has no more time")

	at = w.front(c.server(), mcp.HTTPOptions{Arrival: 10 * time.Minute})
	status := make(chan string, 4)
	for range 3 { // each is 31 MB, which is sent but for its end
		conn := begun(t, at, 31<<20, 31<<20-1)
		defer func() { _ = conn.Close() }()
		go func() {
			buf := make([]byte, len("HTTP/1.1 200"))
			_, err := io.ReadFull(conn, buf) // one that is refused while it is sent may hear nothing
			status <- fmt.Sprint(string(buf), err)
		}()
	}
	select {
	case <-status:
	case <-time.After(time.Minute):
		t.Fatal("three bodies of one address are held, and none is refused")
	}
	code, _, text := post(t, at, "", pings)
	require.Equal(t, 200, code, "a short request is read all the same: %s", text)
	require.Empty(t, status, "the two others wait for their end")
}

// Requests that wait take no room from other callers.
func TestRequestsThatWaitAreBounded(t *testing.T) {
	w, c := newWorld(t), counted{t.TempDir()}
	at := w.front(c.server("MCP_TEST_GATE="+c.dir+"/none"), mcp.HTTPOptions{})
	id := open(t, at)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var mu sync.Mutex
	var waiting sync.WaitGroup
	full := 0
	for range 140 {
		waiting.Go(func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, at, strings.NewReader(listTools))
			if err != nil {
				return
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return
			}
			_ = resp.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			if resp.StatusCode == 503 {
				full++
			}
		})
	}
	require.Eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return full == 12 }, time.Minute, tick)
	status, _, text := post(t, at, id, pings)
	assert.Equal(t, 200, status, text)
	stop()
	waiting.Wait()
}

// A client that does not read its stream does not keep the server's answers from the others.
func TestAClientThatDoesNotReadHoldsUpNothing(t *testing.T) {
	w, c := newWorld(t), counted{t.TempDir()}
	at := w.front(c.server(), mcp.HTTPOptions{})
	u, err := url.Parse(at)
	require.NoError(t, err)
	conn, err := net.Dial("tcp", u.Host)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	body := `{"jsonrpc":"2.0","id":1,"method":"flood","params":{"_meta":{"progressToken":"t"}}}`
	_, err = fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", u.Host, len(body), body)
	require.NoError(t, err)
	require.Equal(t, "200", statusOf(t, conn))
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at, strings.NewReader(pings))
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err, "the other client waits")
	require.NoError(t, resp.Body.Close())
	require.Equal(t, 200, resp.StatusCode)
}
