package tools

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCallsAreRead(t *testing.T) {
	c, err := Read(
		Continue,
		[]byte(`{"continueToken":"ct1-ab","notes":"did it","artifacts":[{"kind":"x"}],"context":{"a":null}}`),
	)
	require.NoError(t, err)
	assert.Equal(t, &ContinueWorkflow{ContinueToken: "ct1-ab", Context: map[string]any{"a": nil},
		Output: &Output{"did it", []json.RawMessage{json.RawMessage(`{"kind":"x"}`)}}}, c)
	assert.True(t, c.(*ContinueWorkflow).Advances())
	c, err = Read(Continue, []byte(`{"continueToken":"ct1-ab"}`))
	require.NoError(t, err)
	assert.False(t, c.(*ContinueWorkflow).Advances())
	c, err = Read(List, nil)
	require.NoError(t, err)
	assert.Equal(t, &ListWorkflows{}, c)
}

// mistakes are calls that agents make, with the answer that helps.
var mistakes = []struct {
	tool         Name
	params, says string
}{
	{"continue_workflw", `{}`, `there is no tool "continue_workflw"; did you mean continue_workflow?`},
	{Start, `{"workflowID":"a.b","goal":"g"}`, "workflowID: is not known here; did you mean workflowId?"},
	{Start, `{"workflowId":"a.b"}`, "goal: is missing: what is to be reached"},
	{Start, `{"workflowId":"a.b","goal":" "}`, "goal: is missing"},
	{
		Start,
		`{"workflowId":"a.b","goal":"g","workspacePath":"src"}`,
		`workspacePath: is "src"; expected an absolute path`,
	},
	{Start, `{"workflowId":"a.b","goal":"g","context":[1]}`, "context: expected an object, found array"},
	{Start, `{"workflowId":"a.b","goal":"g","preferences":{"autonomy":"guidd"}}`, `"guidd"; expected guided or`},
	{Start, `{"workflowId":"a.b","goal":"g","preferences":{"autonomi":"guided"}}`,
		"preferences.autonomi: is not known here; did you mean autonomy?"},
	{Start, `{"workflowId":"a.b","workflowId":"c.d","goal":"g"}`, "workflowId"},
	{Start, `[]`, "expected an object with the fields of start_workflow"},
	{Start, `null`, "expected an object"},
	{Start, `{"workflowId":1,"goal":"g"}`, "workflowId: expected a string, found number"},
	{Continue, `{"continueToken":"t","notes":"a","output":{"notesMarkdown":"b"}}`,
		"notes: is another name of output.notesMarkdown, which is there too"},
	{Continue, `{"continueToken":"t","output":{"notes":"b"}}`, "output.notes: is not known here"},
	{Continue, `{"continueToken":"t","notes":"a","output":[]}`, "output: expected an object"},
	{Continue, `{"continueToken":"t","intent":"rehydrate","notes":"a"}`, "rehydrate only reads"},
	{Continue, `{"continueToken":"t","context":{}}`, "is handed in with a step"},
	{Continue, `{"continueToken":"t","intent":"go"}`, `"go"; expected advance or rehydrate`},
	{Continue, `{"notes":"a"}`, "continueToken: is missing: the continueToken of the newest answer"},
	{Resume, `{"gitHeadSha":"ABC"}`, "expected 40 hexadecimal digits"},
	{Resume, `{"sameWorkspaceOnly":true}`, "needs a workspacePath"},
	{Inspect, `{"workflowId":"a.b","mode":"full"}`, `"full"; expected metadata or preview`},
	{List, `{"tags":"a"}`, "tags: expected an array, found string"},
}

func TestMistakesAreExplained(t *testing.T) {
	for _, m := range mistakes {
		_, err := Read(m.tool, []byte(m.params))
		require.Error(t, err, m.params)
		require.ErrorAs(t, err, new(*Wrong), m.params)
		assert.Contains(t, err.Error(), m.says, m.params)
	}
}

// What is read and written again is read the same.
func FuzzRead(f *testing.F) {
	for _, m := range mistakes {
		f.Add(string(m.tool), m.params)
	}
	f.Add(string(Continue), `{"continueToken":"t","output":{"notesMarkdown":"a","artifacts":[{"a":1}]}}`)
	f.Fuzz(func(t *testing.T, tool, params string) {
		c, err := Read(Name(tool), []byte(params))
		if err != nil {
			require.ErrorAs(t, err, new(*Wrong))
			return
		}
		text, err := json.Marshal(c)
		require.NoError(t, err)
		again, err := Read(Name(tool), text)
		require.NoError(t, err, string(text))
		wrote, err := json.Marshal(again)
		require.NoError(t, err)
		require.JSONEq(t, string(text), string(wrote))
	})
}
