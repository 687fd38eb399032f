// Package foreign makes what other people's code says fit to be kept: its texts
// get a spelling and an end, its panics become errors. Gates, triggers and model
// providers are such code.
package foreign

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxText bounds a text that [Legible] returns, in bytes.
const MaxText = 2000

// Legible returns s without what has no spelling in a record, cut to [MaxText].
// What rules give comes back as it is.
func Legible(s string) string {
	s = Clip(s, MaxText)
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// Clip returns s, or its first n bytes or a few less and "..." where it is
// longer: it cuts no character in two.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 { // not inside a character
		n--
	}
	return s[:n] + "..."
}

// PanicError is a panic that foreign code did not catch.
type PanicError struct{ err error }

// Error returns what the code panicked with, as far as it is the same every time.
func (e *PanicError) Error() string { return e.err.Error() }

// Panicked returns a [PanicError] for what recover returned.
func Panicked(p any) error {
	switch x := p.(type) {
	case error:
		return &PanicError{fmt.Errorf("panic: %w", x)}
	case string:
		return &PanicError{fmt.Errorf("panic: %s", x)}
	}
	return &PanicError{fmt.Errorf("panic: a %T", p)} // its text may hold an address
}
