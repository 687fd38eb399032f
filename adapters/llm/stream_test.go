package llm

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/llm/llmtest"
	"github.com/opencortex-go/cortex/reason/model"
)

// models starts a server for an API, and a provider that streams from it or does not.
func models(t testing.TB, api llmtest.API, stream bool, script ...llmtest.Answer) (*llmtest.Server, *client) {
	t.Helper()
	s := llmtest.Serve(api, script...)
	t.Cleanup(s.Close)
	return s, connect(t, string(api), s.URL, func(c *Config) { c.Stream = stream })
}

// everyWay runs a test for each API, whole and streamed.
func everyWay(t *testing.T, f func(t *testing.T, api llmtest.API, stream bool)) {
	for _, api := range llmtest.APIs() {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/stream=%v", api, stream), func(t *testing.T) { f(t, api, stream) })
		}
	}
}

const listing = `{"cmd":"echo \"h\u00e9llo \\ud83d\\ude00\" {}[],:","timeout":3}`

// However an answer comes, it is the same answer.
func TestAnAnswerIsTheSameHoweverItComes(t *testing.T) {
	answer := llmtest.Answer{Text: "I look: 日本 😀.", Calls: []llmtest.Call{
		{ID: "a", Name: "shell", Arguments: listing}, {ID: "b", Name: "files_read", Arguments: `{"path":"x"}`},
		{ID: "c", Name: "shell", Arguments: `{}`}}}
	want := model.Completion{Text: answer.Text, Usage: model.Usage{TokensIn: 10, TokensOut: 5}, Calls: []model.NativeCall{
		{ID: "a", Name: "shell", Arguments: listing}, {ID: "b", Name: "files.read", Arguments: `{"path":"x"}`},
		{ID: "c", Name: "shell", Arguments: `{}`}}}
	everyWay(t, func(t *testing.T, api llmtest.API, stream bool) {
		s, p := models(t, api, stream, answer)
		for _, piece := range []int{0, 1, 2, 1000} {
			for _, write := range []int{0, 1, 7} {
				s.Piece, s.Write = piece, write
				got, err := p.Complete(ctx(t), testPrompt())
				require.NoError(t, err)
				for i := range got.Calls { // Anthropic's object is read from the body and written again
					assert.JSONEq(t, want.Calls[i].Arguments, got.Calls[i].Arguments)
					got.Calls[i].Arguments = want.Calls[i].Arguments
				}
				require.Equal(t, want, got)
			}
		}
		for _, q := range s.Asked() {
			assert.Equal(t, stream, q["stream"] == true)
		}
	})
}

// Arguments may be cut between any two characters.
func TestArgumentsAreCutAnywhere(t *testing.T) {
	for _, api := range llmtest.APIs() {
		s, p := models(t, api, true, llmtest.Answer{Calls: []llmtest.Call{{ID: "a", Name: "shell", Arguments: listing}}})
		for s.Cut = 1; s.Cut < len([]rune(listing)); s.Cut++ {
			got, err := p.Complete(ctx(t), testPrompt())
			require.NoError(t, err)
			require.Equal(t, listing, got.Calls[0].Arguments, "%s, cut at %d", api, s.Cut)
		}
	}
}

// An answer that ended at its limit has no call that may be run, also not one that was
// whole by then.
func TestACutAnswerHasNoWholeCall(t *testing.T) {
	everyWay(t, func(t *testing.T, api llmtest.API, stream bool) {
		_, p := models(t, api, stream, llmtest.Answer{Cut: true, Calls: []llmtest.Call{
			{ID: "a", Name: "shell", Arguments: `{"cmd":"ls"}`}, {ID: "b", Name: "shell", Arguments: `{"cmd":"rm"}`}}})
		got, err := p.Complete(ctx(t), testPrompt())
		require.NoError(t, err)
		require.Len(t, got.Calls, 2)
		for _, c := range got.Calls {
			assert.True(t, c.Cut)
			assert.ErrorContains(t, c.Proposal("").Err, "cut off")
		}
	})
}

