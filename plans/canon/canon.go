// Package canon makes one text of equal JSON: RFC 8785, and SHA-256 over it. Plans, snapshots,
// contexts and bundles are named by what it gives. It also cuts texts to their budgets, which
// count UTF-8 bytes.
package canon

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/gowebpki/jcs"

	"github.com/opencortex-go/cortex/sexpr"
)

// JSON returns the canonical form of one JSON text. It refuses what has no single meaning: a
// member twice, a lone surrogate, text that is not UTF-8, a number outside of the floats, and
// anything behind the value.
func JSON(text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("canonical JSON: the text is not UTF-8")
	}
	if out, ok := canonical(text); ok {
		return out, nil
	}
	out, err := jcs.Transform(text)
	if err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	return out, nil
}

// Of returns the canonical JSON of a Go value, as encoding/json writes it. It refuses NaN and
// the infinities.
func Of(v any) ([]byte, error) {
	var text bytes.Buffer
	as := json.NewEncoder(&text)
	as.SetEscapeHTML(false)
	if err := as.Encode(v); err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	return JSON(text.Bytes())
}

// Digest is the SHA-256 of canonical bytes. It prints as sha256: and 64 lower-case hex digits;
// [sexpr.ParseDigest] reads that, and nothing else.
func Digest(canonical []byte) sexpr.Digest { return sha256.Sum256(canonical) }

// Marker ends a text that was cut.
const Marker = "\n\n[TRUNCATED]"

// Truncate returns text, which is UTF-8, if it has at most limit bytes. Otherwise it returns as
// many whole characters from its beginning as fit before [Marker], and the marker. A limit
// below the marker's 13 bytes gives the marker alone.
func Truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := max(0, limit-len(Marker))
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + Marker
}
