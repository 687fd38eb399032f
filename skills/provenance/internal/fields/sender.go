package fields

import "strings"

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
