package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/adapters/llm/llmtest"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

// talking is an endpoint that plays answers and keeps what it was asked.
type talking struct {
	mu      sync.Mutex
	answers []string
	asked   []map[string]any
}

func (m *talking) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	m.asked = append(m.asked, body)
	say(m.answers[min(len(m.asked), len(m.answers))-1])(w, r)
}

// tooled is an OpenAI answer that calls tools: name and arguments in turn.
func tooled(calls ...string) string {
	var list []string
	for i := 0; i+1 < len(calls); i += 2 {
		list = append(list,
			fmt.Sprintf(`{"id":"id%d","type":"function","function":{"name":%q,"arguments":%q}}`, i, calls[i], calls[i+1]))
	}
	return `{"choices":[{"message":{"content":null,"tool_calls":[` + strings.Join(list, ",") +
		`]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":100,"completion_tokens":10}}`
}

func wordy(text string) string {
	return fmt.Sprintf(`{"choices":[{"message":{"content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":10}}`, text)
}

// engine runs one tool that looks things up.
func engine(t *testing.T, change func(*cortex.Options)) *cortex.Engine {
	t.Helper()
	opt := cortex.Options{
		Live: true,
		Rules: fstest.MapFS{"a.lisp": {Data: []byte(`
(deftool stock.level :doc "How much there is." :params (:item string) :required (:item) :tier :allow :effect :none)
(defskill s :trigger (= action.tool "stock.level") :gate ((deny secret :when (= action.args.item "gold") :reason "gold is not counted")))`)}},
		Tools: []act.Tool{{Schema: &skills.Tool{Name: "stock.level"},
			Actuator: act.Func(func(_ context.Context, c act.Call) (act.Receipt, error) {
				return act.Receipt{State: act.Done, Text: c.Action.Args().GetText("item") + ": 7 left"}, nil
			})}},
	}
	change(&opt)
	e, err := cortex.Open(t.Context(), opt)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// W34 through the whole engine: what the tools returned, and what was refused,
// goes back to the model with the calls it belongs to, until it answers.
func TestW34_ToolResultsReachTheModelThroughTheEngine(t *testing.T) {
	m := &talking{answers: []string{
		tooled("stock_level", `{"item":"nails"}`, "stock_level", `{"item":"gold"}`, "stock_level", `{"item":"tin"}`),
		tooled("stock_level", `{"item":`),
		tooled("stock_level", `{"item":"screws"}`),
		wordy("7 nails and 7 screws"),
	}}
	p := connect(t, OpenAI, serve(t, m.ServeHTTP), func(c *Config) { c.PriceIn = 1 })
	e := engine(t, func(o *cortex.Options) { o.Models.Providers = []model.Provider{p} })
	out, err := e.Submit(t.Context(), cortex.Signal{Text: "what is left?", Session: "s1", Principal: "ana"})
	require.NoError(t, err)
	assert.Equal(t, "7 nails and 7 screws", out.Text, out.Notice)
	require.Len(t, m.asked, 4)

	roles := func(n int) (out []string) {
		for _, x := range m.asked[n]["messages"].([]any) {
			msg := x.(map[string]any)
			s := fmt.Sprint(msg["role"])
			if id, ok := msg["tool_call_id"]; ok {
				s += fmt.Sprint(" ", id)
			}
			if calls, ok := msg["tool_calls"].([]any); ok {
				s += fmt.Sprintf(" calls %d", len(calls))
			}
			out = append(out, s)
		}
		return out
	}
	said := func(n, i int) string {
		return fmt.Sprint(m.asked[n]["messages"].([]any)[i].(map[string]any)["content"])
	}
	assert.Equal(t, []string{"system", "user"}, roles(0))
	assert.Equal(t, []string{"system", "user", "assistant calls 3", "tool call00001", "tool call00002", "tool call00003"},
		roles(1))
	assert.Contains(t, said(1, 3), "nails: 7 left")
	assert.Contains(t, said(1, 4), "gold is not counted")
	assert.Contains(t, said(1, 5), "Not run and not judged")
	assert.Equal(t, append(roles(1), "assistant calls 1", "tool call00004", "user"), roles(2))
	assert.Contains(t, said(2, 7), "Not run")
	assert.Contains(t, said(2, 8), "PREVIOUS PROPOSAL REJECTED")
	assert.Equal(t, append(roles(2), "assistant calls 1", "tool call00005"), roles(3))
	assert.Contains(t, said(3, 10), "screws: 7 left")
	for _, q := range m.asked {
		assert.Contains(t, fmt.Sprint(q["tools"]), "stock_level")
	}

	// The next question begins with what was said and done.
	_, err = e.Submit(t.Context(), cortex.Signal{Text: "thanks", Session: "s1", Principal: "ana"})
	require.NoError(t, err)
	last := m.asked[len(m.asked)-1]
	text, err := json.Marshal(last)
	require.NoError(t, err)
	assert.Contains(t, string(text), "screws: 7 left")
	assert.Contains(t, string(text), "7 nails and 7 screws")
}

// Over every API, whole and streamed, the engine runs what was called, and nothing of an
// answer that is not whole.
func TestTheEngineOverEveryAPI(t *testing.T) {
	everyWay(t, func(t *testing.T, api llmtest.API, stream bool) {
		look := func(id, arguments string) llmtest.Call {
			return llmtest.Call{ID: id, Name: "stock_level", Arguments: arguments}
		}
		server, p := models(t, api, stream,
			llmtest.Answer{Cut: true, Calls: []llmtest.Call{look("a", `{"item":"bolts"}`)}},
			llmtest.Answer{Calls: []llmtest.Call{look("b", `{"item":"nails"}`), look("c", `{"item":"tin"}`)}},
			llmtest.Answer{Text: "seven each"})
		e := engine(t, func(o *cortex.Options) { o.Models.Providers = []model.Provider{p} })
		out, err := e.Submit(t.Context(), cortex.Signal{Text: "what is left?", Session: "s1", Principal: "ana"})
		require.NoError(t, err)
		assert.Equal(t, "seven each", out.Text, out.Notice)
		text, err := json.Marshal(server.Asked()[2])
		require.NoError(t, err)
		assert.Contains(t, string(text), "nails: 7 left")
		assert.Contains(t, string(text), "tin: 7 left")
		assert.NotContains(t, string(text), "bolts: 7 left")
		assert.Contains(t, string(text), "cut off at its length limit")
	})
}

// A key is in no record, no log and no error, whatever the endpoint does with it.
func TestKeysAreInNoRecordAndNoLog(t *testing.T) {
	dir := t.TempDir()
	var log bytes.Buffer
	escaped := strings.ReplaceAll(testKey, "s", `\u0073`)
	m := &talking{answers: []string{
		wordy("your key is " + testKey),
		tooled("stock_level", `{"item":"`+testKey+`"}`),
		tooled("stock_level", `{"item":"`+escaped+`"}`),
		tooled(testKey, `{}`),
		`{"error":{"message":"bad key ` + testKey + `"}}`,
		`{"choices":[{"message":{"content":5}}],"` + testKey + `":1}`,
		`not JSON ` + testKey,
	}}
	bad := connect(t, OpenAI, serve(t, m.ServeHTTP), func(c *Config) { c.Failures = -1 })
	worse := connect(t, Anthropic, serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Key", r.Header.Get("X-Api-Key"))
		w.WriteHeader(500)
		_, _ = io.WriteString(w, "you sent "+r.Header.Get("X-Api-Key"))
	}), func(c *Config) { c.Name = "worse" })
	e := engine(t, func(o *cortex.Options) {
		o.Dir, o.Models.Providers = dir, []model.Provider{bad, worse}
		o.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	for range m.answers {
		out, err := e.Submit(t.Context(), cortex.Signal{Text: "hi", Session: "s", Principal: "ana"})
		require.NoError(t, err)
		assert.Contains(t, out.Notice, "no model answered")
		assert.NotContains(t, fmt.Sprintf("%+v", out), testKey)
	}
	require.NoError(t, e.Close())
	assert.Len(t, m.asked, len(m.answers))
	assert.Contains(t, log.String(), "[key]", "the log was written")
	assert.NotContains(t, log.String(), testKey)
	files := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		assert.NotContains(t, string(data), testKey, path)
		files++
		return err
	}))
	assert.Positive(t, files)
}

