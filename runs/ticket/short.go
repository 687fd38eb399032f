package ticket

import (
	"encoding/base32"
	"encoding/binary"
	"regexp"
	"strings"

	"github.com/opencortex-go/cortex/runs/event"
)

// Kind says what a ticket is good for.
type Kind byte

// The kinds of tickets.
const (
	Continue   Kind = 1 // closes an attempt, or reads on
	Checkpoint Kind = 2 // sets a checkpoint
)

// Ticket is a ticket in its short form.
type Ticket struct {
	Label   string // of the run, for people: letters and digits, "-" between them; at most 32
	Kind    Kind
	First   uint64 // the number of the log's first record
	Node    uint64 // the index of the event that created the node
	Attempt Try
	sig     [sigBytes]byte
}

// Try tells the attempts at one node apart.
type Try [6]byte

const (
	prefix     = "ct1-"
	sigBytes   = 8
	maxTicket  = 128
	maxLabel   = 32
	hashBytes  = 32
	minPayload = 1 + 1 + 1 + 6
)

var (
	labelForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	letters   = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
)

// FirstTry returns what a node's attempt has that follows from its parent: in every reply to
// the same advance the same.
func FirstTry(parent event.AttemptID) (t Try, err error) {
	raw, err := event.Bytes(parent.Next())
	return Try(raw[:6]), err
}

// ID returns the id of the attempt, which no other ticket of this log has.
func (t *Ticket) ID(session event.SessionID) event.AttemptID {
	var node [8]byte
	binary.BigEndian.PutUint64(node[:], t.Node)
	return event.Derive[event.AttemptID](string(session), string(node[:]), string(t.Attempt[:]))
}

// payload is what is signed and written, without the label.
func (t *Ticket) payload() []byte {
	out := binary.AppendUvarint([]byte{byte(t.Kind)}, t.First)
	out = binary.AppendUvarint(out, t.Node)
	return append(out, t.Attempt[:]...)
}

// Mint writes the ticket, signed for the node that this record holds.
func (t *Ticket) Mint(key Key, record [hashBytes]byte) (string, error) {
	if len(t.Label) > maxLabel || !labelForm.MatchString(t.Label) {
		return "", malformed("a label has letters a-z and digits, \"-\" between them, at most 32")
	}
	payload := t.payload()
	sig := sign(key, []byte(t.Label), []byte{0}, payload, record[:])
	return prefix + t.Label + "-" + letters.EncodeToString(append(payload, sig[:sigBytes]...)), nil
}

// Parse reads a ticket of the short form. What it says is not to be trusted before
// [Ticket.Verify]. White space around it does no harm.
func Parse(text string) (*Ticket, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return nil, malformed("there is no ticket")
	case len(text) > maxTicket:
		return nil, malformed("it is longer than a ticket")
	case strings.Count(text, prefix) > 1:
		return nil, malformed("these are several tickets, one after the other")
	case newer(text):
		return nil, &Error{Code: UnsupportedVersion, Message: "a ticket of a version that this program does not know"}
	}
	rest, ok := strings.CutPrefix(text, prefix)
	at := strings.LastIndexByte(rest, '-')
	if !ok || at < 1 || at > maxLabel || !labelForm.MatchString(rest[:at]) {
		return nil, malformed("it has not the form ct1-<label>-<letters>")
	}
	t := &Ticket{Label: rest[:at]}
	if !t.read(rest[at+1:]) {
		return nil, malformed("its letters do not make a ticket")
	}
	return t, nil
}

// newer reports whether text begins as tickets of a later version of the short form do.
func newer(text string) bool {
	return len(text) > 4 && text[:2] == "ct" && text[2] >= '2' && text[2] <= '9' && text[3] == '-'
}

// read fills t from its letters. It takes nothing that [Ticket.Mint] would write otherwise.
func (t *Ticket) read(tail string) bool {
	raw, err := letters.DecodeString(tail)
	if err != nil || letters.EncodeToString(raw) != tail || len(raw) < minPayload+sigBytes {
		return false
	}
	payload := raw[:len(raw)-sigBytes]
	t.sig = [sigBytes]byte(raw[len(payload):])
	t.Kind = Kind(payload[0])
	rest := payload[1:]
	for _, n := range []*uint64{&t.First, &t.Node} {
		v, size := binary.Uvarint(rest)
		if size <= 0 {
			return false
		}
		*n, rest = v, rest[size:]
	}
	if len(rest) != len(t.Attempt) || t.Kind != Continue && t.Kind != Checkpoint {
		return false
	}
	t.Attempt = Try(rest)
	return string(t.payload()) == string(payload) // one number, one spelling
}

// Verify returns an error unless t was signed by one of the keys for the node that this
// record holds.
func (t *Ticket) Verify(keys Keys, record [hashBytes]byte) error {
	if keys.good(t.sig[:], []byte(t.Label), []byte{0}, t.payload(), record[:]) {
		return nil
	}
	return &Error{Code: BadSignature, Message: "the signature does not fit", Suggestion: again}
}
