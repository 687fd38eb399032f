package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/oracle"
)

const publishing = `
(defcapability site.publish
  :version "1.0.0" :owner "web" :scope :project :doc "Puts a page in place of the one that is shown."
  :inputs (:page string) :required (:page) :outputs (:line string)
  :once (:key ("publish" :page))
  :plan ((keep :tool "shell" :args (:cmd "cp index.html before.html") :undo "a copy harms nothing")
         (put :tool "shell" :args (:cmd "cp {{page}} far.html") :undo "it is put back by hand")
         (look :tool "shell" :args (:cmd "cat far.html") :out (:line text) :undo "only reads"))
  :result (:line "{{work.line}}")
  :tests ((works :inputs (:page "next.html") :stubs (:look (:text "new")) :expect (:status :ok)))
  :rates (:unit 1.0))
`

// publisher is a daemon with a shell, in which site.publish is in force.
func publisher(t *testing.T) place {
	pl, _ := hostDaemon(t, `
(deftool shell :params (:cmd command) :required (:cmd) :tier :allow :effect :external)
(defskill guard :trigger (= action.tool "shell")
  :gate ((deny secret :when (contains? action.args.cmd "secret.html") :reason "that page is not for the world")
         (ask far :when (starts-with? action.args.cmd "cp next") :reason "the world sees it")))`)
	pl.write("work/index.html", "old\n")
	pl.write("work/next.html", "new\n")
	pl.write("work/secret.html", "secret\n")
	pl.publishes()
	return pl
}

// publishes puts site.publish in force.
func (pl place) publishes() {
	pl.t.Helper()
	pl.write("publish.lisp", publishing)
	for _, verb := range []string{"register publish.lisp", "test site.publish", "try site.publish",
		"activate site.publish"} {
		pl.orders(verb)
	}
}

// orders has an operator say something about capabilities.
func (pl place) orders(verb string) {
	pl.t.Helper()
	args := append([]string{"capability"}, strings.Fields(verb)...)
	out, err := command(pl, append(args, "--socket", "run/c.sock", "--secret", "secret")...).CombinedOutput()
	require.NoError(pl.t, err, string(out))
}

// client is a client of the official SDK; changed counts how often it hears that the list of tools is old.
func (pl place) client(to sdk.Transport) (s *sdk.ClientSession, changed chan bool) {
	pl.t.Helper()
	changed = make(chan bool, 10)
	s, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, &sdk.ClientOptions{
		ToolListChangedHandler: func(_ context.Context, _ *sdk.ToolListChangedRequest) { changed <- true }}).
		Connect(pl.t.Context(), to, nil)
	require.NoError(pl.t, err)
	pl.t.Cleanup(func() { _ = s.Close() })
	return s, changed
}

// proxy is the command that stands before the workflows of the daemon.
func (pl place) proxy(t *testing.T, flags ...string) *exec.Cmd {
	args := append([]string{"mcp", "--socket", pl.path("run/c.sock")}, flags...)
	cmd := command(pl, append(args, "--", installed(t), "mcp", "--socket", pl.path("run/c.sock"))...)
	cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+pl.path("pins"))
	return cmd
}

// A client of MCP finds capabilities among the tools of the server, and calls one: what a rule denies is refused
// whole and names its step; what asks waits for people, as any call does; and one yes runs it.
func TestACapabilityOverMCP(t *testing.T) {
	pl := publisher(t)
	s, changed := pl.client(&sdk.CommandTransport{Command: pl.proxy(t, "--wait", "1s")})
	followsCapabilities(t, pl, s, changed)
	isGone(t, s)
}

// The same over streamable HTTP.
func TestACapabilityOverHTTP(t *testing.T) {
	pl := publisher(t)
	s, changed := pl.client(&sdk.StreamableClientTransport{Endpoint: pl.listening(t),
		HTTPClient: &http.Client{Transport: bearer(listenToken)}})
	followsCapabilities(t, pl, s, changed)
	isGone(t, s)
}

// The same before a server that is reached by its address, and which has a tool of the capability's name.
func TestACapabilityBeforeAnAddress(t *testing.T) {
	pl := publisher(t)
	cmd := command(pl, "mcp", "--socket", pl.path("run/c.sock"), "--wait", "1s", "--url", pl.listening(t),
		"--upstream-token", pl.path("token"))
	cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+pl.path("pins"))
	s, changed := pl.client(&sdk.CommandTransport{Command: cmd})
	followsCapabilities(t, pl, s, changed)
	_, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "site.publish", Arguments: map[string]any{"page": "x"}})
	require.ErrorContains(t, err, `the server has no tool "site.publish". If`, "it would be the server's now")
}