// A stream that ends too early, or a connection that breaks, at any byte, gives an error
// and not a part of an answer.
func TestAStreamThatEndsEarlyIsNoAnswer(t *testing.T) {
	answer := llmtest.Answer{Text: "ok", Calls: []llmtest.Call{{ID: "a", Name: "shell", Arguments: `{"cmd":"ls"}`},
		{ID: "b", Name: "shell", Arguments: `{"cmd":"ls -l"}`}}}
	for _, api := range llmtest.APIs() {
		s, p := models(t, api, true, answer)
		whole, err := p.Complete(ctx(t), testPrompt())
		require.NoError(t, err)
		body := streamOf(t, s)
		end := strings.Index(body, map[llmtest.API]string{llmtest.Chat: `"finish_reason":"tool_calls"`,
			llmtest.Responses: "event: response.completed", llmtest.Messages: "event: message_stop"}[api])
		require.Positive(t, end)
		step := 1
		if testing.Short() {
			step = 29
		}
		for n := 0; n < len(body); n += step {
			for _, quietly := range []bool{true, false} {
				got, err := completeFrom(t, p, body[:n], quietly)
				switch {
				case err == nil && n <= end:
					t.Fatalf("%s: an answer after %d bytes, which break off: %+v", api, n, got)
				case err == nil:
					got.Usage, whole.Usage = model.Usage{}, model.Usage{}
					require.Equal(t, whole, got, "%s after %d bytes", api, n)
				default:
					require.Empty(t, got.Calls)
				}
			}
		}
	}
}

// streamOf is the body of the server's first answer.
func streamOf(t *testing.T, s *llmtest.Server) string {
	for _, p := range []string{"/chat/completions", "/responses", "/messages"} {
		resp, err := http.Post(s.URL+p, "application/json", strings.NewReader(`{"stream":true}`))
		require.NoError(t, err)
		data, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		if resp.StatusCode == http.StatusOK {
			return string(data)
		}
	}
	t.Fatal("no endpoint answers")
	return ""
}

// dying is a body that ends, or breaks off.
type dying struct {
	*strings.Reader
	quietly bool
}

func (d dying) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if errors.Is(err, io.EOF) && !d.quietly {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func completeFrom(t *testing.T, c *client, body string, quietly bool) (model.Completion, error) {
	resp := &http.Response{Body: io.NopCloser(dying{strings.NewReader(body), quietly})}
	data, err := c.assemble(resp)
	if err != nil {
		assert.True(t, c.lost(t.Context(), err).again, "another try may do better: %v", err)
		return model.Completion{}, err
	}
	out, fault := c.answer(data, c.names(testPrompt()))
	if fault != nil {
		return model.Completion{}, fault
	}
	return out, nil
}

// What is wrong with arguments reaches the model with the call, and nothing runs.
func TestArgumentsThatAreNoArguments(t *testing.T) {
	for name, arguments := range map[string]string{
		"not JSON": `{"cmd":}`, "cut": `{"cmd":"rm -rf`, "two": `{"cmd":"ls"}{"cmd":"rm"}`, "twice": `{"cmd":"ls","cmd":"rm"}`,
		"a list": `["ls"]`, "a text": `"ls"`, "deep": strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300),
		"twice, escaped": `{"cmd":"ls","\u0063md":"rm"}`,
	} {
		everyWay(t, func(t *testing.T, api llmtest.API, stream bool) {
			_, p := models(t, api, stream, llmtest.Answer{Calls: []llmtest.Call{{ID: "a", Name: "shell", Arguments: arguments}}})
			got, err := p.Complete(ctx(t), testPrompt())
			if api == llmtest.Messages && !stream && err != nil {
				return // the input is JSON inside the body, so all of the answer is rejected
			}
			require.NoError(t, err, name)
			require.Len(t, got.Calls, 1)
			x := got.Calls[0].Proposal("")
			if x.Err == nil {
				args, _ := x.Form.Get("args")
				assert.False(t, args.IsPlist(), "%s: %v", name, x.Form)
			}
		})
	}
}

