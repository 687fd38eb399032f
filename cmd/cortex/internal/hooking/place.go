package hooking

import (
	"path/filepath"
	"time"

	"github.com/opencortex-go/cortex/adapters/hooks"
)

// entry is one hook in a host's settings: a JSON value, and where it stands.
type entry struct {
	event string // the key under "hooks"
	value string // JSON of what is added to its list
}

// host says where and how a host is told of hooks.
type host struct {
	user, project string // the settings file, relative to the home and to the project folder
	home          string // a variable that moves the folder of user; "" if none
	version       int    // of the file's format; 0 if it has none
	entries       func(line string, wait time.Duration) []entry
}

// hostOf has the settings of each dialect's host.
func hostOf(d hooks.Dialect) host {
	switch d.Name() {
	case "claude":
		return host{user: ".claude/settings.json", project: ".claude/settings.json", home: "CLAUDE_CONFIG_DIR",
			entries: claudeEntries}
	case "codex":
		return host{user: ".codex/hooks.json", project: ".codex/hooks.json", home: "CODEX_HOME", entries: codexEntries}
	case "gemini":
		return host{user: ".gemini/settings.json", project: ".gemini/settings.json", entries: geminiEntries}
	case "cursor":
		return host{user: ".cursor/hooks.json", project: ".cursor/hooks.json", version: 1, entries: cursorEntries}
	}
	return host{user: ".copilot/hooks/cortex.json", project: ".github/hooks/cortex.json", version: 1,
		entries: copilotEntries}
}

// file is the settings file.
func (h host) file(project, home string, getenv func(string) string) string {
	if project != "" {
		return filepath.Join(project, filepath.FromSlash(h.project))
	}
	if dir := getenv(h.home); h.home != "" && dir != "" {
		return filepath.Join(dir, filepath.Base(h.user))
	}
	return filepath.Join(home, filepath.FromSlash(h.user))
}

// group is a matcher and its hooks, as Claude Code, Codex and Gemini CLI have them.
type group struct {
	Matcher string `json:"matcher,omitempty"`
	Hooks   []any  `json:"hooks"`
}

func groups(events []string, matched string, hook any) (out []entry) {
	for _, event := range events {
		g := group{Hooks: []any{hook}}
		if matched != "" && (event == "PreToolUse" || event == "PostToolUse" || event == "PostToolUseFailure" ||
			event == "BeforeTool" || event == "AfterTool") {
			g.Matcher = matched
		}
		out = append(out, entry{event, literal(g)})
	}
	return out
}

// claudeEntries uses onFailure, which blocks if even the shell of the line fails.
func claudeEntries(line string, wait time.Duration) []entry {
	return groups([]string{"UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SessionEnd"}, "*",
		struct {
			Type      string `json:"type"`
			Command   string `json:"command"`
			Timeout   int    `json:"timeout"`
			OnFailure string `json:"onFailure"`
		}{"command", line, int(wait.Seconds()), "block"})
}

func codexEntries(line string, wait time.Duration) []entry {
	return groups([]string{"UserPromptSubmit", "PreToolUse", "PostToolUse", "SessionEnd"}, ".*",
		struct {
			Type    string `json:"type"`
			Command string `json:"command"`
			Timeout int    `json:"timeout"`
		}{"command", line, int(wait.Seconds())})
}

// geminiEntries has its time in milliseconds.
func geminiEntries(line string, wait time.Duration) []entry {
	return groups([]string{"BeforeAgent", "BeforeTool", "AfterTool", "SessionEnd"}, ".*",
		struct {
			Name    string `json:"name"`
			Type    string `json:"type"`
			Command string `json:"command"`
			Timeout int64  `json:"timeout"`
		}{"cortex", "command", line, wait.Milliseconds()})
}

// cursorEntries uses an event of its own for each kind of tool that has one, and preToolUse for the
// others, so that each call is judged once. Each is fail-closed.
func cursorEntries(line string, wait time.Duration) (out []entry) {
	type hook struct {
		Command    string `json:"command"`
		Matcher    string `json:"matcher,omitempty"`
		Timeout    int    `json:"timeout"`
		FailClosed bool   `json:"failClosed"`
	}
	const others = "^(?!(Shell|Read|MCP.*)$).*$"
	for _, event := range []string{"beforeSubmitPrompt", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile",
		"afterShellExecution", "afterMCPExecution", "sessionEnd"} {
		out = append(out, entry{event, literal(hook{Command: line, Timeout: int(wait.Seconds()), FailClosed: true})})
	}
	for _, event := range []string{"preToolUse", "postToolUse", "postToolUseFailure"} {
		out = append(out, entry{event, literal(hook{line, others, int(wait.Seconds()), true})})
	}
	return out
}

func copilotEntries(line string, wait time.Duration) (out []entry) {
	for _, event := range []string{"userPromptSubmitted", "preToolUse", "postToolUse", "sessionEnd"} {
		out = append(out, entry{event, literal(struct {
			Type    string `json:"type"`
			Bash    string `json:"bash"`
			Timeout int    `json:"timeoutSec"`
		}{"command", line, int(wait.Seconds())})})
	}
	return out
}