// listenToken is what clients show to a proxy over HTTP.
const listenToken = "0123456789abcdef0123456789abcdef"

// bearer adds this token to each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// listening is the address of the proxy. Its token is in the file token.
func (pl place) listening(t *testing.T) string {
	pl.write("token", listenToken)
	cmd := pl.proxy(t, "--wait", "1s", "--listen", "127.0.0.1:0", "--token", pl.path("token"))
	var out logged
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	serving := regexp.MustCompile(`serving (http://\S+)`)
	require.Eventually(t, func() bool { return serving.MatchString(out.String()) }, time.Minute, 10*time.Millisecond)
	return serving.FindStringSubmatch(out.String())[1]
}

func followsCapabilities(t *testing.T, pl place, s *sdk.ClientSession, changed chan bool) {
	t.Helper()
	names := func() (all []string) {
		t.Helper()
		list, err := s.ListTools(t.Context(), nil)
		require.NoError(t, err)
		for _, tool := range list.Tools {
			all = append(all, tool.Name)
			if tool.Name == "site.publish" {
				assert.Equal(t, "Puts a page in place of the one that is shown.", tool.Description)
				assert.Contains(t, fmt.Sprint(tool.InputSchema), "page")
			}
		}
		return all
	}
	publish := func(page string) (text, said string, failed bool) {
		r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "site.publish", Arguments: map[string]any{"page": page}})
		require.NoError(t, err)
		return r.Content[0].(*sdk.TextContent).Text, fmt.Sprint(r.StructuredContent), r.IsError
	}
	assert.Equal(t, 1, strings.Count(fmt.Sprint(names()), "site.publish"))
	assert.Contains(t, names(), "start_workflow")

	text, said, failed := publish("secret.html")
	assert.True(t, failed)
	assert.Contains(t, text, "that page is not for the world")
	assert.Contains(t, said, "site.publish/step/put")
	assert.NoFileExists(t, pl.path("work/before.html"), "nothing has run")

	text, said, failed = publish("next.html")
	assert.True(t, failed)
	assert.Contains(t, text, "waits for a person")
	assert.Contains(t, said, "approval:")
	assert.NoFileExists(t, pl.path("work/before.html"))
	pl.answers("approve", pl.card("site.publish"))
	text, said, failed = publish("next.html")
	assert.False(t, failed, text)
	assert.Equal(t, `site.publish 1.0.0: ok (:line "new")`, text)
	assert.Contains(t, said, "outputs:map[line:new]")
	assert.FileExists(t, pl.path("work/far.html"))

	pl.orders("retire site.publish")
	select {
	case <-changed:
	case <-time.After(20 * time.Second):
		t.Fatal("the client does not hear that its list of tools is old")
	}
	assert.NotContains(t, names(), "site.publish")
}

// isGone asserts that a client that goes on with an old list is told why it may not.
func isGone(t *testing.T, s *sdk.ClientSession) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "site.publish", Arguments: map[string]any{"page": "x"}})
	require.NoError(t, err)
	assert.True(t, r.IsError)
	assert.Contains(t, r.Content[0].(*sdk.TextContent).Text, "no capability that may be started has this name")
}

// A program in Python starts a capability, and reads a plan's card.
func TestACapabilityFromPython(t *testing.T) {
	pl := publisher(t)
	cmd := pl.outside(oracle.Find(t, "python3"), "-c", `
from cortex_client import Cortex, Denied
guard = Cortex("s1", host="test")
print([c.name for c in guard.capabilities()])
try:
    guard.start("site.publish", {"page": "secret.html"})
except Denied as no:
    print(no)
try:
    guard.start("site.publish", {"page": "next.html"})
except Denied as no:
    card = guard.card(no.ruling.approval)
    print([(s.name, s.asks, s.action.args["cmd"]) for s in card.steps if s.action])
    done = guard.start("site.publish", {"page": "next.html"}, hold=60)
    print(done.state, done.text, done.result["outputs"])
`)
	cmd.Env = append(cmd.Env, "PYTHONPATH="+absolute(t, "../../adapters/api/python"))
	var out logged
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	pl.answers("approve", pl.card("site.publish"))
	require.NoError(t, cmd.Wait(), out.String())
	assert.Equal(t, `['site.publish']
step put: that page is not for the world (site.publish/step/put)
[('keep', False, 'cp index.html before.html'), ('put', True, 'cp next.html far.html'), ('look', False, 'cat far.html')]
done site.publish 1.0.0: ok (:line "new") {'line': 'new'}
`, out.String())
}
