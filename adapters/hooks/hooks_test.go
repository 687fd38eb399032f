package hooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pre are events before a call, one for each dialect and event, as the hosts write them.
var pre = map[string]string{
	"claude":  `{"session_id":"s1","transcript_path":"/t.jsonl","cwd":"/w","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls","description":"list"},"tool_use_id":"c1"}`,
	"codex":   `{"session_id":"s1","transcript_path":null,"cwd":"/w","hook_event_name":"PreToolUse","model":"m","permission_mode":"default","turn_id":"1","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c1"}`,
	"gemini":  `{"session_id":"s1","transcript_path":"/t.json","cwd":"/w","hook_event_name":"BeforeTool","timestamp":"2026-01-02T03:04:05Z","tool_name":"run_shell_command","tool_input":{"command":"ls","description":"list"}}`,
	"cursor":  `{"conversation_id":"s1","generation_id":"g","hook_event_name":"beforeShellExecution","workspace_roots":["/w"],"command":"ls","cwd":"/w"}`,
	"copilot": `{"sessionId":"s1","timestamp":1704614400000,"cwd":"/w","toolName":"bash","toolArgs":"{\"command\":\"ls\",\"description\":\"list\"}"}`,
}

func read(t *testing.T, d Dialect, raw string) Event {
	t.Helper()
	e, err := d.Read([]byte(raw))
	require.NoError(t, err)
	return e
}

func TestACommandIsACommand(t *testing.T) {
	for _, d := range Dialects() {
		t.Run(d.Name(), func(t *testing.T) {
			e := read(t, d, pre[d.Name()])
			assert.Equal(t, PreTool, e.Kind)
			assert.Equal(t, "s1", e.Session)
			assert.Equal(t, "/w", e.Cwd)
			a, err := d.Table().Canonical(e)
			require.NoError(t, err)
			assert.Equal(t, "shell", a.Tool)
			assert.JSONEq(t, `{"cmd":"ls"}`, string(a.Args))
		})
	}
}

// What each host is told, byte for byte. These are contracts with programs of others.
func TestAnswers(t *testing.T) {
	rewritten := json.RawMessage(`{"command":"ls -l","description":"list"}`)
	for _, c := range []struct {
		dialect, what string
		answer        Answer
		want          Reply
	}{
		{"claude", "allow", Answer{Ruled: Allow}, Reply{Stdout: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"allowed by the rules"}}` + "\n"}},
		{"claude", "rewrite", Answer{Ruled: Allow, Input: rewritten}, Reply{Stdout: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"allowed by the rules","updatedInput":{"command":"ls -l","description":"list"}}}` + "\n"}},
		{"claude", "deny", Answer{Text: "no <b>"}, Reply{Stdout: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no <b>"}}` + "\n"}},
		{"codex", "allow", Answer{Ruled: Allow}, Reply{}},
		{"codex", "rewrite", Answer{Ruled: Allow, Input: rewritten}, Reply{Stdout: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"ls -l","description":"list"}}}` + "\n"}},
		{"codex", "deny", Answer{Text: "no"}, Reply{Stdout: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}` + "\n"}},
		{"gemini", "allow", Answer{Ruled: Allow}, Reply{Stdout: `{"decision":"allow"}` + "\n"}},
		{"gemini", "rewrite", Answer{Ruled: Allow, Input: rewritten}, Reply{Stdout: `{"decision":"allow","hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"ls -l","description":"list"}}}` + "\n"}},
		{"gemini", "a rewrite that takes an argument away", Answer{Ruled: Allow, Input: json.RawMessage(`{"description":"list"}`)}, Reply{Stdout: `{"decision":"deny","reason":"leave out the argument command; this would be allowed: {\"description\":\"list\"}"}` + "\n"}},
		{"gemini", "deny", Answer{Text: "no"}, Reply{Stdout: `{"decision":"deny","reason":"no"}` + "\n"}},
		{"cursor", "allow", Answer{Ruled: Allow}, Reply{Stdout: `{"permission":"allow"}` + "\n"}},
		{"cursor", "rewrite", Answer{Ruled: Allow, Input: rewritten}, Reply{Stdout: `{"permission":"deny","user_message":"not with these arguments; the same call would be allowed with {\"command\":\"ls -l\",\"description\":\"list\"}","agent_message":"not with these arguments; the same call would be allowed with {\"command\":\"ls -l\",\"description\":\"list\"}"}` + "\n"}},
		{"cursor", "deny", Answer{Text: "no"}, Reply{Stdout: `{"permission":"deny","user_message":"no","agent_message":"no"}` + "\n"}},
		{"copilot", "allow", Answer{Ruled: Allow}, Reply{Stdout: `{"permissionDecision":"allow"}` + "\n"}},
		{"copilot", "rewrite", Answer{Ruled: Allow, Input: rewritten}, Reply{Stdout: `{"permissionDecision":"deny","permissionDecisionReason":"not with these arguments; the same call would be allowed with {\"command\":\"ls -l\",\"description\":\"list\"}"}` + "\n"}},
		{"copilot", "deny", Answer{Text: "no"}, Reply{Stdout: `{"permissionDecision":"deny","permissionDecisionReason":"no"}` + "\n"}},
	} {
		d, err := Named(c.dialect)
		require.NoError(t, err)
		assert.Equal(t, c.want, d.Answer(read(t, d, pre[c.dialect]), c.answer), "%s %s", c.dialect, c.what)
	}
}

