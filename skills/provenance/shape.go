package provenance

import "github.com/opencortex-go/cortex/skills/provenance/internal/words"

// Shape names what a text looks like, for messages to people: "email", "url", "account",
// "phone", "host", "path", "number", "day", "word" or "text".
func Shape(text string) string { return words.ShapeOf(text).String() }
