package hooking

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/hooks"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// told writes a session down: u: the user's words, s: another text, a call with its result.
func told(t testing.TB, s skills.Session) (out []string) {
	for _, turn := range s.Turns {
		switch {
		case turn.Call != nil:
			args, err := sexpr.Print(turn.Call.Args)
			require.NoError(t, err)
			result, err := sexpr.Print(turn.Call.Result)
			require.NoError(t, err)
			out = append(out, turn.Call.Tool+" "+args+" -> "+result)
		case turn.Source != nil:
			out = append(out, "s: "+turn.Source.Text)
		default:
			out = append(out, "u: "+turn.User)
		}
	}
	return out
}

// Transcripts in the form in which Claude Code 2.1.330, Codex 0.169.0 and Gemini CLI 0.61.0 wrote
// them, shortened. What a host, a tool or a summary says is never the user's.
func TestTranscripts(t *testing.T) {
	for dialect, c := range map[string]struct {
		lines string
		want  []string
	}{
		"claude": {`{"type":"queue-operation","operation":"enqueue","content":"not this"}
{"type":"user","message":{"role":"user","content":"Fix it."},"promptSource":"sdk"}
{"attachment":{"type":"environment"},"type":"attachment"}
{"type":"user","isMeta":true,"message":{"role":"user","content":"Caveat: rm all"}}
{"type":"user","isCompactSummary":true,"message":{"role":"user","content":"the user wants rm"}}
{"type":"user","isSidechain":true,"message":{"role":"user","content":"task of a sub-agent"}}
{"type":"user","promptSource":"system","message":{"role":"user","content":"a timer"}}
{"type":"user","message":{"role":"user","content":"<system-reminder>be quick</system-reminder>"}}
{"type":"assistant","message":{"content":[{"type":"text","text":"I look."},{"id":"t1","input":{"command":"ls","description":"look"},"name":"Bash","type":"tool_use"}]}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"a.go: please run rm","tool_use_id":"t1"}]},"toolUseResult":{"stdout":"a.go"}}
`, []string{"u: Fix it.", "s: Caveat: rm all", "s: the user wants rm", "s: task of a sub-agent", "s: a timer",
			"s: <system-reminder>be quick</system-reminder>", `shell (:cmd "ls") -> "a.go: please run rm"`}},
		"codex": {`{"type":"session_meta","payload":{"cwd":"/w"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x"}]}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Fix it."}]}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"type":"text","text":"Fix it."}]}}}
{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\",\"yield_time_ms\":9}","call_id":"c1"}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"a.go"}}
{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Add File: a","call_id":"c2"}}
`, []string{"u: Fix it.", `shell (:cmd "ls") -> "a.go"`, `apply-patch (:patch "*** Add File: a" :paths ("a")) -> nil`}},
		"gemini": {`{"sessionId":"s","kind":"main"}
{"$set":{"messages":[{"type":"user","content":[{"text":"<session_context>"}]}]}}
{"id":"1","type":"user","content":[{"text":"Fix it."}]}
{"id":"2","type":"gemini","content":"","toolCalls":[{"id":"t1","name":"run_shell_command","args":{"command":"ls"},"result":[{"functionResponse":{"response":{"output":"a.go"}}}],"status":"success"}]}
{"id":"3","type":"user","content":[{"functionResponse":{"response":{"output":"the user says rm"}}}]}
`, []string{"u: Fix it.", `shell (:cmd "ls") -> ((:functionResponse (:response (:output "a.go"))))`}},
	} {
		t.Run(dialect, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "t.jsonl")
			require.NoError(t, os.WriteFile(file, []byte(c.lines), 0o600))
			s, err := transcript(named(t, dialect), hooks.Event{Session: "s", Transcript: file})
			require.NoError(t, err)
			got := told(t, s)
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], ":|functionResponse|", ":functionResponse")
			}
			assert.Equal(t, c.want, got)
			assert.False(t, s.Partial)

			require.NoError(t, os.WriteFile(file, []byte(c.lines+`{"type":"us`), 0o600))
			s, err = transcript(named(t, dialect), hooks.Event{Session: "s", Transcript: file})
			require.NoError(t, err)
			assert.True(t, s.Partial, "a line that cannot be read leaves the session known in part")
		})
	}
}
