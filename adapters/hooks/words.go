package hooks

import "strings"

// elements are those that hosts put their own texts into, before or behind the words of a person. Names that
// people write themselves, such as event, are left out: of these only a prompt that begins with one is the host's.
var elements = map[string][]string{
	"claude": {"system-reminder", "task-notification", "teammate-message", "cross-session-message", "session-notice",
		"poll-event", "command-name", "command-message", "local-command-stdout", "local-command-stderr", "bash-input",
		"bash-stdout", "bash-stderr", "mcp-resource-update", "mcp-polling-update"},
	"codex": {"environment_context", "user_instructions", "subagent_notification", "agent_message_board_notification",
		"context_window_reminder", "turn_aborted", "user_shell_command", "user_action",
		"send_user_message_question_reply"},
	"cursor":  {"attached_files", "system_reminder", "user_query"},
	"copilot": {"system_reminder", "system_notification", "attached_files"},
}

// Typed splits a prompt into the text that a person typed and the text that the host composed. The host composed the
// whole of a prompt that begins with an element; of any other prompt it composed the part from its first element on.
func Typed(d Dialect, prompt string) (typed, composed string) {
	if d.Name() == "gemini" {
		return GeminiTyped(prompt)
	}
	if plain := strings.TrimSpace(prompt); len(plain) > 1 && plain[0] == '<' && named(plain[1]) {
		return "", prompt
	}
	at := len(prompt)
	for _, name := range elements[d.Name()] {
		if i := strings.Index(prompt, "<"+name); i >= 0 && i < at && ends(prompt[i+1+len(name):]) {
			at = i
		}
	}
	return prompt[:at], prompt[at:]
}

// named reports whether the name of an element may begin so.
func named(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '/' || c == '!' || c == '?' }

// ends reports whether the name of an element is over where a text goes on so.
func ends(rest string) bool { return rest == "" || strings.ContainsRune(" \t\r\n/>", rune(rest[0])) }
