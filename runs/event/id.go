package event

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"regexp"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// The ids of a log. Each but a digest is a prefix, "_" and 26 letters of base32 in lower
// case: 16 bytes.
type (
	SessionID     string // sess_: the log
	RunID         string // run_
	NodeID        string // node_: a point to which one can go back
	AttemptID     string // attempt_: one try at a step
	ID            string // evt_: an event
	OutputID      string // out_: derived of an attempt, see [RecapID] and [ArtifactID]
	GapID         string // gap_
	ChangeID      string // chg_: a change of preferences
	CapObsID      string // cap_: an observation of a capability
	DivergenceID  string // div_
	TraceID       string // trace_
	ValidationID  string // val_
	ContextID     string // ctx_
	WorkflowID    string // of a plan, "namespace.name"
	WorkflowHash  = Digest
	SnapshotRef   = Digest
	ContentDigest = Digest
)

// Digest is "sha256:" and 64 hexadecimal digits in lower case.
type Digest string

var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

var outputForm = regexp.MustCompile(`^out_(recap_attempt_[a-z2-7]{26}|artifact_attempt_[a-z2-7]{26}_[0-9]{1,4})$`)

// named are the types of ids that have a prefix of their own.
type named interface {
	SessionID | RunID | NodeID | AttemptID | ID | GapID | ChangeID | CapObsID | DivergenceID | TraceID | ValidationID |
		ContextID
}

// prefixOf returns what an id of this type begins with, without the "_".
func prefixOf[T named]() string {
	var zero T
	switch any(zero).(type) {
	case SessionID:
		return "sess"
	case RunID:
		return "run"
	case NodeID:
		return "node"
	case AttemptID:
		return "attempt"
	case ID:
		return "evt"
	case GapID:
		return "gap"
	case ChangeID:
		return "chg"
	case CapObsID:
		return "cap"
	case DivergenceID:
		return "div"
	case TraceID:
		return "trace"
	case ValidationID:
		return "val"
	default: // ContextID; the constraint is closed
		return "ctx"
	}
}

// Mint draws an id.
func Mint[T named]() T {
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // never fails, see crypto/rand
	return FromBytes[T](raw)
}

// FromBytes returns the id of these 16 bytes.
func FromBytes[T named](raw [16]byte) T {
	return T(prefixOf[T]() + "_" + encoding.EncodeToString(raw[:]))
}

// Derive returns the id that follows from these parts: the same parts, the same id.
func Derive[T named](parts ...string) T {
	sum := sha256.Sum256([]byte("cortex/run/1\x00" + prefixOf[T]() + "\x00" + strings.Join(parts, "\x00")))
	return FromBytes[T]([16]byte(sum[:16]))
}

// Bytes returns the 16 bytes of an id, or an error that says what it should look like.
func Bytes[T named](id T) (raw [16]byte, err error) {
	if err := wellFormed(id); err != nil {
		return raw, err
	}
	_, err = encoding.Decode(raw[:], []byte(id[len(id)-tail:]))
	return raw, err
}

// tail is how many letters 16 bytes have; the last one holds 2 spare bits, which are 0.
const tail = 26

// wellFormed returns an error if id has not the form of its type.
func wellFormed[T named](id T) error {
	prefix, at := prefixOf[T](), len(id)-tail
	if at != len(prefix)+1 || string(id[:at-1]) != prefix || id[at-1] != '_' || !isTail(string(id[at:])) {
		return fmt.Errorf("id %q: want %q and 26 letters of base32 in lower case", id, prefix+"_")
	}
	return nil
}

func isTail(text string) bool {
	for _, c := range []byte(text) {
		if !(c >= 'a' && c <= 'z' || c >= '2' && c <= '7') {
			return false
		}
	}
	return strings.IndexByte("aeimquy4", text[tail-1]) >= 0
}

// Next returns the attempt that follows a: the one that a reply to an advance hands out, for
// the next step or for another try. It is derived, so that a repeated advance gets it again.
func (a AttemptID) Next() AttemptID {
	sum := sha256.Sum256([]byte("wr_attempt_next_v1:" + string(a)))
	return FromBytes[AttemptID]([16]byte(sum[:16]))
}

// RecapID is the id of the notes of an attempt.
func RecapID(a AttemptID) OutputID { return OutputID("out_recap_" + string(a)) }

// ArtifactID is the id of artifact i of an attempt, counted from 0 in the order of its
// digests.
func ArtifactID(a AttemptID, i int) OutputID {
	return OutputID(fmt.Sprintf("out_artifact_%s_%d", a, i))
}

// DigestOf returns the digest of text.
func DigestOf(text []byte) Digest { return Digest(sexpr.Digest(sha256.Sum256(text)).String()) }

// Valid reports whether d has the form of a digest.
func (d Digest) Valid() bool {
	hex, ok := strings.CutPrefix(string(d), "sha256:")
	if !ok || len(hex) != 2*sha256.Size {
		return false
	}
	for _, c := range []byte(hex) {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
			return false
		}
	}
	return true
}

// Ref returns the short form of a plan's hash, as the seed writes it: "wf_" and the
// first 16 bytes in base32.
func (d Digest) Ref() (string, error) {
	if !d.Valid() {
		return "", fmt.Errorf("digest %q: want sha256: and 64 hexadecimal digits", d)
	}
	var raw [16]byte
	for i := range raw {
		_, _ = fmt.Sscanf(string(d[7+2*i:9+2*i]), "%02x", &raw[i])
	}
	return "wf_" + encoding.EncodeToString(raw[:]), nil
}
