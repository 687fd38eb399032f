package llm

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/reason/model"
)

// Whatever a conversation was, what is sent keeps the rules by which the vendors
// refuse a request.
func TestConversationsKeepTheRulesOfTheAPIs(t *testing.T) {
	openai, claude := connect(t, OpenAI, "https://a.example/v1"), connect(t, Anthropic, "https://a.example/v1")
	ids := rapid.SampledFrom([]string{"", "a", "b", "c"})
	texts := rapid.SampledFrom([]string{"", " ", "hello", "two\nlines", "RESULT"})
	rapid.Check(t, func(r *rapid.T) {
		p := testPrompt()
		p.Messages = nil
		for range rapid.IntRange(0, 12).Draw(r, "n") {
			m := model.Message{Text: texts.Draw(r, "text")}
			switch rapid.IntRange(0, 3).Draw(r, "role") {
			case 0:
				m.Role = model.RoleUser
			case 1:
				m.Role, m.CallID = model.RoleTool, ids.Draw(r, "call")
			default:
				m.Role = model.RoleAssistant
				for range rapid.IntRange(0, 3).Draw(r, "calls") {
					m.Calls = append(m.Calls, model.NativeCall{
						ID: ids.Draw(r, "id"), Name: rapid.SampledFrom([]string{"shell", "files.read", "ümlaut", ""}).Draw(r, "name"),
						Arguments: rapid.SampledFrom([]string{`{}`, `{"a":1}`, `{"a":`, `[]`, ``, `null`}).Draw(r, "args"),
						Cut:       rapid.Bool().Draw(r, "cut"),
					})
				}
			}
			p.Messages = append(p.Messages, m)
		}
		if err := openAIRules(requestOf(t, openai, p)["messages"].([]any)); err != nil {
			r.Fatal(err)
		}
		if err := anthropicRules(requestOf(t, claude, p)["messages"].([]any)); err != nil {
			r.Fatal(err)
		}
	})
}

func get(v any, key string) any {
	m, _ := v.(map[string]any)
	return m[key]
}

// openAIRules: the system's message first; behind calls their results, all of
// them and nothing before; no result elsewhere; ids once; arguments are objects.
func openAIRules(messages []any) error {
	if get(messages[0], "role") != "system" {
		return fmt.Errorf("no system message")
	}
	seen := map[any]bool{}
	var due []any
	for i, m := range messages[1:] {
		if get(m, "role") == "tool" {
			if len(due) == 0 || get(m, "tool_call_id") != due[0] || get(m, "content") == "" {
				return fmt.Errorf("message %d is a result that is not due", i)
			}
			due = due[1:]
			continue
		}
		if len(due) > 0 {
			return fmt.Errorf("message %d stands where results are due", i)
		}
		calls, _ := get(m, "tool_calls").([]any)
		for _, c := range calls {
			if seen[get(c, "id")] {
				return fmt.Errorf("an id twice")
			}
			seen[get(c, "id")] = true
			due = append(due, get(c, "id"))
			var args map[string]any
			if json.Unmarshal([]byte(get(get(c, "function"), "arguments").(string)), &args) != nil || args == nil {
				return fmt.Errorf("arguments that are no object")
			}
			if !permitted(get(get(c, "function"), "name")) {
				return fmt.Errorf("a name that is not permitted")
			}
		}
	}
	if len(due) > 0 {
		return fmt.Errorf("results are missing")
	}
	return nil
}

// anthropicRules: user and assistant in turn, the user first and last; no empty
// text; the results of an answer's calls open the next message.
func anthropicRules(messages []any) error {
	seen := map[any]bool{}
	var due []any
	for i, m := range messages {
		want := []string{"user", "assistant"}[i%2]
		if get(m, "role") != want {
			return fmt.Errorf("message %d is not the %s's", i, want)
		}
		blocks := get(m, "content").([]any)
		if len(blocks) == 0 {
			return fmt.Errorf("message %d is empty", i)
		}
		for _, b := range blocks {
			kind := get(b, "type")
			if len(due) > 0 && (kind != "tool_result" || get(b, "tool_use_id") != due[0]) {
				return fmt.Errorf("message %d lacks a result in its place", i)
			}
			switch kind {
			case "tool_result":
				if len(due) == 0 {
					return fmt.Errorf("message %d has a result that is not due", i)
				}
				due = due[1:]
			case "tool_use":
				if seen[get(b, "id")] || want != "assistant" || !permitted(get(b, "name")) {
					return fmt.Errorf("message %d has a call that is not right", i)
				}
				if _, ok := get(b, "input").(map[string]any); !ok {
					return fmt.Errorf("an input that is not an object")
				}
				seen[get(b, "id")] = true
			case "text":
				if s, _ := get(b, "text").(string); len(s) == 0 || s == " " {
					return fmt.Errorf("message %d has an empty text", i)
				}
			}
		}
		if want == "assistant" {
			for _, b := range blocks {
				if get(b, "type") == "tool_use" {
					due = append(due, get(b, "id"))
				}
			}
		}
	}
	if len(due) > 0 || len(messages)%2 == 0 {
		return fmt.Errorf("the last message is not the user's, with all results")
	}
	return nil
}

func permitted(name any) bool {
	n := toolNames{most: 64}
	s, _ := name.(string)
	return s != "" && n.fit(s) == s
}

// The rules above do refuse what is wrong.
func TestTheRulesOfTheAPIsAreAFence(t *testing.T) {
	var list []any
	require.NoError(t, json.Unmarshal([]byte(
		`[{"role":"system"},{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"x","arguments":"{}"}}]},{"role":"user"}]`), &list))
	require.Error(t, openAIRules(list))
	require.NoError(t, json.Unmarshal([]byte(
		`[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"x","input":{}}]},{"role":"user","content":[{"type":"text","text":"a"}]}]`), &list))
	require.Error(t, anthropicRules(list))
}

// A result belongs to the answer before it, also where a later one has the same
// id.
func TestAnIdThatComesAgain(t *testing.T) {
	again := []model.NativeCall{{ID: "a", Name: "shell", Arguments: `{}`}}
	got := dialogue([]model.Message{
		{Role: model.RoleAssistant, Calls: again}, {Role: model.RoleUser, Text: "silent"},
		{Role: model.RoleAssistant, Calls: again}, {Role: model.RoleTool, CallID: "a", Text: "second"},
	}, newToolNames(nil, 64))
	require.Len(t, got, 3)
	require.Equal(t, []string{noResult}, got[0].results)
	require.Equal(t, []string{"second"}, got[2].results)
	long := identified([]model.NativeCall{{ID: string(make([]byte, 1000))}})
	require.Equal(t, "call-1", long[0].ID)
}
