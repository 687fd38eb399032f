package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/adapters/mcp"
)

// paged is a server whose list of tools has these pages, by the cursor that asks for them. "*" is for any other
// cursor. While a file of the name gate is missing, it answers no request for the list.
func paged(in io.Reader, out io.Writer, pages, gate string) {
	var by map[string]json.RawMessage
	if err := json.Unmarshal([]byte(pages), &by); err != nil {
		panic(err)
	}
	var mu sync.Mutex
	say := func(id, result json.RawMessage) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
	}
	if dir := os.Getenv("MCP_TEST_PIDS"); dir != "" {
		_ = os.WriteFile(filepath.Join(dir, fmt.Sprint(os.Getpid())), nil, 0o600)
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Cursor string
				Meta   struct{ ProgressToken json.RawMessage } `json:"_meta"`
			}
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		switch m.Method {
		case "exit":
			return
		case "flood":
			for n := range 30000 {
				_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"notifications/progress",`+
					`"params":{"progressToken":%s,`+
					`"progress":%d,"message":"%01000d"}}`+"\n", m.Params.Meta.ProgressToken, n, n)
			}
			say(m.ID, json.RawMessage(`{}`))
		case "initialize":
			switch os.Getenv("MCP_TEST_GREETING") {
			case "none":
				continue
			case "error":
				_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no"}}`+"\n", m.ID)
				continue
			}
			say(m.ID, json.RawMessage(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},`+
				`"serverInfo":{"name":"p","version":"1"}}`))
		case "tools/list":
			page := by[m.Params.Cursor]
			if page == nil {
				page = by["*"]
			}
			go func() {
				for _, err := os.Stat(gate); gate != "" && err != nil; _, err = os.Stat(gate) {
					time.Sleep(tick)
				}
				say(m.ID, page)
			}()
		default:
			say(m.ID, json.RawMessage(`{"content":[{"type":"text","text":"ran"}]}`))
		}
	}
}

func pagedServer(pages string, env ...string) mcp.Command {
	self, _ := os.Executable()
	return mcp.Command{Args: []string{self}, Env: append(append(os.Environ(), "MCP_TEST_PAGES="+pages), env...),
		Err: os.Stderr}
}

// one is a capability that may be started.
type one struct{ client.Capability }

func (o one) Capabilities(ctx context.Context, since string, hold time.Duration) ([]client.Capability, string, error) {
	if since != "" {
		select {
		case <-ctx.Done():
		case <-time.After(hold):
		}
	}
	return []client.Capability{o.Capability}, "v", nil
}

func (one) Call(context.Context, client.Request) (client.Ruling, client.Outcome, error) {
	return client.Ruling{}, client.Outcome{}, fmt.Errorf("nothing is started here")
}

// names are those of the tools in an answer, and the cursor of the next page.
func names(t *testing.T, line string) (all []string, next any) {
	t.Helper()
	var m struct {
		Result struct {
			Tools []struct{ Name string }
			Next  any `json:"nextCursor"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(line), &m), line)
	for _, tool := range m.Result.Tools {
		all = append(all, tool.Name)
	}
	return all, m.Result.Next
}

