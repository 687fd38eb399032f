package sexpr

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Digest is a SHA-256 sum. It prints as "sha256:" and 64 lower-case hex digits.
type Digest [sha256.Size]byte

// String prints the digest as it stands in records and answers.
func (d Digest) String() string {
	var text [len(digestPrefix) + 2*sha256.Size]byte
	return string(d.Append(text[:0]))
}

// Append appends to dst what [Digest.String] returns.
func (d Digest) Append(dst []byte) []byte {
	return hex.AppendEncode(append(dst, digestPrefix...), d[:])
}

const digestPrefix = "sha256:"

// IsZero reports whether d was never set.
func (d Digest) IsZero() bool { return d == Digest{} }

// ParseDigest reads what [Digest.String] prints, and nothing else.
func ParseDigest(s string) (d Digest, err error) {
	h, ok := strings.CutPrefix(s, digestPrefix)
	if !ok || len(h) != 2*len(d) {
		return d, notDigest(s)
	}
	bad := byte(0)
	for i := range d {
		high, low := hexValues[h[2*i]], hexValues[h[2*i+1]]
		bad |= high | low
		d[i] = high<<4 | low
	}
	if bad > 0xf {
		return Digest{}, notDigest(s)
	}
	return d, nil
}

func notDigest(s string) error {
	return fmt.Errorf("digest %q: want sha256: and %d lower-case hex digits", clip(s, 80), 2*sha256.Size)
}

// hexValues maps each lower-case hex digit to its value, and all else to 0xff.
var hexValues = func() (t [256]byte) {
	for c := range t {
		t[c] = 0xff
	}
	for v, c := range "0123456789abcdef" {
		t[c] = byte(v)
	}
	return t
}()

// DigestText hashes a domain, one newline and text, so that what is hashed for
// one purpose can never stand for another.
func DigestText(domain, text string) Digest {
	h := sha256.New()
	h.Write([]byte(domain))
	h.Write([]byte{'\n'})
	h.Write([]byte(text))
	return Digest(h.Sum(nil))
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "..."
}