// A stream whose events contradict one another gives an error.
func TestStreamsThatContradictThemselves(t *testing.T) {
	chat := func(delta, why string) string {
		return `{"choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + why + `}]}`
	}
	call := func(rest string) string { return `{"tool_calls":[{` + rest + `}]}` }
	start := func(at int, block string) string {
		return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, at, block)
	}
	tool := `{"type":"tool_use","id":"a","name":"shell","input":{}}`
	done := `{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"a","name":"shell","arguments":"{}"}}`
	for _, x := range []struct {
		api    string
		events []string
		want   string
	}{
		{OpenAI, []string{chat(`{}`, `"stop"`), chat(`{"content":"more"}`, `null`)}, "goes on after its finish_reason"},
		{OpenAI, []string{chat(`{}`, `"stop"`), chat(call(`"index":0,"function":{"arguments":"x"}`), `null`)}, "goes on"},
		{OpenAI, []string{chat(call(`"index":-1`), `null`)}, "index -1"},
		{OpenAI, []string{chat(call(`"index":5000`), `null`)}, "index 5000"},
		{OpenAI, []string{chat(`{"tool_calls":5}`, `null`)}, "not a list"},
		{OpenAI, []string{`{"choices":[],"choices":[]}`}, "a key twice"},
		{OpenAI, []string{`nothing`}, "not JSON"},
		{OpenAI, []string{`[1]`}, "not a JSON object"},
		{OpenAI, []string{`{"error":{"message":"too much","type":"server_error"}}`}, "too much"},
		{Anthropic, []string{start(0, tool), start(0, tool)}, "begins block 0 twice"},
		{Anthropic, []string{`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`}, "not open"},
		{Anthropic, []string{start(0, tool), `{"type":"content_block_stop","index":0}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"x"}}`}, "not open"},
		{Anthropic, []string{start(0, tool), `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`},
			"has a text_delta in a block of type"},
		{Anthropic, []string{start(0, tool), `{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`,
			`{"type":"message_stop"}`}, "a block was not finished"},
		{Anthropic, []string{`{"type":"message_stop"}`, `{"type":"ping"}`}, "goes on after message_stop"},
		{Responses, []string{done, done}, "item 0, which is done"},
		{Responses, []string{`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"cmd\":1}"}`, done,
			`{"type":"response.completed","response":{"status":"completed","output":[]}}`}, "other arguments in its pieces"},
		{Responses, []string{`{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"oh no"}}}`}, "oh no"},
		{Responses, []string{`{"type":"error","code":"server_error","message":"oh no"}`}, "oh no"},
	} {
		p := connect(t, x.api, serve(t, streaming(x.events...)), func(c *Config) { c.Stream = true })
		got, err := p.Complete(ctx(t), testPrompt())
		assert.ErrorContains(t, err, x.want, x.events)
		assert.Empty(t, got.Calls)
	}
}

// streaming sends events.
func streaming(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for _, e := range events {
			_, _ = fmt.Fprintf(w, "data: %s\n\n", e)
		}
	}
}

// What servers other than the vendors' send, and what is meant by it is clear.
func TestStreamsOfOtherServers(t *testing.T) {
	end := `{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`
	piece := func(s string) string { return `{"choices":[{"delta":{"tool_calls":[{` + s + `}]}}]}` }
	two := []model.NativeCall{{ID: "a", Name: "shell", Arguments: `{"cmd":"ls"}`}, {ID: "b", Name: "shell", Arguments: `{}`}}
	for name, events := range map[string][]string{
		"every call at the index 0": {
			piece(`"index":0,"id":"a","function":{"name":"shell","arguments":"{\"cmd\":\"ls\"}"}`),
			piece(`"index":0,"id":"b","function":{"name":"shell","arguments":"{}"}`), end},
		"no index": {piece(`"id":"a","function":{"name":"shell","arguments":""}`),
			piece(`"function":{"arguments":"{\"cmd\":"}`), piece(`"function":{"arguments":"\"ls\"}"}`),
			piece(`"id":"b","function":{"name":"shell","arguments":"{}"}`), end},
		"the name every time, the id too": {piece(`"index":0,"id":"a","function":{"name":"shell","arguments":"{\"cmd\""}`),
			piece(`"index":0,"id":"a","function":{"name":"shell","arguments":":\"ls\"}"}`),
			piece(`"index":1,"id":"b","function":{"name":"shell","arguments":{}}`), end},
		"in between": {piece(`"index":0,"id":"a","function":{"name":"shell"}`), piece(`"index":1,"id":"b","function":{"name":"shell"}`),
			piece(`"index":0,"function":{"arguments":"{\"cmd\":"}`), piece(`"index":1,"function":{"arguments":"{"}`),
			piece(`"index":0,"function":{"arguments":"\"ls\"}"}`), piece(`"index":1,"function":{"arguments":"}"}`), end, `[DONE]`},
	} {
		p := connect(t, OpenAI, serve(t, streaming(events...)), func(c *Config) { c.Stream = true })
		got, err := p.Complete(ctx(t), testPrompt())
		require.NoError(t, err, name)
		assert.Equal(t, two, got.Calls, name)
	}
	// A server that does not stream although it was asked to.
	p := connect(t, OpenAI, serve(t, say(wholeAnswer(OpenAI))), func(c *Config) { c.Stream = true })
	got, err := p.Complete(ctx(t), testPrompt())
	require.NoError(t, err)
	assert.Equal(t, "hello", got.Text)
	// One that streams although it was not.
	_, err = connect(t, OpenAI, serve(t, streaming(end))).Complete(ctx(t), testPrompt())
	assert.ErrorContains(t, err, "expected application/json")
	// Responses whose last event has no items.
	p = connect(t, Responses, serve(t, streaming(
		`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"b","name":"shell","arguments":"{}"}}`,
		`{"type":"response.completed","response":{"status":"completed","output":[]}}`)), func(c *Config) { c.Stream = true })
	got, err = p.Complete(ctx(t), testPrompt())
	require.NoError(t, err)
	assert.Equal(t, two[1:], got.Calls)
}

// Another try is made where it may help, and only there.
func TestStreamsAreTriedAgain(t *testing.T) {
	good := llmtest.Answer{Text: "well", Calls: []llmtest.Call{{ID: "a", Name: "shell", Arguments: `{"cmd":"ls"}`}}}
	for name, first := range map[string]llmtest.Answer{
		"429": {Status: 429}, "503": {Status: 503, After: "0"}, "broken off": {Text: good.Text, Calls: good.Calls, Dies: 150},
		"overloaded": {Text: "w", Fails: true},
	} {
		for _, api := range llmtest.APIs() {
			s, p := models(t, api, true, first, good)
			p.Retries = 1
			got, err := p.Complete(ctx(t), testPrompt())
			require.NoError(t, err, name)
			assert.Equal(t, "well", got.Text)
			assert.Len(t, got.Calls, 1)
			assert.Len(t, s.Asked(), 2)
		}
	}
	for name, a := range map[string]llmtest.Answer{"long wait": {Status: 429, After: "3600"}, "refused": {Status: 400}} {
		s, p := models(t, llmtest.Responses, true, a, good)
		p.Retries = 3
		_, err := p.Complete(ctx(t), testPrompt())
		assert.ErrorContains(t, err, "refused with status", name)
		assert.Len(t, s.Asked(), 1, name)
	}
}

// A stream is bounded: in one event, in what is put together, and in all.
func TestAHugeStreamIsNoAnswer(t *testing.T) {
	forever := func(piece string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			event := fmt.Sprintf("data: %s\n\n", piece)
			many := []byte(strings.Repeat(event, 1+4096/len(event))) // one by one they come slowly
			for r.Context().Err() == nil {
				if _, err := w.Write(many); err != nil {
					return
				}
			}
		}
	}
	small := func(c *Config) { c.Stream, c.MaxBytes, c.Timeout = true, 2_000, Duration(20*time.Second) }
	for name, piece := range map[string]string{
		"text":      `{"choices":[{"delta":{"content":"` + strings.Repeat("x", 1000) + `"}}]}`,
		"arguments": `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"` + strings.Repeat("x", 1000) + `"}}]}}]}`,
		"nothing":   `{}`, "an event": `{"x":"` + strings.Repeat("x", 20_000) + `"}`,
		"calls": `{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"x"}}]}}]}`,
	} {
		_, err := connect(t, OpenAI, serve(t, forever(piece)), small).Complete(ctx(t), testPrompt())
		require.Error(t, err, name)
		assert.NotErrorIs(t, err, model.ErrPrompt)
		assert.NotContains(t, err.Error(), "deadline", "%s: the size ends it, not the time", name)
	}
}

// A server that says nothing is given up when the time is over.
func TestASilentStreamIsGivenUp(t *testing.T) {
	p := connect(t, Responses, serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}), func(c *Config) { c.Stream, c.Timeout = true, Duration(30*time.Millisecond) })
	_, err := p.Complete(ctx(t), testPrompt())
	assert.ErrorContains(t, err, "deadline")
}

// A key in a stream is found when the pieces are together.
func TestAKeyInPiecesIsFound(t *testing.T) {
	for _, api := range llmtest.APIs() {
		s, p := models(t, api, true, llmtest.Answer{Text: "your key: " + testKey})
		s.Piece = 3
		_, err := p.Complete(ctx(t), testPrompt())
		assert.ErrorContains(t, err, "repeats this provider's key")
	}
}

func FuzzStream(f *testing.F) {
	for i := range llmtest.APIs() {
		f.Add(i, `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a"}]},"finish_reason":"stop"}]}`+"\n\n[DONE]")
		f.Add(i, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use"}}`)
		f.Add(i, `{"type":"response.completed","response":{"output":[{"type":"function_call"}]}}`)
	}
	clients := map[llmtest.API]*client{}
	for _, api := range llmtest.APIs() {
		p, err := New(Config{Name: "f", Kind: string(api), URL: "https://a.example/v1", Model: "m", Stream: true,
			MaxBytes: 1 << 16})
		require.NoError(f, err)
		clients[api] = p.(*client)
	}
	f.Fuzz(func(t *testing.T, which int, events string) {
		api := llmtest.APIs()[uint(which)%3]
		var body strings.Builder
		for _, e := range strings.Split(events, "\n\n") {
			fmt.Fprintf(&body, "data: %s\n\n", e)
		}
		c := clients[api]
		data, err := c.assemble(&http.Response{Body: io.NopCloser(strings.NewReader(body.String()))})
		if err != nil {
			return
		}
		out, fault := c.answer(data, c.names(testPrompt()))
		if fault != nil {
			return
		}
		for _, call := range out.Calls {
			assert.NotEmpty(t, call.ID)
		}
	})
}
