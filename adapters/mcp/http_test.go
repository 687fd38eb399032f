package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/mcp"
)

const newer = "2026-07-28"

// heard is what a server over HTTP was sent.
type heard struct {
	mu    sync.Mutex
	calls []*http.Request
}

func (h *heard) last() *http.Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.calls) == 0 {
		return nil
	}
	return h.calls[len(h.calls)-1]
}

// remote is the server over HTTP, in both eras, and what it hears.
func remote(t testing.TB, stateless bool) (string, *heard) {
	t.Helper()
	s, h := notes("a"), &heard{}
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s },
		&sdk.StreamableHTTPOptions{Stateless: stateless})
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.calls = append(h.calls, r)
		h.mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(at.Close)
	return at.URL + "/mcp", h
}

// front serves a proxy over HTTP.
func (w *world) front(behind mcp.Backend, opt mcp.HTTPOptions) string {
	w.t.Helper()
	h, err := w.proxy.HTTP(behind, opt)
	require.NoError(w.t, err)
	at := httptest.NewServer(h)
	w.t.Cleanup(func() { at.Close(); require.NoError(w.t, h.Close()) })
	return at.URL + h.Path()
}

// ask posts a message with headers, and returns the status and the body.
func ask(t *testing.T, url, body string, headers ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		req.Header.Add(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(text)
}

func newerCall(tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}}}`, tool, args, newer)
}

// A header that tells another story than the body gets nowhere, and the body is judged.
func TestHeadersAreHeldAgainstTheBody(t *testing.T) {
	w := newWorld(t)
	url, h := remote(t, true)
	behind, err := mcp.NewRemote(url, mcp.RemoteOptions{})
	require.NoError(t, err)
	at := w.front(behind, mcp.HTTPOptions{})
	for name, c := range map[string]struct {
		body    string
		headers []string
		status  int
		want    string
	}{
		"as it should be": {newerCall("write", `{"path":"p"}`), []string{"Mcp-Protocol-Version", newer, "Mcp-Method",
			"tools/call", "Mcp-Name", "write"}, 200, "write p of a"},
		"rewritten": {newerCall("write", `{"path":"x"}`), []string{"Mcp-Protocol-Version", newer, "Mcp-Method",
			"tools/call", "Mcp-Name", "write"}, 200, "write y of a"},
		"denied": {newerCall("drop", `{}`), []string{"Mcp-Protocol-Version", newer, "Mcp-Method", "tools/call",
			"Mcp-Name", "drop"}, 200, `"resultType":"complete"`},
		"another method": {newerCall("drop", `{}`), []string{"Mcp-Protocol-Version", newer, "Mcp-Method", "tools/list",
			"Mcp-Name", "drop"}, 400, "-32020"},
		"another name": {newerCall("drop", `{}`), []string{"Mcp-Protocol-Version", newer, "Mcp-Method", "tools/call",
			"Mcp-Name", "read"}, 400, "-32020"},
		"in base64": {newerCall("drop", `{}`), []string{"Mcp-Protocol-Version", newer, "Mcp-Method", "tools/call",
			"Mcp-Name", "=?base64?cmVhZA==?="}, 400, "-32020"},
		"no name": {newerCall("write", `{}`), []string{"Mcp-Protocol-Version", newer, "Mcp-Method", "tools/call"},
			400, "-32020"},
		"twice": {newerCall("drop", `{}`), []string{"Mcp-Protocol-Version", newer, "Mcp-Method", "tools/call",
			"Mcp-Name", "drop", "Mcp-Name", "read"}, 400, "-32020"},
		"an older header": {newerCall("write", `{}`), []string{"Mcp-Protocol-Version", "2025-11-25"}, 400, "-32020"},
		"a parameter": {newerCall("write", `{"path":"p"}`), []string{"Mcp-Protocol-Version", newer, "Mcp-Method",
			"tools/call", "Mcp-Name", "write", "Mcp-Param-Path", "q"}, 400, "-32020"},
		"two keys": {`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`, nil, 400, "-32700"},
		"a list":   {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, nil, 400, "-32600"},
	} {
		before := h.last()
		status, text := ask(t, at, c.body, c.headers...)
		assert.Equal(t, c.status, status, "%s: %s", name, text)
		assert.Contains(t, text, c.want, name)
		if c.status != 200 || name == "denied" {
			assert.Same(t, before, h.last(), "%s: the server heard of it", name)
		}
	}
}

// A header that repeats an argument has what the rules made of the argument. A header that says
// something else than the body is refused, as is a body whose header is missing.
func TestHeadersFollowARewrite(t *testing.T) {
	s, h := sdk.NewServer(&sdk.Implementation{Name: "a", Version: "1"}, nil), &heard{}
	s.AddTool(&sdk.Tool{Name: "write", InputSchema: json.RawMessage(
		`{"type":"object","properties":{"path":{"type":"string","x-mcp-header":"Path"}}}`)},
		func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(r.Params.Arguments)}}}, nil
		})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s },
		&sdk.StreamableHTTPOptions{Stateless: true})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.calls = append(h.calls, r)
		h.mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	defer server.Close()
	w := newWorld(t)
	behind, err := mcp.NewRemote(server.URL, mcp.RemoteOptions{})
	require.NoError(t, err)
	at := w.front(behind, mcp.HTTPOptions{})
	head := []string{"Mcp-Protocol-Version", newer, "Mcp-Method"}
	status, text := ask(t, at, strings.Replace(strings.Replace(newerCall("x", `{}`), "tools/call", "tools/list", 1),
		`"name":"x","arguments":{},`, "", 1), append(head, "tools/list")...)
	require.Equal(t, 200, status, text) // the proxy has seen the definition
	head = append(head, "tools/call", "Mcp-Name", "write")
	for said, got := range map[string]string{"x": "y", "p": "p", "p\u00e9": "=?base64?cMOp?="} {
		header := said
		if said == "p\u00e9" {
			header = got
		}
		status, text := ask(t, at, newerCall("write", `{"path":"`+said+`"}`), append(head, "Mcp-Param-Path", header)...)
		require.Equal(t, 200, status, text)
		assert.Equal(t, []string{got}, h.last().Header.Values("Mcp-Param-Path"))
		if said == "x" {
			assert.Contains(t, text, `{\"path\":\"y\"}`)
		}
	}
	before := h.last()
	for _, more := range [][]string{{"Mcp-Param-Path", "q"}, nil} {
		status, text = ask(t, at, newerCall("write", `{"path":"p"}`), append(head, more...)...)
		assert.Equal(t, 400, status, text)
	}
	assert.Same(t, before, h.last())
}

