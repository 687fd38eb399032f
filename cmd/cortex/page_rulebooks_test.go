package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/sexpr"
)

// expected is what a whole rulebook answers to a request.
type expected struct {
	ID       string          `json:"id"`
	Decision string          `json:"decision"`
	Key      string          `json:"key"`
	Reason   string          `json:"reason"` // "" for what a tier or a clause allows
	Args     json.RawMessage `json:"args"`   // after all rewrites
}

// Two whole rulebooks say all that a support agent and a coding agent need: each answers
// its requests as expected, to the reason and the arguments, through `cortex decide`.
func TestWholeRulebooks(t *testing.T) {
	for _, name := range []string{"support", "coding"} {
		dir := "../../testdata/rulebooks/" + name + "/"
		code, out := runs(t, "", "rules", "check", dir+"rules.lisp")
		assert.Equal(t, exitDone, code, out)
		assert.Regexp(t, `\Aok: .*\npolicy sha256:[0-9a-f]+\n\z`, out, "%s: nothing else is said of it", name)
		want := rulebookLines(t, dir+"expected.jsonl")
		assert.GreaterOrEqual(t, len(want), 25)
		code, out = runs(t, "", "decide", "--rules", dir+"rules.lisp", dir+"requests.jsonl")
		require.Equal(t, exitDone, code, out)
		answers := strings.Split(strings.TrimSpace(out), "\n")
		require.Len(t, answers, len(want))
		for i, line := range answers {
			var e expected
			require.NoError(t, json.Unmarshal(want[i], &e))
			assert.JSONEq(t, string(want[i]), string(answered(t, line)), "%s: %s", name, e.ID)
		}
	}
}

// Their requests, read as examples, show every clause of them both ways.
func TestWholeRulebooksAreCovered(t *testing.T) {
	for _, name := range []string{"support", "coding"} {
		assertCovered(t, name, withExamples(t, name))
	}
}

// And they catch most faults that are planted in them.
func TestWholeRulebooksCatchPlantedFaults(t *testing.T) {
	crashtest.Long(t)
	for _, name := range []string{"support", "coding"} {
		assertCatches(t, name, withExamples(t, name))
	}
}

// answered is an answer, as far as it is expected.
func answered(t *testing.T, line string) []byte {
	t.Helper()
	var a struct {
		expected
		Reasons []struct{ Text string }
		Action  struct{ Args json.RawMessage }
	}
	require.NoError(t, json.Unmarshal([]byte(line), &a))
	if len(a.Reasons) > 0 {
		a.Reason = a.Reasons[0].Text
	}
	a.Args = a.Action.Args
	out, err := json.Marshal(a.expected)
	require.NoError(t, err)
	return out
}

// withExamples writes a whole rulebook with its requests as examples, and returns where.
func withExamples(t *testing.T, name string) string {
	t.Helper()
	dir := "../../testdata/rulebooks/" + name + "/"
	text, err := os.ReadFile(dir + "rules.lisp")
	require.NoError(t, err)
	b := bytes.NewBuffer(text)
	want := rulebookLines(t, dir+"expected.jsonl")
	for i, line := range rulebookLines(t, dir+"requests.jsonl") {
		var e expected
		require.NoError(t, json.Unmarshal(want[i], &e))
		request, err := sexpr.FromJSON(inSeconds(t, line))
		require.NoError(t, err)
		part := func(key string) sexpr.Value { v, _ := request.Get(key); return v }
		args, err := sexpr.FromJSON(e.Args)
		require.NoError(t, err)
		fmt.Fprintf(b, "(defexample %s :session %s :facts %s :now %s :action %s :expect (%s %s) :args %s)\n",
			part("id"), part("session"), part("facts"), part("now"), part("action"), e.Decision, e.Key, args)
	}
	path := filepath.Join(t.TempDir(), name+".lisp")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path
}

// inSeconds writes the moments of a request as examples have them, in Unix seconds.
func inSeconds(t *testing.T, line []byte) []byte {
	t.Helper()
	return regexp.MustCompile(`"20[0-9-]+T[0-9:]+Z"`).ReplaceAllFunc(line, func(text []byte) []byte {
		at, err := time.Parse(`"`+time.RFC3339+`"`, string(text))
		require.NoError(t, err)
		return strconv.AppendInt(nil, at.Unix(), 10)
	})
}

// rulebookLines are the lines of a file.
func rulebookLines(t *testing.T, path string) [][]byte {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return bytes.Split(bytes.TrimSpace(data), []byte("\n"))
}
