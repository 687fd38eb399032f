package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// allowAll is a rulebook that lets everything pass.
const allowAll = "(defskill everything :trigger t :gate ((allow all :when t)))\n"

// mcpTools is the folder that `make conformance` fills: node, two versions of the official
// conformance suite, and the SDK's own server and client that these are tried on.
func mcpTools(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MCP_TOOLS")
	if dir == "" {
		t.Skip("make conformance fetches what this needs, and runs it")
	}
	dir, err := filepath.Abs(dir)
	require.NoError(t, err)
	t.Setenv("PATH", filepath.Join(dir, "node", "node_modules", "node", "bin")+":"+os.Getenv("PATH"))
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("BROWSER", "curl -sL")
	return dir
}

// installed is the program as it is installed.
func installed(t *testing.T) string {
	t.Helper()
	name, err := plainProgram()
	require.NoError(t, err)
	return name
}

// permissive is a daemon that allows everything, and the socket of it.
func permissive(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "cx") // a short path, as sockets need
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	rules, at := filepath.Join(dir, "all.lisp"), filepath.Join(dir, "cortex.sock")
	require.NoError(t, os.WriteFile(rules, []byte(allowAll), 0o600))
	background(t, "ready", installed(t), "serve", "--live", "--trust-rules", "--dir", filepath.Join(dir, "record"),
		"--rules", rules, "--socket", at)
	return at
}

// background starts a program, waits for a line with a word, and returns it.
func background(t *testing.T, word, program string, args ...string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 4*time.Minute)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	r, w, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stdout, cmd.Stderr = w, w
	require.NoError(t, cmd.Start())
	_ = w.Close()
	t.Cleanup(func() { stop(); _ = cmd.Wait(); _ = r.Close() })
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if line := lines.Text(); strings.Contains(line, word) {
			go func() {
				for lines.Scan() { // so that the program does not wait for who reads
					continue
				}
			}()
			return line
		}
	}
	t.Fatalf("%s ended before it said %q", program, word)
	return ""
}

// Behind the proxy with rules that allow everything, the official conformance suite finds
// exactly what it finds without the proxy: each check, in both eras, of servers and clients.
func TestMCPConformance(t *testing.T) {
	dir := mcpTools(t)
	socket := permissive(t)
	started := time.Now()
	stateful := port(t, filepath.Join(dir, "everything-server"), "-stateless=false")
	stateless := port(t, filepath.Join(dir, "everything-server"))
	client := filepath.Join(dir, "everything-client")
	for _, run := range []struct{ suite, role, target, only string }{
		{"latest", "server", stateful, "--suite all"},
		{"newest", "server", stateful, "--requirements 2025-11-25"},
		{"newest", "server", stateless, "--requirements 2026-07-28"},
		{"latest", "client", client, "--suite all"},
		{"newest", "client", client, "--requirements 2025-11-25"},
		{"newest", "client", client, "--requirements 2026-07-28"},
	} {
		t.Run(run.suite+" "+run.role+" "+run.only, func(t *testing.T) {
			t.Parallel()
			door := relay(t)
			proxied := proxiedClient(t, socket, client, door)
			if run.role == "server" {
				line := background(t, "serving", installed(t), "mcp", "--socket", socket, "--url", run.target, "--listen",
					"127.0.0.1:0", "--token", tokenFile(t))
				proxied = strings.Replace(line, "serving http://", door, 1)
			}
			program := filepath.Join(dir, run.suite, "node_modules", ".bin", "conformance")
			direct := conformance(t, program, run.role, run.target, run.only)
			through := conformance(t, program, run.role, proxied, run.only)
			assert.Equal(t, direct, through)
			require.Greater(t, len(direct), 20)
			t.Logf("RESULT %s %s %s: %d checks, the same through the proxy", run.suite, run.role, run.only, len(through))
		})
	}
	t.Cleanup(func() { t.Logf("RESULT took %s", time.Since(started).Round(time.Second)) })
}

// port starts a server of the SDK and returns its address.
func port(t *testing.T, program string, args ...string) string {
	t.Helper()
	at := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	background(t, "listening", program, append(args, "-http", at)...)
	return "http://" + at
}

// tokenFile is a file with the token of a proxy over HTTP.
func tokenFile(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(name, []byte(listenToken), 0o600))
	return name
}

