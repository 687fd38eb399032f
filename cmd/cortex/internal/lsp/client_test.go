package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
	"github.com/opencortex-go/cortex/skills/rules"
)

// client is an editor: it has a folder of files, opens some, and keeps what it is told.
type client struct {
	t      *testing.T
	dir    string
	conn   *jsonrpc2.Conn
	server chan error

	mu      sync.Mutex
	told    map[string]diagnostics
	refresh int
	news    chan struct{}
}

// mark is where the cursor stands in the texts of tests.
const mark = "▮"

// start starts a server and a client in a folder with these files, whose marks are left
// out. Options may be nil.
func start(t *testing.T, files map[string]string, change func(dir string, o *Options)) *client {
	t.Helper()
	c := &client{t: t, dir: t.TempDir(), server: make(chan error, 1), told: map[string]diagnostics{},
		news: make(chan struct{}, 100)}
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(c.dir, name), []byte(strings.ReplaceAll(text, mark, "")), 0o600))
	}
	o := Options{Loader: reason.Loader(rules.Loader{Functions: secrets.Functions()}), Version: "test", Log: t.Output(),
		Lint: (*rules.Rulebook).Warnings}
	if change != nil {
		change(c.dir, &o)
	}
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		c.server <- Serve(ctx, toServer, fromServer, o)
		_ = fromServer.Close()
	}()
	stream := jsonrpc2.NewBufferedStream(struct {
		io.Reader
		io.WriteCloser
	}{toClient, fromClient}, jsonrpc2.VSCodeObjectCodec{})
	c.conn = jsonrpc2.NewConn(ctx, stream, jsonrpc2.HandlerWithError(c.handle))
	t.Cleanup(func() {
		stop()
		_ = fromClient.Close()
		_ = c.conn.Close()
	})
	var got struct {
		Capabilities map[string]any
		ServerInfo   struct{ Name string }
	}
	c.ask("initialize", map[string]any{"capabilities": map[string]any{
		"workspace": map[string]any{"codeLens": map[string]any{"refreshSupport": true}}}}, &got)
	assert.Equal(t, "cortex lsp", got.ServerInfo.Name)
	assert.Equal(t, "utf-16", got.Capabilities["positionEncoding"])
	c.tell("initialized", map[string]any{})
	return c
}

// handle takes what the server says of itself.
func (c *client) handle(_ context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) (any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch req.Method {
	case "textDocument/publishDiagnostics":
		var d diagnostics
		if err := json.Unmarshal(*req.Params, &d); err != nil {
			return nil, err
		}
		c.told[d.URI] = d
	case "workspace/codeLens/refresh":
		c.refresh++
	}
	c.news <- struct{}{}
	return nil, nil
}

func (c *client) tell(method string, params any) {
	c.t.Helper()
	require.NoError(c.t, c.conn.Notify(c.t.Context(), method, params))
}

// ask asks, and fails the test on an error.
func (c *client) ask(method string, params, result any) {
	c.t.Helper()
	require.NoError(c.t, c.try(method, params, result))
}

func (c *client) try(method string, params, result any) error {
	ctx, stop := context.WithTimeout(c.t.Context(), 10*time.Second)
	defer stop()
	return c.conn.Call(ctx, method, params, result)
}

func (c *client) uri(name string) string { return uriOf(filepath.Join(c.dir, name)) }

// open opens a text, and returns where its mark stands.
func (c *client) open(name, text string) place {
	c.t.Helper()
	c.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": c.uri(name), "languageId": "cortex", "version": 1, "text": strings.Replace(text, mark, "", 1)}})
	return c.at(name, text)
}

// change replaces an open text.
func (c *client) change(name, text string, version int) place {
	c.t.Helper()
	c.tell("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": c.uri(name), "version": version},
		"contentChanges": []map[string]any{{"text": strings.Replace(text, mark, "", 1)}}})
	return c.at(name, text)
}

func (c *client) at(name, text string) place {
	p := place{TextDocument: document{URI: c.uri(name)}}
	if off := strings.Index(text, mark); off >= 0 {
		p.Position = newText(strings.Replace(text, mark, "", 1)).position(off)
	}
	return p
}

// wrongs waits for the diagnostics of a version of a text; -1 is a file that is not open.
func (c *client) wrongs(name string, version int) []diagnostic {
	c.t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		c.mu.Lock()
		d, ok := c.told[c.uri(name)]
		c.mu.Unlock()
		if ok && (version < 0 || d.Version != nil && *d.Version == version) {
			return d.Diagnostics
		}
		select {
		case <-c.news:
		case <-deadline:
			require.FailNow(c.t, "nothing was published", name)
		}
	}
}

// hovered is what the server says of the mark.
func (c *client) hovered(p place) string {
	c.t.Helper()
	var h *hover
	c.ask("textDocument/hover", p, &h)
	if h == nil {
		return ""
	}
	return h.Contents.Value
}

// completed lists the labels of what may stand at the mark.
func (c *client) completed(p place) []string {
	c.t.Helper()
	var list completionList
	c.ask("textDocument/completion", p, &list)
	out := make([]string, len(list.Items))
	for i, item := range list.Items {
		out[i] = item.Label
	}
	return out
}

// texts shows locations as the words that stand there.
func (c *client) texts(list []location, files map[string]string) []string {
	c.t.Helper()
	out := make([]string, len(list))
	for i, l := range list {
		name := l.URI[strings.LastIndexByte(l.URI, '/')+1:]
		t := newText(strings.Replace(files[name], mark, "", 1))
		from, to := t.offset(l.Range.Start), t.offset(l.Range.End)
		line := t.position(from).Line + 1
		out[i] = name + ":" + itoa(line) + " " + t.src[from:to]
	}
	return out
}

func itoa(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

// apply makes the edits of a rename.
func (c *client) apply(files map[string]string, edits workspaceEdit) map[string]string {
	c.t.Helper()
	out := map[string]string{}
	for name, text := range files {
		t := newText(strings.Replace(text, mark, "", 1))
		src := t.src
		for _, e := range edits.Changes[c.uri(name)] { // from the end of each text
			src = src[:t.offset(e.Range.Start)] + e.NewText + src[t.offset(e.Range.End):]
		}
		out[name] = src
	}
	return out
}

func TestMessagesAreBounded(t *testing.T) {
	in := strings.NewReader("Content-Length: 99999999999\r\n\r\n{}")
	var v any
	assert.ErrorContains(t, codec{}.ReadObject(bufio.NewReader(in), &v), "expected at most")
	in = strings.NewReader("Content-Length: 2\r\nContent-Type: x\r\n\r\n{}")
	assert.NoError(t, codec{}.ReadObject(bufio.NewReader(in), &v))
}
