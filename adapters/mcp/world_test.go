package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/api"
	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/adapters/mcp"
	"github.com/opencortex-go/cortex/cortex"
)

// TestMain lets this program be the server behind the proxy: a process of its own.
func TestMain(m *testing.M) {
	if written := os.Getenv("MCP_TEST_SCRIPT"); written != "" {
		play(os.Stdin, os.Stdout, written, os.Getenv("MCP_TEST_NOTES"))
		return
	}
	if lists := os.Getenv("MCP_TEST_LISTS"); lists != "" {
		wild(os.Stdin, os.Stdout, lists)
		return
	}
	if pages := os.Getenv("MCP_TEST_PAGES"); pages != "" {
		paged(os.Stdin, os.Stdout, pages, os.Getenv("MCP_TEST_GATE"))
		return
	}
	if name := os.Getenv("MCP_TEST_SERVER"); name != "" {
		_ = notes(name).Run(context.Background(), &sdk.StdioTransport{})
		return
	}
	os.Exit(m.Run())
}

type noteIn struct {
	Path string `json:"path,omitempty"`
	N    int    `json:"n,omitempty"`
}

// notes is a server with tools that say what they were given. $MCP_TEST_DOC is what it says
// of the tool write.
func notes(name string) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: name, Version: "1"}, &sdk.ServerOptions{Instructions: "Notes of " +
		"" + name + "."})
	for _, tool := range []string{"read", "write", "drop", "push"} {
		doc := tool + "s a <note> & more"
		if tool == "write" {
			doc += os.Getenv("MCP_TEST_DOC")
		}
		sdk.AddTool(s, &sdk.Tool{Name: tool, Description: doc},
			func(_ context.Context, _ *sdk.CallToolRequest, in noteIn) (*sdk.CallToolResult, any, error) {
				text := fmt.Sprintf("%s %s of %s", tool, in.Path, name)
				if in.Path == "token" {
					text = os.Getenv("SECRET")
				}
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil, nil
			})
	}
	s.AddPrompt(&sdk.Prompt{Name: "greet"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user",
			Content: &sdk.TextContent{Text: "greet " + name}}}}, nil
	})
	s.AddResource(&sdk.Resource{Name: "about", URI: "note://" + name}, func(_ context.Context,
		r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, Text: "about " + name}}}, nil
	})
	return s
}

// server is that server, behind a proxy.
func server(name string, env ...string) mcp.Command {
	self, _ := os.Executable()
	return mcp.Command{Args: []string{self}, Env: append(os.Environ(), append(env, "MCP_TEST_SERVER="+name)...),
		Err: os.Stderr}
}

const rules = `
(deftool read :params (:path string) :tier :allow :effect :none :output :untrusted)
(deftool write :params (:path string) :tier :allow)
(deftool drop :params (:path string) :tier :deny)
(deftool push :params (:path string :n number) :tier :ask)
(deftool mcp_definition :params (:server string :name string :before string :after string :digest string) :tier :ask)
(defskill writes :trigger (= action.tool "write")
  :gate ((deny out :when (= action.args.path "/etc/passwd") :reason "stay among the notes")
         (rewrite tmp :when (= action.args.path "x") :set (:path "y") :reason "y is the one")))`

// world is a daemon's engine, and a proxy that asks it.
type world struct {
	t      testing.TB
	engine *cortex.Engine
	proxy  *mcp.Proxy
	ana    cortex.Approver
}

func newWorld(t testing.TB, change ...func(*mcp.Options)) *world {
	t.Helper()
	return newWorldOf(t, rules, change...)
}