// A server that names a next page that is none is not asked for it a hundred times, and hides no capability.
func TestAListEndsWhereItsServerHasNoMore(t *testing.T) {
	for what, c := range map[string]struct {
		pages  string
		merged []string // what a client reads behind a merge
		first  []string // what it reads on the first page of a server alone
	}{
		"null": {`{"":{"tools":[{"name":"read"}],"nextCursor":null},"*":{"tools":[{"name":"read"}],"nextCursor":null}}`,
			[]string{"p__read", "site.publish"}, []string{"read", "site.publish"}},
		"empty": {`{"":{"tools":[{"name":"read"}],"nextCursor":""},"*":{"tools":[{"name":"read"}],"nextCursor":""}}`,
			[]string{"p__read", "site.publish"}, []string{"read", "site.publish"}},
		"a number": {`{"":{"tools":[{"name":"read"}],"nextCursor":7},"*":{"tools":[{"name":"read"}],"nextCursor":7}}`,
			[]string{"p__read", "site.publish"}, []string{"read", "site.publish"}},
		"the same page again": {`{"*":{"tools":[{"name":"read"}],"nextCursor":"x"}}`,
			[]string{"p__read", "site.publish"}, []string{"read", "site.publish"}},
		"in a circle": {`{"":{"tools":[{"name":"read"}],"nextCursor":"x"},"x":{"tools":[{"name":"write"}],` +
			`"nextCursor":"y"},` +
			`"y":{"tools":[],"nextCursor":"x"}}`, []string{"p__read", "p__write", "site.publish"},
			[]string{"read", "site.publish"}},
		"two pages": {`{"":{"tools":[{"name":"read"}],"nextCursor":"x"},"x":{"tools":[{"name":"write"},` +
			`{"name":"site.publish"}]}}`,
			[]string{"p__read", "p__write", "p__site.publish", "site.publish"}, []string{"read", "site.publish"}},
	} {
		w := newWorld(t, func(o *mcp.Options) {
			o.Capabilities = one{client.Capability{Name: "site.publish", Schema: json.RawMessage(`{"type":"object"}`)}}
			o.Part = time.Minute
		})
		s := w.speak(mcp.Merge{"p": pagedServer(c.pages)})
		got, next := names(t, s.list())
		assert.Equal(t, c.merged, got, what)
		assert.Nil(t, next, what)
		require.NoError(t, s.leave())
		s = w.speak(pagedServer(c.pages))
		got, _ = names(t, s.list())
		assert.Equal(t, c.first, got, what)
		if what == "two pages" {
			s.say(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"x"}}`)
			got, _ = names(t, s.hear())
			assert.Equal(t, []string{"write"}, got,
				"the server's tool of that name is not offered beside the capability")
		}
		require.NoError(t, s.leave())
	}
}

// heardLog is a log that can be read while it is written.
type heardLog struct {
	mu sync.Mutex
	b  strings.Builder
}

func (h *heardLog) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.b.Write(p)
}

func (h *heardLog) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.b.String()
}

// A server of a merge that does not answer holds up nothing: the others' list is there, the log names the server,
// and when its list comes the client is told to ask again.
func TestAServerThatDoesNotListHoldsUpNothing(t *testing.T) {
	var log heardLog
	w := newWorld(t, func(o *mcp.Options) {
		o.Part, o.Logger = time.Second, slog.New(slog.NewTextHandler(&log, nil))
	})
	gate := filepath.Join(t.TempDir(), "open")
	s := w.speak(mcp.Merge{"a": pagedServer(`{"*":{"tools":[{"name":"read"}]}}`),
		"slow": pagedServer(`{"*":{"tools":[{"name":"write"}]}}`, "MCP_TEST_GATE="+gate)})
	noted, id := false, 100
	list := func() []string {
		id++
		s.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, id))
		for {
			line := s.hear()
			if strings.Contains(line, fmt.Sprintf(`"id":%d,`, id)) {
				got, _ := names(t, line)
				return got
			}
			noted = noted || strings.Contains(line, "notifications/tools/list_changed")
		}
	}
	require.Eventually(t, func() bool { return assert.ObjectsAreEqual([]string{"a__read"}, list()) }, time.Minute, tick)
	require.Contains(t, log.String(), "server=slow")
	require.NoError(t, os.WriteFile(gate, nil, 0o600))
	for !noted {
		noted = strings.Contains(s.hear(), "notifications/tools/list_changed")
	}
	require.Eventually(t, func() bool { return assert.ObjectsAreEqual([]string{"a__read", "slow__write"}, list()) },
		time.Minute, tick)
	require.NoError(t, os.Remove(gate))
	require.Eventually(t, func() bool {
		return strings.Count(log.String(), "server=slow") > 1 && len(list()) == 2 ||
			len(list()) < 2
	}, time.Minute, tick)
	require.Equal(t, []string{"a__read", "slow__write"}, list(), "what it said before is given")
}

// A call of a tool that the server does not have is answered at once: no rule and no person is asked about it, and
// the answer names the tool that is near.
func TestAToolThatIsNotThereIsDeniedAtOnce(t *testing.T) {
	w := newWorld(t, func(o *mcp.Options) { o.Wait = 1 })
	lists := `[[{"name":"read"},{"name":"write"}],[{"name":"frobnicate"}]]`
	for prefix, behind := range map[string]mcp.Backend{"": wildly(lists), "w__": mcp.Merge{"w": wildly(lists)}} {
		s := w.speak(behind)
		require.Equal(t, "ask", s.call(prefix+"frobnicate", `{}`).Structured.Cortex.Decision,
			"which tools there are is not known yet")
		require.NoError(t, w.engine.Deny(t.Context(), w.card().Token, w.ana, "no"))
		s.list()
		for name, near := range map[string]string{"wriet": "did you mean " + prefix + "write?",
			"frobnicate": "list them again"} {
			text := s.refused(prefix + name)
			require.Contains(t, text, `Denied: the server has no tool "`+prefix+name+`"`)
			require.Contains(t, text, near)
		}
		for a, err := range w.engine.Pending(t.Context()) {
			require.NoError(t, err)
			t.Fatalf("a person is asked about %s", a.Action.Canonical())
		}
		require.Equal(t, "ran write", s.call(prefix+"write", `{"path":"p"}`).text())
		s.list() // it is another one now
		require.Equal(t, "ask", s.call(prefix+"frobnicate", `{}`).Structured.Cortex.Decision)
		require.NoError(t, w.engine.Deny(t.Context(), w.card().Token, w.ana, "no"))
		require.NoError(t, s.leave())
	}
	s := w.speak(mcp.Merge{"w": wildly(lists)})
	require.Contains(t, s.refused("v__write"), `no server here has a tool "v__write"`)
	require.Contains(t, s.refused("write"), `no server here has a tool "write"`)
}

// refused calls a tool, and returns the text of the error that the client gets.
func (s *speaker) refused(tool string) string {
	s.t.Helper()
	s.say(`{"jsonrpc":"2.0","id":901,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"path":"p"}}}`)
	line := s.hear()
	var m struct {
		Error struct {
			Code    int
			Message string
		}
	}
	require.NoError(s.t, json.Unmarshal([]byte(line), &m))
	require.Equal(s.t, -32602, m.Error.Code, line)
	return m.Error.Message
}
