package notes

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

func isSpace(r rune) bool { return unicode.IsSpace(r) }

// Private says which tags keep a note, and all below it, from models.
type Private struct{ tags map[string]bool }

// NewPrivate returns the tags that keep notes from models: "private", "personal", "secret" and "crypt",
// and those of more.
func NewPrivate(more ...string) Private {
	p := Private{tags: map[string]bool{}}
	for _, tag := range append([]string{"private", "personal", "secret", "crypt"}, more...) {
		p.tags[plain(tag)] = true
	}
	return p
}

// Is reports whether a tag is one of these, however it is spelled: case, a leading @ or #, compatible
// letters, and what stands behind a slash do not matter.
func (p Private) Is(tag string) bool {
	head, _, _ := strings.Cut(plain(tag), "/")
	return p.tags[head] || p.tags[plain(tag)]
}

// Any reports whether one of the tags is private.
func (p Private) Any(tags []string) bool {
	for _, tag := range tags {
		if p.Is(tag) {
			return true
		}
	}
	return false
}

func plain(tag string) string {
	return strings.TrimLeft(strings.ToLower(strings.ToUpper(norm.NFKC.String(tag))), "@#_")
}