// Neither a web page elsewhere nor a client without the token uses a proxy on this machine.
func TestWhoMayCallOverHTTP(t *testing.T) {
	w := newWorld(t)
	url, _ := remote(t, true)
	behind, err := mcp.NewRemote(url, mcp.RemoteOptions{})
	require.NoError(t, err)
	open, closed := w.front(behind, mcp.HTTPOptions{}), w.front(behind, mcp.HTTPOptions{Token: "0123456789abcdef",
		Hosts: []string{"tools.example"}})
	body := newerCall("write", `{"path":"p"}`)
	ok := []string{"Mcp-Protocol-Version", newer, "Mcp-Method", "tools/call", "Mcp-Name", "write"}
	for _, c := range []struct {
		at      string
		headers []string
		status  int
	}{
		{open, nil, 200},
		{open, []string{"Host", "localhost"}, 200},
		{open, []string{"Host", "evil.example"}, 403},
		{open, []string{"Host", "localhost.evil.example:80"}, 403},
		{open, []string{"Origin", "http://127.0.0.1:3000"}, 200},
		{open, []string{"Origin", "https://evil.example"}, 403},
		{open, []string{"Origin", "null"}, 403},
		{closed, nil, 401},
		{closed, []string{"Authorization", "Bearer 0123456789abcdeX"}, 401},
		{closed, []string{"Authorization", "Bearer 0123456789abcdef"}, 200},
		{closed, []string{"Authorization", "Bearer 0123456789abcdef", "Host", "tools.example"}, 200},
	} {
		status, text := ask(t, c.at, body, append(c.headers, ok...)...)
		assert.Equal(t, c.status, status, "%v: %s", c.headers, text)
	}
}

