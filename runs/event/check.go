package event

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"
)

// The limits of what an event says, in bytes of UTF-8 unless they say otherwise.
const (
	MaxNotes        = 4096
	MaxSummary      = 512
	MaxTraceBytes   = 8192
	MaxTraceEntries = 25   // entries
	MaxTraceRefs    = 10   // of one entry
	MaxListBytes    = 4096 // of the issues of a validation, and of its suggestions
	MaxShort        = 80
	MaxPath         = 512
)

var (
	stepForm = regexp.MustCompile(`^[a-z0-9_-]+(\.[a-z0-9_-]+)*$`)
	idForm   = regexp.MustCompile(`^[a-z0-9_-]+$`)
	sha1Form = regexp.MustCompile(`^[0-9a-f]{40}$`)
	hexForm  = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// oneOf returns an error if got is not among want.
func oneOf[T ~string](member string, got T, want ...T) error {
	if slices.Contains(want, got) {
		return nil
	}
	return fmt.Errorf("%s %q: want one of %q", member, got, want)
}

// bounded returns an error if text is empty, is not UTF-8, or has more than limit bytes.
func bounded(member, text string, limit int) error {
	switch {
	case text == "":
		return fmt.Errorf("%s is empty", member)
	case len(text) > limit:
		return fmt.Errorf("%s has %d bytes, at most %d are allowed", member, len(text), limit)
	case !utf8.ValidString(text):
		return fmt.Errorf("%s is not UTF-8", member)
	}
	return nil
}

// form returns an error if text has not this form.
func form(member, text string, re *regexp.Regexp) error {
	if !re.MatchString(text) {
		return fmt.Errorf("%s %q: want the form %s", member, text, re)
	}
	return nil
}

func validID[T named](member string, id T) error {
	if err := wellFormed(id); err != nil {
		return fmt.Errorf("%s: %w", member, err)
	}
	return nil
}

func validDigest(member string, d Digest) error {
	if !d.Valid() {
		return fmt.Errorf("%s %q: want sha256: and 64 hexadecimal digits in lower case", member, d)
	}
	return nil
}

func validOutput(member string, id OutputID) error { return form(member, string(id), outputForm) }

// absent returns an error if a member is there that has no place beside kind.
func absent(member, kind string, is bool) error {
	if is {
		return fmt.Errorf("%s has no place in %q", member, kind)
	}
	return nil
}

// all returns the first error.
func all(errs ...error) error {
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}

var errOneOf = errors.New("want exactly one of them")