// A program's script of replies and an endpoint, chosen by a rule, through the
// engine.
func TestARuleChoosesTheModel(t *testing.T) {
	file := filepath.Join(t.TempDir(), "replies.lisp")
	require.NoError(t, os.WriteFile(file, []byte(`(:reply "from the script" :repeat t)`), 0o600))
	all, err := NewAll([]Config{
		{Name: "script", Kind: Scripted, File: file},
		{Name: "program", Kind: Exec, Command: []string{"sh", "-c", "cat >/dev/null; echo from the program"}, Format: "text"},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, CloseAll(all)) }()
	rules := `(defmodels short :when (< (len signal.text) 10) :use ("program"))`
	e := engine(t, func(o *cortex.Options) {
		o.Models.Providers = all
		o.Rules = fstest.MapFS{"m.lisp": {Data: []byte(rules)}, "r.lisp": {Data: []byte(`(defaults :unknown-tool :ask)`)}}
	})
	for text, want := range map[string]string{"hi": "from the program\n", "a longer question": "from the script"} {
		out, err := e.Submit(t.Context(), cortex.Signal{Text: text, Session: text, Principal: "ana"})
		require.NoError(t, err)
		assert.Equal(t, strings.TrimSpace(want), strings.TrimSpace(out.Text), out.Notice)
	}
	_, err = cortex.Open(t.Context(),
		cortex.Options{Models: cortex.Models{Providers: all},
			Rules: fstest.MapFS{"m.lisp": {Data: []byte(`(defmodels x :use ("large"))`)}}})
	assert.ErrorContains(t, err,
		`m.lisp:1:1: defmodels x: unknown model provider "large", expected one of script, program`)
}

func TestScriptedFromAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "replies.lisp")
	require.NoError(t, os.WriteFile(file, []byte(`(:reply "a") (:oops t)`), 0o600))
	_, err := New(Config{Name: "s", Kind: Scripted, File: file})
	assert.ErrorContains(t, err, "replies.lisp:1:14: the key :oops is unknown")
	require.NoError(t, os.WriteFile(file, []byte(`(:reply "a")`), 0o600))
	p, err := New(Config{Name: "s", Kind: Scripted, File: file})
	require.NoError(t, err)
	assert.Equal(t, "s", p.Name())
	out, err := p.Complete(t.Context(), model.Prompt{})
	require.NoError(t, err)
	assert.Equal(t, "a", out.Text)
}
