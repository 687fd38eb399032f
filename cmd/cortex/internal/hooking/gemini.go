package hooking

import (
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/adapters/hooks"
)

// Gemini CLI reports a prompt as the model gets it: behind the words stand the files that an @ names, and
// in place of a slash command what it expands to. What a person typed stands in a log of its own, beside the
// folder of its transcripts.

// geminiLog is what a person typed in a session; nil if the host has not logged any of it, as where it was
// started with -p.
func geminiLog(transcript, session string) (typed []string) {
	if transcript == "" {
		return nil
	}
	name := filepath.Join(filepath.Dir(filepath.Dir(transcript)), "logs.json")
	f, err := open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // it was only read
	var entries []struct{ SessionID, Type, Message string }
	if json.NewDecoder(io.LimitReader(f, mostTranscript)).Decode(&entries) != nil {
		return nil
	}
	for _, e := range entries {
		if e.SessionID == session && e.Type == "user" {
			typed = append(typed, strings.TrimSpace(e.Message))
		}
	}
	return typed
}

// geminiTyped divides a prompt into what a person typed and what the host put behind it or in its place. log
// is what [geminiLog] returns.
func geminiTyped(prompt string, log []string) (typed, added string) {
	typed, added = hooks.GeminiTyped(prompt)
	switch {
	case log == nil || slices.Contains(log, strings.TrimSpace(typed)):
		return typed, added
	case added != "" && slices.ContainsFunc(log, namesFile): // it writes the paths anew
		return typed, added
	}
	return "", prompt
}

// namesFile reports whether a message names a file with an @ and does not begin as a slash command does.
func namesFile(message string) bool {
	return !strings.HasPrefix(message, "/") && strings.Contains(message, "@")
}