// Whatever is wrong is a denial with a text, in every dialect. An allowed call is none, so the
// test can fail.
func TestEveryErrorBlocks(t *testing.T) {
	for _, d := range Dialects() {
		t.Run(d.Name(), func(t *testing.T) {
			e := read(t, d, pre[d.Name()])
			assert.True(t, Denied(d, d.Block("broken")))
			assert.True(t, Denied(d, d.Block(" \n")), "a denial without a text")
			assert.True(t, Denied(d, d.Answer(e, Answer{})), "the zero answer")
			assert.True(t, Denied(d, d.Answer(e, Answer{Input: json.RawMessage(`{}`)})))
			assert.False(t, Denied(d, d.Answer(e, Answer{Ruled: Allow})))
			assert.False(t, Denied(d, Reply{Code: 1, Stderr: "x"}))
		})
	}
}

// Input that cannot be what the host meant.
func TestBadEvents(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 80) + "1" + strings.Repeat("}", 80)
	for _, d := range Dialects() {
		good := pre[d.Name()]
		twice := strings.Replace(good, `{`, `{"cwd":"/x",`, 1)
		inner := strings.Replace(good, `"command":"ls"`, `"command":"ls","command":"rm"`, 1)
		if d.Name() == "copilot" {
			inner = strings.Replace(good, `\"command\":\"ls\"`, `\"command\":\"ls\",\"command\":\"rm\"`, 1)
		}
		require.NotEqual(t, good, inner)
		for what, raw := range map[string]string{
			"nothing": "", "no JSON": "rm -rf /", "a cut one": good[:len(good)-3], "an array": "[" + good + "]",
			"two": good + good, "a key twice": twice, "an argument twice": inner, "no UTF-8": "{\"a\":\"\xff\"}",
			"an empty object": "{}", "deep": deep, "too long": good + strings.Repeat(" ", Most),
			"another kind":      strings.Replace(good, `"/w"`, `7`, 1),
			"a relative folder": strings.ReplaceAll(good, `"/w"`, `"w"`),
		} {
			_, err := d.Read([]byte(raw))
			if what == "another kind" && d.Name() == "cursor" {
				continue // its folders are a list there, and cwd is given
			}
			assert.Error(t, err, "%s: %s", d.Name(), what)
		}
	}
	for dialect, missing := range map[string][]string{
		"claude": {"session_id", "tool_name", "tool_input", "hook_event_name"}, "codex": {"session_id", "tool_input"},
		"gemini": {"session_id", "tool_name"}, "cursor": {"conversation_id", "command"}, "copilot": {"cwd", "toolArgs"},
	} {
		d, err := Named(dialect)
		require.NoError(t, err)
		for _, key := range missing {
			var o map[string]any
			require.NoError(t, json.Unmarshal([]byte(pre[dialect]), &o))
			delete(o, key)
			raw, err := json.Marshal(o)
			require.NoError(t, err)
			_, err = d.Read(raw)
			assert.Error(t, err, "%s without %s", dialect, key)
		}
	}
}

