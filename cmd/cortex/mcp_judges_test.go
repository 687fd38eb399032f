package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/oracle"
)

// judged is the proxy that the judges try: this one, or that of MCP_JUDGED, to show what they find in another.
func judged(t *testing.T) string {
	if program := os.Getenv("MCP_JUDGED"); program != "" {
		return program
	}
	return installed(t)
}

// reading is what a client read of a call.
type reading struct {
	N      int
	Result map[string]any
	Error  *fault
	Whole  bool // all text in it is Unicode
}

type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data"`
}

// timeout is the code with which the official SDK gives up.
const timeout = -32001

// outcome is what the record has of a call.
type outcome struct {
	Intent      uint64
	Decision    uint64
	State       string
	Text, Error string
	Result      any
	Cut         bool
}

// entries reads the record of a proxy: the arguments of the allowed calls, and what became of them, both by
// the number of the decision.
func entries(t *testing.T, dir string) (args map[uint64]json.RawMessage, tools map[uint64]string,
	outcomes map[uint64]outcome) {
	t.Helper()
	args, tools, outcomes = map[uint64]json.RawMessage{}, map[uint64]string{}, map[uint64]outcome{}
	cmd := exec.CommandContext(t.Context(), installed(t), "journal", "export", "--format", "jsonl", "--dir", dir,
		"--kind",
		"decision", "--kind", "receipt")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	for d := json.NewDecoder(out); ; {
		var r struct {
			Seq  uint64
			Kind string
			Body json.RawMessage
		}
		err := d.Decode(&r)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.NotEmpty(t, r.Body, "the record %d has no JSON", r.Seq)
		if r.Kind == "receipt" {
			var o outcome
			require.NoError(t, json.Unmarshal(r.Body, &o))
			outcomes[o.Decision] = o
			continue
		}
		var d struct {
			Args     json.RawMessage
			Tool     string
			Decision struct{ Kind string }
		}
		require.NoError(t, json.Unmarshal(r.Body, &d))
		if d.Decision.Kind == "allow" {
			args[r.Seq], tools[r.Seq] = d.Args, d.Tool
		}
	}
	require.NoError(t, cmd.Wait())
	return args, tools, outcomes
}

// byNumber are the outcomes of calls of the tool probe by the number that each call has.
func byNumber(t *testing.T, dir string) map[int]outcome {
	t.Helper()
	args, _, outcomes := entries(t, dir)
	all := map[int]outcome{}
	for decision, raw := range args {
		var in struct{ N int }
		require.NoError(t, json.Unmarshal(raw, &in))
		if o, ok := outcomes[decision]; ok {
			all[in.N] = o
		}
	}
	return all
}

// nothing is one value for those that the notation does not tell apart. Its strings hold no NUL and no byte order mark.
func nothing(v any) any {
	switch v := v.(type) {
	case string:
		return strings.NewReplacer("\x00", "\uFFFD", mark, "\uFFFD").Replace(v)
	case bool:
		if !v {
			return nil
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
		for i := range v {
			v[i] = nothing(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = nothing(v[k])
		}
	}
	return v
}

// alone returns the text of a result that is nothing but one text.
func alone(result map[string]any) (string, bool) {
	blocks, _ := result["content"].([]any)
	if len(blocks) != 1 {
		return "", false
	}
	block, _ := blocks[0].(map[string]any)
	text, ok := block["text"].(string)
	for k := range result {
		ok = ok && (k == "content" || k == "isError" || k == "_meta")
	}
	for k := range block {
		ok = ok && (k == "type" || k == "text" || k == "annotations" || k == "_meta")
	}
	return text, ok
}

// differs says how what a client read of a call differs from the record; "" if it does not.
func differs(r reading, o outcome, known bool) string {
	switch {
	case r.Error != nil && r.Error.Code == timeout:
		return "the client heard nothing"
	case !known:
		return "no outcome is on record"
	case !r.Whole:
		return "the client read a lone surrogate"
	case r.Error != nil:
		var f fault
		if err := json.Unmarshal([]byte(o.Error), &f); err != nil || nothing(f.Message) != nothing(r.Error.Message) ||
			f.Code != r.Error.Code || !reflect.DeepEqual(f.Data, r.Error.Data) {
			return "the record has another error"
		}
		if o.Text != "" || nothing(o.Result) != nil {
			return "the record has a text"
		}
		return ""
	case o.Cut:
		return "" // which counts as opaque
	}
	text, one := alone(r.Result)
	var value any
	if o.Text != "" {
		if one && nothing(text) == o.Text || json.Unmarshal([]byte(o.Text), &value) == nil &&
			reflect.DeepEqual(nothing(value), nothing(r.Result)) {
			return ""
		}
		return "the record has another text"
	}
	if one && json.Unmarshal([]byte(text), &value) != nil {
		value = text
	}
	if one && (reflect.DeepEqual(nothing(value), nothing(o.Result)) || text == "" && nothing(o.Result) == nil) {
		return ""
	}
	if !reflect.DeepEqual(nothing(r.Result), nothing(o.Result)) {
		return "the record has another result"
	}
	return ""
}

// tally is what a judge found.
type tally struct{ calls, results, errors, cut, differ int }

func (v *tally) add(w tally) {
	v.calls += w.calls
	v.results += w.results
	v.errors += w.errors
	v.cut += w.cut
	v.differ += w.differ
}

// compare holds what a client read against the record, and logs the first few calls that differ, by how.
func compare(t *testing.T, read []reading, record map[int]outcome) (v tally) {
	t.Helper()
	found := map[string]int{}
	for _, r := range read {
		v.calls++
		o, known := record[r.N]
		if r.Error != nil {
			v.errors++
		} else {
			v.results++
		}
		if o.Cut {
			v.cut++
		}
		if why := differs(r, o, known); why != "" {
			v.differ++
			if found[why]++; found[why] <= 3 {
				said, _ := json.Marshal(r)
				kept, _ := json.Marshal(o)
				t.Logf("call %d: %s\nread:   %.600s\nrecord: %.600s", r.N, why, said, kept)
			}
		}
	}
	return v
}

// route is a way from a client to servers, with the proxy between.
type route struct {
	name string
	from int      // the number of the first call
	args []string // of the proxy
	http bool     // the client speaks HTTP
}

// judgingClient has a client make calls, and returns what it read.
func judgingClient(t *testing.T, spec map[string]any) (all []reading) {
	t.Helper()
	raw, err := json.Marshal(spec)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), oracle.Find(t, "node"), "testdata/mcp/client.mjs", string(raw))
	errs := &strings.Builder{}
	cmd.Stderr = errs
	out, err := cmd.Output()
	require.NoError(t, err, "%s", errs)
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var r reading
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			return all
		}
		all = append(all, r)
	}
}