// newWorldOf is newWorld with other rules.
func newWorldOf(t testing.TB, rules string, change ...func(*mcp.Options)) *world {
	t.Helper()
	w := &world{t: t}
	var err error
	eo := cortex.Options{Rules: fstest.MapFS{"r.lisp": {Data: []byte(rules)}}, Live: true}
	if _, timed := t.(*testing.B); timed {
		eo.Dir = t.TempDir() // what a disk takes is part of a call
	}
	w.engine, err = cortex.Open(t.Context(), eo)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.engine.Close()) })
	secret, err := w.engine.Approvals().Pair(t.Context(), false)
	require.NoError(t, err)
	w.ana, err = w.engine.Approvals().Operator(secret, "test")
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "cx")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	at := filepath.Join(dir, "s", "api.sock")
	s, err := api.Listen(api.Options{Engine: w.engine, Socket: at})
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- s.Serve(context.Background()) }()
	t.Cleanup(func() { require.NoError(t, s.Close()); require.NoError(t, <-done) })
	judge := client.New(at)
	t.Cleanup(judge.Close)
	opt := mcp.Options{Name: "notes", Judge: judge, Wait: time.Minute, Beat: 20 * time.Millisecond}
	for _, f := range change {
		f(&opt)
	}
	w.proxy, err = mcp.New(opt)
	require.NoError(t, err)
	return w
}

// card waits for the card that waits for a person.
func (w *world) card() *cortex.Approval {
	w.t.Helper()
	var found *cortex.Approval
	require.Eventually(w.t, func() bool {
		for a, err := range w.engine.Pending(context.Background()) {
			found = a
			return err == nil
		}
		return false
	}, 10*time.Second, 5*time.Millisecond, "no card")
	return found
}

// speaker is a client on standard input and output.
type speaker struct {
	t    testing.TB
	in   io.WriteCloser
	said chan string
	over chan error
	once sync.Once
}

// speak starts a proxy for one client, past the greeting.
func (w *world) speak(behind mcp.Backend) *speaker {
	w.t.Helper()
	s := w.start(behind)
	s.say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	require.Contains(w.t, s.hear(), `"protocolVersion":"2025-11-25"`)
	s.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

func (w *world) start(behind mcp.Backend) *speaker {
	w.t.Helper()
	s := &speaker{t: w.t, said: make(chan string, 100), over: make(chan error, 1)}
	theirs, in := io.Pipe()
	out, mine := io.Pipe()
	s.in = in
	go func() {
		s.over <- w.proxy.Stdio(w.t.Context(), behind, theirs, mine)
		_ = mine.Close()
	}()
	go func() {
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			s.said <- lines.Text()
		}
		close(s.said)
	}()
	w.t.Cleanup(func() { require.NoError(w.t, s.leave()) })
	return s
}

func (s *speaker) say(line string) {
	s.t.Helper()
	_, err := io.WriteString(s.in, line+"\n")
	require.NoError(s.t, err)
}

func (s *speaker) hear() string {
	s.t.Helper()
	select {
	case line := <-s.said:
		return line
	case <-time.After(time.Minute):
		s.t.Fatal("the proxy says nothing")
		return ""
	}
}

// leave closes the client's side, and waits for the proxy.
func (s *speaker) leave() (err error) {
	s.once.Do(func() {
		_ = s.in.Close()
		err = <-s.over
	})
	return err
}

var ids int

// call calls a tool and returns the result.
func (s *speaker) call(tool, args string) result {
	s.t.Helper()
	ids++
	s.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, 1000+ids,
		tool, args))
	return read(s.t, s.hear())
}

// result is what a client reads of a call.
type result struct {
	IsError    bool
	ResultType string
	Content    []struct{ Text string }
	Structured struct{ Cortex cortexSays } `json:"structuredContent"`
}

type cortexSays struct {
	Decision, Rule, Approval string
	ID                       string `json:"decision_id"`
	Retryable                bool
}

func (r result) text() string {
	if len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].Text
}

func read(t testing.TB, line string) result {
	t.Helper()
	var m struct{ Result result }
	require.NoError(t, json.Unmarshal([]byte(line), &m), line)
	require.True(t, strings.Contains(line, `"result"`), line)
	return m.Result
}
