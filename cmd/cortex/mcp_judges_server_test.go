package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// asking is what the generating server reads of a message.
type asking struct {
	ID     json.RawMessage
	Method string
	Params struct{ Arguments struct{ N int } }
}

// greeted answers every request but the call of a tool; "" for a notification.
func (a asking) greeted() string {
	result := "{}"
	switch {
	case a.ID == nil:
		return ""
	case a.Method == "initialize":
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shapes","version":"1"}}`
	case a.Method == "tools/list":
		result = `{"tools":[{"name":"probe","inputSchema":{"type":"object"}}]}`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, a.ID, result)
}

// lull is what a server leaves between an answer that may be taken and one that will be.
const lull = 5 * time.Millisecond

// pendingCalls are the ids of the calls that a server has not answered.
type pendingCalls struct {
	sync.Mutex
	ids []int
}

func (p *pendingCalls) begin(id int) []int {
	p.Lock()
	defer p.Unlock()
	open := slices.Clone(p.ids)
	p.ids = append(p.ids, id)
	return open
}

func (p *pendingCalls) end(id int) {
	p.Lock()
	defer p.Unlock()
	p.ids = slices.DeleteFunc(p.ids, func(other int) bool { return other == id })
}

// answerCalls is a server on standard input and output that answers each call with a shape. Its argument is the seed.
func answerCalls() {
	seed, _ := strconv.Atoi(os.Args[1])
	var out sync.Mutex
	write := func(s string) {
		out.Lock()
		defer out.Unlock()
		if half := len(s) / 2; len(s)%3 == 0 { // in two parts
			_, _ = io.WriteString(os.Stdout, s[:half])
			s = s[half:]
		}
		_, _ = io.WriteString(os.Stdout, s+"\n")
	}
	var pending pendingCalls
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	var all sync.WaitGroup
	for in.Scan() {
		var a asking
		if json.Unmarshal(in.Bytes(), &a) != nil || a.Method == "" {
			continue
		}
		if a.Method != "tools/call" {
			if s := a.greeted(); s != "" {
				write(s)
			}
			continue
		}
		id, _ := strconv.Atoi(string(a.ID))
		open := pending.begin(id)
		all.Go(func() {
			defer pending.end(id)
			n := a.Params.Arguments.N
			time.Sleep(time.Duration(n%3) * time.Millisecond)
			s := newShapes(seed, n, " \t\r").shape(n, id, open)
			write(s.raw)
			if !s.sure {
				time.Sleep(lull)
				write(plainly(n, id))
			}
		})
	}
	all.Wait()
}

// answerHTTP is such a server over streamable HTTP: whole answers and streams.
func answerHTTP(t *testing.T, seed int) string {
	var pending pendingCalls
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var a asking
		switch {
		case r.Method == http.MethodGet:
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		case r.Method != http.MethodPost || json.Unmarshal(body, &a) != nil || a.ID == nil || a.Method == "":
			w.WriteHeader(http.StatusAccepted)
			return
		case a.Method == "initialize":
			w.Header().Set("Mcp-Session-Id", fmt.Sprint("s", time.Now().UnixNano()))
		}
		if a.Method != "tools/call" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, a.greeted())
			return
		}
		id, _ := strconv.Atoi(string(a.ID))
		open := pending.begin(id)
		defer pending.end(id)
		n := a.Params.Arguments.N
		g := newShapes(seed, n, " \t\r\n")
		s := g.shape(n, id, open)
		if g.one(2) {
			w.Header().Set("Content-Type", g.pick("application/json", "application/json; charset=utf-8"))
			_, _ = io.WriteString(w, s.raw)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		raw, heard := g.events(s.raw)
		half := len(raw) / (1 + g.IntN(4))
		_, _ = io.WriteString(w, raw[:half])
		_ = http.NewResponseController(w).Flush()
		_, _ = io.WriteString(w, raw[half:])
		if !heard || !s.sure && g.one(2) {
			_ = http.NewResponseController(w).Flush()
			time.Sleep(lull)
			_, _ = fmt.Fprintf(w, "data: %s\n\n", plainly(n, id))
		}
	}))
	t.Cleanup(s.Close)
	return strings.Replace(s.URL, "localhost", "127.0.0.1", 1) + "/mcp"
}