// relay is an address below which each request goes to the host that its path begins with, with the token. The
// suite and its clients have no flag for one. It reads a body before it sends it on: a ReverseProxy whose answer begins
// while its transport still looks for the body's end breaks the connection off.
func relay(t *testing.T) string {
	t.Helper()
	onward := &httputil.ReverseProxy{Transport: bearer(listenToken), FlushInterval: -1,
		ErrorLog: log.New(io.Discard, "", 0), // clients leave
		Rewrite: func(r *httputil.ProxyRequest) {
			host, path, _ := strings.Cut(strings.TrimPrefix(r.In.URL.Path, "/"), "/")
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.URL.Path, r.Out.URL.RawPath, r.Out.Host = "http", host, "/"+path, "", ""
			if name, _, _ := net.SplitHostPort(r.In.Host); name != "127.0.0.1" {
				r.Out.Host = r.In.Host // the suite tries foreign names
			}
		}}
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client is gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		onward.ServeHTTP(w, r)
	}))
	t.Cleanup(at.Close)
	return at.URL + "/"
}

// proxiedClient is a program that puts the proxy between the client and the address that it
// is given. The proxy logs in where the server asks for that; the client cannot.
func proxiedClient(t *testing.T, socket, client, door string) string {
	t.Helper()
	script := filepath.Join(t.TempDir(), "client.sh")
	require.NoError(t, os.WriteFile(script, []byte(fmt.Sprintf(`#!/bin/bash
dir=$(mktemp -d)
context=${MCP_CONFORMANCE_CONTEXT:-\{\}}
case $context in *client_secret*) id=${context#\{} ;; *) id='}' ;; esac
echo '{"metadata_url":"https://conformance-test.local/client-metadata.json"'"${id/#\"/,\"}" >"$dir/id"
%q mcp --socket %q --url "$1" --listen 127.0.0.1:0 --token %q --oauth --oauth-client "$dir/id" >"$dir/at" 2>"$dir/err" &
proxy=$!
until [ -s "$dir/at" ]; do kill -0 $proxy || { cat "$dir/err" >&2; exit 1; }; sleep 0.02; done
read -r _ at <"$dir/at"
%q %q"${at#http://}"
code=$?
kill $proxy
wait $proxy
cat "$dir/err" >&2
rm -r "$dir"
exit $code
`, installed(t), socket, tokenFile(t), client, door)), 0o700)) //nolint:gosec // it is run
	return script
}

// when is the time in the name of a folder of results.
var when = regexp.MustCompile(`-\d{4}-\d\d-\d\dT.*$`)

// conformance runs a suite, and returns each check that counts with its outcome.
func conformance(t *testing.T, program, role, target, only string) []string {
	t.Helper()
	out := t.TempDir()
	args := append([]string{role, map[string]string{"server": "--url", "client": "--command"}[role], target, "-o",
		out}, strings.Fields(only)...)
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	text, err := exec.CommandContext(ctx, program, args...).CombinedOutput() // what fails is in the checks
	require.NoError(t, ctx.Err(), "%v: %s", err, text)
	var checks []string
	require.NoError(t, filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "checks.json" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var list []struct{ ID, Status string }
		if err := json.Unmarshal(data, &list); err != nil {
			return err
		}
		scenario := when.ReplaceAllString(filepath.Base(filepath.Dir(path)), "")
		for _, c := range list {
			if c.Status != "INFO" { // a log of what was said, and when
				checks = append(checks, scenario+" "+c.ID+" "+c.Status)
			}
		}
		return nil
	}))
	slices.Sort(checks)
	return checks
}

// What the comparison is for: a proxy that denies one tool is found out.
func TestMCPConformance_NegativeControl(t *testing.T) {
	dir := mcpTools(t)
	at := port(t, filepath.Join(dir, "everything-server"))
	rules := filepath.Join(t.TempDir(), "some.lisp")
	require.NoError(t, os.WriteFile(rules, []byte(`(defskill some :trigger t
  :gate ((deny one :when (= action.tool "test_image_content") :reason "not this one") (allow rest :when t)))`), 0o600))
	line := background(t, "serving", installed(t), "mcp", "--standalone", "--rules", rules, "--no-guard", "--url", at,
		"--listen", "127.0.0.1:0", "--token", tokenFile(t))
	program := filepath.Join(dir, "newest", "node_modules", ".bin", "conformance")
	direct := conformance(t, program, "server", at, "--scenario tools-call-image --spec-version 2026-07-28")
	through := conformance(t, program, "server", strings.Replace(line, "serving http://", relay(t), 1),
		"--scenario tools-call-image --spec-version 2026-07-28")
	require.NotEqual(t, direct, through)
}

// freePort returns a port that nothing uses by now.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}