// A probe is an event before a command, of every host.
func TestProbes(t *testing.T) {
	for _, d := range Dialects() {
		e := read(t, d, string(Probe(d, "s", "/w", "ls -l")))
		a, err := d.Table().Canonical(e)
		require.NoError(t, err)
		assert.Equal(t, PreTool, e.Kind)
		assert.Equal(t, "s", e.Session)
		assert.Equal(t, "shell", a.Tool)
		assert.JSONEq(t, `{"cmd":"ls -l"}`, string(a.Args))
	}
}

// An event that is not known passes, unless it seems to run a tool.
func TestUnknownEvents(t *testing.T) {
	for dialect, raw := range map[string]string{
		"claude": `{"session_id":"s","hook_event_name":"NewThing","cwd":"/w"%s}`,
		"codex":  `{"session_id":"s","hook_event_name":"NewThing","cwd":"/w"%s}`,
		"gemini": `{"session_id":"s","hook_event_name":"NewThing","cwd":"/w"%s}`,
		"cursor": `{"conversation_id":"s","hook_event_name":"newThing","cwd":"/w"%s}`,
	} {
		d, err := Named(dialect)
		require.NoError(t, err)
		e := read(t, d, fmt.Sprintf(raw, ""))
		assert.Equal(t, Other, e.Kind)
		assert.Equal(t, Reply{}, d.Answer(e, Answer{}), dialect)
		_, err = d.Read([]byte(fmt.Sprintf(raw, `,"tool_name":"X","tool_input":{}`)))
		assert.ErrorContains(t, err, "may run a tool", dialect)
	}
}

func TestOtherEvents(t *testing.T) {
	for _, c := range []struct {
		dialect, raw string
		want         Event
	}{
		{"claude", `{"session_id":"s","hook_event_name":"UserPromptSubmit","cwd":"/w","prompt":"fix it","source":"sdk"}`,
			Event{Kind: Prompt, Name: "UserPromptSubmit", Session: "s", Cwd: "/w", Text: "fix it", Typed: true}},
		{"claude", `{"session_id":"s","hook_event_name":"UserPromptSubmit","cwd":"/w","prompt":"wake","source":"loop_wakeup"}`,
			Event{Kind: Prompt, Name: "UserPromptSubmit", Session: "s", Cwd: "/w", Text: "wake"}},
		{"claude", `{"session_id":"s","hook_event_name":"PostToolUse","cwd":"/w","tool_name":"Read","tool_input":{"file_path":"a"},"tool_use_id":"c","tool_response":{"x":1}}`,
			Event{Kind: PostTool, Name: "PostToolUse", Session: "s", Cwd: "/w", Tool: "Read", Call: "c", Input: json.RawMessage(`{"file_path":"a"}`), Result: json.RawMessage(`{"x":1}`)}},
		{"claude", `{"session_id":"s","hook_event_name":"PostToolUseFailure","cwd":"/w","tool_name":"Read","tool_input":{},"tool_use_id":"c","error":"gone"}`,
			Event{Kind: FailedTool, Name: "PostToolUseFailure", Session: "s", Cwd: "/w", Tool: "Read", Call: "c", Input: json.RawMessage(`{}`), Error: "gone"}},
		{"claude", `{"session_id":"s","hook_event_name":"SessionEnd","cwd":"/w","reason":"exit"}`,
			Event{Kind: SessionEnd, Name: "SessionEnd", Session: "s", Cwd: "/w"}},
		{"gemini", `{"session_id":"s","hook_event_name":"AfterTool","cwd":"/w","tool_name":"x","tool_input":{},"tool_response":{"llmContent":"no","error":{"message":"no such file"}}}`,
			Event{Kind: FailedTool, Name: "AfterTool", Session: "s", Cwd: "/w", Tool: "x", Input: json.RawMessage(`{}`), Result: json.RawMessage(`{"llmContent":"no","error":{"message":"no such file"}}`), Error: "no such file"}},
		{"gemini", `{"session_id":"s","hook_event_name":"BeforeTool","cwd":"/w","tool_name":"mcp_a_b_c","tool_input":{},"mcp_context":{"server_name":"a","tool_name":"b_c"}}`,
			Event{Kind: PreTool, Name: "BeforeTool", Session: "s", Cwd: "/w", Tool: "mcp__a__b_c", Input: json.RawMessage(`{}`)}},
		{"cursor", `{"conversation_id":"s","hook_event_name":"beforeMCPExecution","workspace_roots":["/w"],"tool_name":"q","tool_input":"{\"a\":1}","url":"http://h"}`,
			Event{Kind: PreTool, Name: "beforeMCPExecution", Session: "s", Cwd: "/w", Roots: []string{"/w"}, Tool: "mcp__http://h__q", Input: json.RawMessage(`{"a":1}`)}},
		{"cursor", `{"conversation_id":"s","hook_event_name":"beforeReadFile","workspace_roots":["/w"],"file_path":"/w/a","content":"x"}`,
			Event{Kind: PreTool, Name: "beforeReadFile", Session: "s", Cwd: "/w", Roots: []string{"/w"}, Tool: "Read", Input: json.RawMessage(`{"file_path":"/w/a"}`)}},
		{"copilot", `{"timestamp":1,"cwd":"/w","prompt":"fix it"}`, Event{Kind: Prompt, Session: "/w", Cwd: "/w", Text: "fix it", Typed: true}},
		{"copilot", `{"timestamp":1,"cwd":"/w","reason":"complete"}`, Event{Kind: SessionEnd, Session: "/w", Cwd: "/w"}},
	} {
		d, err := Named(c.dialect)
		require.NoError(t, err)
		assert.Equal(t, c.want, read(t, d, c.raw), c.raw)
	}
}