// A token that a client sends was not issued for the server behind, and never gets there.
func TestNoTokenIsPassedOn(t *testing.T) {
	w := newWorld(t)
	url, h := remote(t, true)
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte("ours-for-the-server\n"), 0o600))
	for _, c := range []struct {
		opt  mcp.RemoteOptions
		want string
	}{{mcp.RemoteOptions{}, ""}, {mcp.RemoteOptions{Token: file}, "Bearer ours-for-the-server"}} {
		behind, err := mcp.NewRemote(url, c.opt)
		require.NoError(t, err)
		status, text := ask(t, w.front(behind, mcp.HTTPOptions{}), newerCall("write", `{"path":"p"}`),
			"Mcp-Protocol-Version", newer,
			"Mcp-Method", "tools/call", "Mcp-Name", "write", "Authorization", "Bearer of-the-client", "Cookie", "session=1",
			"X-Api-Key", "k",
			"Traceparent", "00-1-2-03")
		require.Equal(t, 200, status, text)
		got := h.last().Header
		assert.Equal(t, c.want, got.Get("Authorization"))
		assert.Equal(t, "00-1-2-03", got.Get("Traceparent"))
		assert.Empty(t, got.Values("Cookie"))
		assert.Empty(t, got.Values("X-Api-Key"))
	}
}

// A client of the SDK uses each kind of front before each kind of server, in both eras.
func TestEveryWayThrough(t *testing.T) {
	for _, stateless := range []bool{true, false} {
		url, _ := remote(t, stateless)
		for name, behind := range map[string]func() mcp.Backend{
			"command": func() mcp.Backend { return server("a") },
			"address": func() mcp.Backend { r, _ := mcp.NewRemote(url, mcp.RemoteOptions{}); return r },
		} {
			t.Run(fmt.Sprintf("%s stateless=%t over http", name, stateless), func(t *testing.T) {
				w := newWorld(t)
				uses(t, &sdk.StreamableClientTransport{Endpoint: w.front(behind(), mcp.HTTPOptions{})})
			})
			t.Run(fmt.Sprintf("%s stateless=%t over stdio", name, stateless), func(t *testing.T) {
				w := newWorld(t)
				theirs, in := io.Pipe()
				out, mine := io.Pipe()
				over := make(chan error, 1)
				go func() { over <- w.proxy.Stdio(t.Context(), behind(), theirs, mine) }()
				uses(t, &sdk.IOTransport{Reader: out, Writer: in})
				_ = in.Close()
				require.NoError(t, <-over)
			})
		}
	}
}

// uses does what clients do.
func uses(t *testing.T, by sdk.Transport) {
	t.Helper()
	ctx := context.Background()
	s, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, nil).Connect(ctx, by, nil)
	require.NoError(t, err)
	list, err := s.ListTools(ctx, nil)
	require.NoError(t, err)
	require.Len(t, list.Tools, 4)
	for args, want := range map[string]string{"p": "write p of a", "x": "write y of a",
		"/etc/passwd": "Denied by rule writes/out: stay among the notes"} {
		r, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "write", Arguments: map[string]any{"path": args}})
		require.NoError(t, err)
		require.Equal(t, want, r.Content[0].(*sdk.TextContent).Text)
		require.Equal(t, args == "/etc/passwd", r.IsError)
	}
	got, err := s.ReadResource(ctx, &sdk.ReadResourceParams{URI: "note://a"})
	require.NoError(t, err)
	require.Equal(t, "about a", got.Contents[0].Text)
	require.NoError(t, s.Close())
}