// through makes calls on a route, and returns what the client read and what the record has.
func through(t *testing.T, r route, sdk string, calls int) ([]reading, map[int]outcome) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "record")
	rules := filepath.Join(t.TempDir(), "all.lisp")
	require.NoError(t, os.WriteFile(rules, []byte(allowAll), 0o600))
	args := append([]string{"mcp", "--standalone", "--no-guard", "--rules", rules, "--dir", dir}, r.args...)
	spec := map[string]any{"sdk": sdk, "from": r.from, "to": r.from + calls, "tools": []string{"probe"}}
	if strings.HasPrefix(r.name, "servers") {
		spec["tools"] = []string{"a__probe", "b__probe"}
	}
	if !r.http {
		spec["command"] = append([]string{judged(t)}, args...)
		return judgingClient(t, spec), byNumber(t, dir)
	}
	var read []reading
	t.Run("listen", func(t *testing.T) { // whose end ends the proxy
		spec["token"] = listenToken
		line := background(t, "serving", judged(t), append([]string{"mcp", "--token", tokenFile(t)}, args[1:]...)...)
		spec["url"] = strings.TrimPrefix(line, "serving ")
		read = judgingClient(t, spec)
	})
	return read, byNumber(t, dir)
}

// seedOfJudges is 1, or CORTEX_SEED.
func seedOfJudges() string { return cmp.Or(os.Getenv("CORTEX_SEED"), "1") }

// judgedCalls is how many messages the long form makes each way: 5,000, or MCP_JUDGES_CALLS.
func judgedCalls(t *testing.T) int {
	t.Helper()
	calls, err := strconv.Atoi(cmp.Or(os.Getenv("MCP_JUDGES_CALLS"), "5000"))
	require.NoError(t, err)
	return calls
}

// What a client reads of what a server answers is what the record has, in any shape of an answer. Without the proxy
// the same answers are read otherwise, which the judge has to see.
func TestMCPAnswersAreTheRecord(t *testing.T) {
	oracle.Find(t, "node")
	server := []string{"mcp-answers", seedOfJudges()}
	read, record := through(t, route{from: 1, args: append([]string{"--"}, server...)}, "", 200)
	v := compare(t, read, record)
	require.Zero(t, v.differ, "%+v", v)
	require.Len(t, read, 200)
	require.Greater(t, min(v.results, v.errors), 20, "%+v", v)

	bare := judgingClient(t, map[string]any{"command": server, "from": 1, "to": 201, "patience": 500,
		"tools": []string{"probe"}})
	require.Greater(t, compare(t, bare, record).differ, 10, "a relay of bytes is found out")
}

// The same with the official SDK in place of the small client, on each way through the proxy.
func TestMCPJudgesAnswers(t *testing.T) {
	dir := mcpTools(t)
	sdk := filepath.Join(dir, "servers", "node_modules", "@modelcontextprotocol", "sdk")
	calls := judgedCalls(t)
	seed := seedOfJudges()
	number, err := strconv.Atoi(seed)
	require.NoError(t, err)
	remote := answerHTTP(t, number)
	command := []string{"--", "mcp-answers", seed}
	servers := filepath.Join(t.TempDir(), "servers.json")
	find, err := exec.LookPath("mcp-answers")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(servers, []byte(fmt.Sprintf(
		`{"mcpServers":{"a":{"command":%q,"args":[%q]},"b":{"command":%q,"args":[%q]}}}`, find, seed, find, seed)),
		0o600))
	routes := []route{
		{name: "stdio", args: command},
		{name: "servers", args: []string{"--servers", servers}},
		{name: "listen", args: append([]string{"--listen", "127.0.0.1:0"}, command...), http: true},
		{name: "url", args: []string{"--url", remote}},
		{name: "listen url", args: []string{"--url", remote, "--listen", "127.0.0.1:0"}, http: true},
	}
	var all tally
	started := time.Now()
	for i, r := range routes {
		r.from = 1 + i*calls/len(routes)
		t.Run(r.name, func(t *testing.T) {
			read, record := through(t, r, sdk, calls/len(routes))
			v := compare(t, read, record)
			all.add(v)
			t.Logf("RESULT %s: %+v", r.name, v)
			require.Zero(t, v.differ)
		})
	}
	t.Logf("RESULT answers: %+v in %s", all, time.Since(started).Round(time.Second))
}