// A prompt is kept from the model where the host can do that, and otherwise goes on in silence:
// what a hook prints on a prompt would be added to it.
func TestPrompts(t *testing.T) {
	for dialect, c := range map[string]struct {
		raw     string
		yes, no Reply
	}{
		"claude": {`{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"x"}`, Reply{}, Reply{Stderr: "no\n", Code: 2}},
		"codex":  {`{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"x"}`, Reply{}, Reply{Stderr: "no\n", Code: 2}},
		"gemini": {`{"session_id":"s","hook_event_name":"BeforeAgent","prompt":"x"}`, Reply{}, Reply{Stdout: `{"decision":"deny","reason":"no"}` + "\n"}},
		"cursor": {`{"conversation_id":"s","hook_event_name":"beforeSubmitPrompt","prompt":"x"}`,
			Reply{Stdout: `{"continue":true}` + "\n"}, Reply{Stdout: `{"continue":false,"user_message":"no"}` + "\n"}},
	} {
		d, err := Named(dialect)
		require.NoError(t, err)
		e := read(t, d, c.raw)
		assert.Equal(t, c.yes, d.Answer(e, Answer{Ruled: Allow}), dialect)
		assert.Equal(t, c.no, d.Answer(e, Answer{Text: "no"}), dialect)
	}
}

// What Codex prints fits the schemas that its program carries, which refuse unknown fields.
func TestCodexSchemas(t *testing.T) {
	check := func(name, text string) error {
		file, err := os.ReadFile("testdata/codex/" + name + ".command.output.json")
		require.NoError(t, err)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(file))
		require.NoError(t, err)
		c := jsonschema.NewCompiler()
		require.NoError(t, c.AddResource(name, doc))
		schema, err := c.Compile(name)
		require.NoError(t, err)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		require.NoError(t, err)
		return schema.Validate(value)
	}
	e := read(t, codex{}, pre["codex"])
	for _, a := range []Answer{{}, {Text: "no"}, {Ruled: Allow, Input: json.RawMessage(`{"command":"ls"}`)}} {
		assert.NoError(t, check("pre-tool-use", codex{}.Answer(e, a).Stdout))
	}
	require.Error(t, check("pre-tool-use", `{"permission":"deny"}`), "the schema refuses what it does not know")
}
