package hooks

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// Transcript is the file, in the working folder, that a [Probe] names as its transcript. There need not be one.
const Transcript = "transcript.jsonl"

// Probe is an event as the host would write it before it runs a command, to try a hook with.
func Probe(d Dialect, session, cwd, command string) []byte {
	input := map[string]string{"command": command}
	event := map[string]any{"session_id": session, "cwd": cwd, "tool_use_id": session + "-1", "tool_input": input}
	switch d.Name() {
	case "claude", "codex":
		event["hook_event_name"], event["tool_name"] = "PreToolUse", "Bash"
		event["transcript_path"] = filepath.Join(cwd, Transcript)
	case "gemini":
		event["hook_event_name"], event["tool_name"] = "BeforeTool", "run_shell_command"
	case "cursor":
		event = map[string]any{"conversation_id": session, "hook_event_name": "beforeShellExecution", "cwd": cwd,
			"command": command}
	case "copilot":
		args, _ := json.Marshal(input)
		event = map[string]any{"sessionId": session, "cwd": cwd, "toolName": "bash", "toolArgs": string(args)}
	}
	raw, _ := json.Marshal(event) // texts always have JSON
	return raw
}

// Denied reports whether the host takes a reply to an event before a call for a denial, as its
// documents, types and schemas say. Whatever is in doubt is none.
func Denied(d Dialect, r Reply) bool {
	var out struct {
		Specific struct {
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
		Permission string `json:"permission"`
		Agent      string `json:"agent_message"`
		Decision   string `json:"decision"`
		Reason     string `json:"reason"`
		Copilot    string `json:"permissionDecision"`
		Why        string `json:"permissionDecisionReason"`
	}
	said := json.Unmarshal([]byte(r.Stdout), &out) == nil && r.Code == 0
	silent := strings.TrimSpace(r.Stdout) == ""
	two := r.Code == 2 && strings.TrimSpace(r.Stderr) != ""
	switch d.Name() {
	case "claude", "codex":
		return two && silent || said && out.Specific.Decision == "deny" && out.Specific.Reason != ""
	case "gemini": // what is printed counts, whatever the exit code
		return two && silent || said && out.Decision == "deny" && out.Reason != ""
	case "cursor":
		return two || said && out.Permission == "deny"
	}
	return said && out.Copilot == "deny" && out.Why != ""
}
