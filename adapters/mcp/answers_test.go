package mcp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/mcp"
	"github.com/opencortex-go/cortex/cortex/journal"
)

const told = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"told"}]}}`

// What a client passes over is not its answer: what it reads is what comes after, or an error, and so is the record.
func TestWhatAClientPassesOverIsNoAnswer(t *testing.T) {
	odd := strings.Replace(told, "told", "odd", 1)
	for name, c := range map[string]struct{ kind, body, want string }{
		"an event of another type": {"text/event-stream", "event: other\ndata: " + odd + "\n\ndata: " + told +
			"\n\n", "told"},
		"the answer to another": {"application/json", strings.Replace(odd, `"id":1`, `"id":2`, 1), "refused"},
		"a request":             {"application/json", `{"jsonrpc":"2.0","id":1,"method":"odd"}`, "refused"},
		"an error with id null": {"application/json",
			`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no id"}}`, "refused"},
		"another version": {"text/event-stream", "data: " + strings.Replace(odd, "2.0", "1.0", 1) + "\n\n",
			"refused"},
		"a member of no message": {"application/json", strings.Replace(told, `"id"`, `"extra":"odd","id"`, 1), "told"},
	} {
		t.Run(name, func(t *testing.T) {
			at := answering(t, c.kind, c.body)
			w := newWorld(t)
			back, err := mcp.NewRemote(at, mcp.RemoteOptions{})
			require.NoError(t, err)
			_, said := ask(t, w.front(back, mcp.HTTPOptions{}),
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}`)
			lines := strings.Split(strings.TrimSpace(said), "\n")
			require.Contains(t, lines[len(lines)-1], c.want, said)
			require.Contains(t, lines[len(lines)-1], `"id":1`, said)
			require.NotContains(t, said, "odd")

			through := w.speak(back)
			through.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}`)
			said = through.hear()
			require.Contains(t, said, `"id":1`)
			require.Equal(t, c.want == "told", strings.Contains(said, "told"), said)
			require.NoError(t, through.leave())
			require.NoError(t, w.engine.Journal().Records(1, func(r journal.Record) error {
				require.NotContains(t, fmt.Sprint(r.Body), "odd")
				return nil
			}))
		})
	}
}

// answering is the address of a server that answers each call with one body.
func answering(t *testing.T, kind, body string) string {
	t.Helper()
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		var m struct{ Method string }
		_ = json.Unmarshal(raw, &m)
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case m.Method == "initialize":
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25",`+
				`"capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`)
		case m.Method != "tools/call":
			w.WriteHeader(http.StatusAccepted)
		default:
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, body)
		}
	}))
	t.Cleanup(at.Close)
	return at.URL + "/mcp"
}
