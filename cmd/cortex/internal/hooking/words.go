package hooking

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/opencortex-go/cortex/adapters/hooks"
)

// hostText names, as a text that was read, what a host composed.
const hostText = "a message of the host"

// words divides the text of a prompt into what a person typed and what the host, a model or a hook composed.
func words(d hooks.Dialect, e hooks.Event) (typed, composed string) {
	switch {
	case !e.Typed || planned(d, e) || d.Name() == "copilot" && ofHook(e):
		return "", e.Text
	case d.Name() == "gemini":
		return geminiTyped(e.Text, geminiLog(e.Transcript, e.Session))
	}
	return hooks.Typed(d, e.Text)
}

// planned reports whether a model wrote the prompt earlier, as an argument of a call: Claude Code hands it over at
// the time that CronCreate or ScheduleWakeup said, and 2.1.330 does not say so.
func planned(d hooks.Dialect, e hooks.Event) bool {
	if d.Name() != "claude" {
		return false
	}
	s, err := transcript(d, e)
	if err != nil {
		return true // it may be one
	}
	text := strings.TrimSpace(e.Text)
	for _, turn := range s.Turns {
		if turn.Call != nil && text != "" && strings.TrimSpace(turn.Call.Args.GetText("prompt")) == text {
			return true
		}
	}
	return false
}

// ofHook reports whether a prompt is that of a hook of Copilot, which sends it when a session starts as if the user
// had typed it. It stands in the hooks of the project, or of the user.
func ofHook(e hooks.Event) bool {
	home, _ := os.UserHomeDir() // without it there are no hooks of the user
	for _, dir := range []string{filepath.Join(e.Cwd, ".github", "hooks"), filepath.Join(home, ".copilot", "hooks")} {
		files, _ := filepath.Glob(filepath.Join(dir, "*.json")) // the pattern is sound
		for _, name := range files {
			if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > hooks.Most {
				continue
			}
			raw, _ := os.ReadFile(name) // a hook that cannot be read sends nothing
			var file struct {
				Hooks map[string][]struct{ Type, Prompt string }
			}
			if json.Unmarshal(raw, &file) != nil {
				continue
			}
			for _, h := range file.Hooks["sessionStart"] {
				if h.Type == "prompt" && strings.TrimSpace(h.Prompt) == strings.TrimSpace(e.Text) {
					return true
				}
			}
		}
	}
	return false
}
