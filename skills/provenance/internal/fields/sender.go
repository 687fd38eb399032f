package fields

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// Sender returns the first value of a head of "Name: value" lines, as mails have, whose name is asked for; ""
// if the text has no such head.
func Sender(text string, asked func(name string) bool) string {
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		switch {
		case !ok || strings.Contains(name, " "):
			return ""
		case asked(name):
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// SentFrom reports whether an address in the head of a mail, in one of its lines that begin with From:, is one
// that is asked for.
func SentFrom(text string, asked func(address string) bool) bool {
	for line := range strings.Lines(text[:min(len(text), 400)]) {
		if !strings.HasPrefix(line, "From:") {
			continue
		}
		for _, a := range words.Atoms(line) {
			if asked(a.Key) {
				return true
			}
		}
	}
	return false
}
