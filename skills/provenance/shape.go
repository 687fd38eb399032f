package provenance

import "github.com/opencortex-go/cortex/skills/provenance/internal/words"

// Shape names what a text looks like, for messages to people: "email", "url", "account",
// "phone", "host", "path", "number", "day", "word" or "text".
func Shape(text string) string {
	switch words.ShapeOf(text) {
	case words.Email:
		return "email"
	case words.URL:
		return "url"
	case words.Account:
		return "account"
	case words.Phone:
		return "phone"
	case words.Host:
		return "host"
	case words.Path:
		return "path"
	case words.Numeric:
		return "number"
	case words.Day:
		return "day"
	case words.Word1:
		return "word"
	case words.Other:
	}
	return "text"
}
