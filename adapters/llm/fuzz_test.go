package llm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason/model"
)

// What an endpoint sends is an answer of the right shape or an error, and never
// a crash. An answer goes back into a request that is JSON again.
func FuzzAnswer(f *testing.F) {
	for _, kind := range []string{OpenAI, Anthropic} {
		f.Add(wholeAnswer(kind))
		for _, arguments := range []string{`{"cmd":"ls"}`, `{}`, `[1]`, `{"a":{"a":[null,1e5]}}`} {
			for _, why := range []string{"stop", "length", "max_tokens"} {
				f.Add(calling(kind, "files_read", arguments, why))
			}
		}
	}
	for _, text := range []string{``, `null`, `{`, `{"error":{"message":5}}`,
		`{"choices":[{"message":{"content":[{"type":"text"}]}}]}`,
		`{"a":1,"a":2}`, `{"content":[{"type":"tool_use","name":"x"}]}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range []string{OpenAI, Anthropic} {
			c, err := New(Config{Name: "f", Kind: kind, Model: "m"})
			require.NoError(t, err)
			p := c.(*client)
			names := p.names(testPrompt())
			out, failure := p.answer([]byte(text), names)
			assert.GreaterOrEqual(t, out.Usage.TokensIn, int64(0))
			assert.GreaterOrEqual(t, out.Usage.TokensOut, int64(0))
			if failure != nil {
				assert.Empty(t, out.Text)
				assert.Empty(t, out.Calls)
				assert.NotContains(t, failure.Error(), "\n")
				continue
			}
			assert.LessOrEqual(t, len(out.Calls), maxCalls)
			seen := map[string]bool{}
			for _, call := range out.Calls {
				assert.NotEmpty(t, call.Name)
				assert.False(t, seen[call.ID], "an id twice")
				seen[call.ID] = true
			}
			next := testPrompt()
			next.Messages = append(next.Messages, model.Message{Role: model.RoleAssistant, Text: out.Text, Calls: out.Calls})
			body, err := p.request(next)
			require.NoError(t, err)
			_, err = json.Marshal(body)
			require.NoError(t, err)
		}
	})
}

// strict agrees with a slow reference: encoding/json for the grammar, and a walk
// over every object for keys that are there twice.
func FuzzStrict(f *testing.F) {
	for _, text := range []string{`{}`, `{"a":1,"a":2}`, `{"a":{"a":1}}`, `[{"a":1},{"a":1}]`,
		`{"a":[],"b":{"a":"a"},"a":1}`, `"a"`, `1 2`, `{"\u0061":1,"a":2}`, `[[[[]]]]`, `{"a":"b","b":"a"}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := strict([]byte(text))
		if !json.Valid([]byte(text)) {
			assert.Error(t, err)
			return
		}
		if strings.Count(text, "[")+strings.Count(text, "{") > maxDepth {
			return
		}
		assert.Equal(t, twice([]byte(text)), err != nil, "%v", err)
	})
}

// twice reports whether an object has a key twice, by counting.
func twice(text []byte) bool {
	var list []json.RawMessage
	if json.Unmarshal(text, &list) == nil {
		for _, x := range list {
			if twice(x) {
				return true
			}
		}
		return false
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(text, &m) != nil {
		return false
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	_, _ = d.Token()
	n := 0
	for d.More() {
		_, _ = d.Token()
		var x json.RawMessage
		_ = d.Decode(&x)
		n++
		if twice(x) {
			return true
		}
	}
	return n != len(m)
}
