package lint

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/rules"
)

// Guesses returns how many guesses of drafted declarations a person has not reviewed.
func Guesses(book *rules.Rulebook) int { return len(guesses(book)) }

// guesses finds the comments of drafts that `cortex tools declare` made. A person removes
// each with the guess reviewed.
func guesses(book *rules.Rulebook) []Finding {
	var out []Finding
	for _, file := range book.Files() {
		line := int32(0)
		for text := range strings.Lines(string(file.Data)) {
			line++
			why, ok := strings.CutPrefix(strings.TrimSpace(text), "; guessed: ")
			if !ok {
				continue
			}
			out = append(out, Finding{
				ID: guessed, File: file.Path, Line: line, Col: int32(strings.Index(text, ";") + 1),
				//nolint:gosec // a line is short
				Text: "a guess that is not reviewed: " + why, Right: "correct the declaration, then remove the comment",
			})
		}
	}
	return out
}
