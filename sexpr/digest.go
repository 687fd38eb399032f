package sexpr

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Digest is a SHA-256 sum. It prints as "sha256:" and 64 lower-case hex digits.
type Digest [sha256.Size]byte

// String prints the digest in the form of records and answers.
func (d Digest) String() string {
	var text [len(digestPrefix) + 2*sha256.Size]byte
	return string(d.Append(text[:0]))
}

// Append appends the result of [Digest.String] to dst.
func (d Digest) Append(dst []byte) []byte {
	return hex.AppendEncode(append(dst, digestPrefix...), d[:])
}

const digestPrefix = "sha256:"

// IsZero reports whether d was never set.
func (d Digest) IsZero() bool { return d == Digest{} }

// ParseDigest reads the output of [Digest.String]. Other text is an error.
func ParseDigest(s string) (d Digest, err error) {
	h, ok := strings.CutPrefix(s, digestPrefix)
	if !ok || len(h) != 2*len(d) || h != strings.ToLower(h) {
		return d, notDigest(s)
	}
	if _, err := hex.Decode(d[:], []byte(h)); err != nil {
		return Digest{}, notDigest(s)
	}
	return d, nil
}

func notDigest(s string) error {
	return fmt.Errorf("digest %q: want sha256: and %d lower-case hex digits", clip(s, 80), 2*sha256.Size)
}

// DigestText hashes a domain, one newline and text, so that digests of different
// domains cannot be confused.
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
