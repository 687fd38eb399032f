package ticket

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/runs/event"
)

// The kinds of the seed's tokens.
const (
	StateToken      = "state"
	AckToken        = "ack"
	CheckpointToken = "checkpoint"
)

// Long is what a token of the seed's form says. A state token has the plan's hash, the others
// have an attempt.
type Long struct {
	Version int                `json:"tokenVersion"`
	Kind    string             `json:"tokenKind"`
	Session event.SessionID    `json:"sessionId"`
	Run     event.RunID        `json:"runId"`
	Node    event.NodeID       `json:"nodeId"`
	Attempt event.AttemptID    `json:"attemptId,omitempty"`
	Hash    event.WorkflowHash `json:"workflowHash,omitempty"`
}

// head returns what a token of this kind begins with, or "" if there is no such kind.
func head(kind string) string {
	switch kind {
	case StateToken:
		return "st"
	case AckToken:
		return "ack"
	case CheckpointToken:
		return "chk"
	}
	return ""
}

// maxLong is more than any token has.
const maxLong = 1024

// Mint writes the token. Its signature is over the payload alone, as the seed has it.
func (l Long) Mint(key Key) (string, error) {
	payload, err := l.payload()
	if err != nil {
		return "", err
	}
	return head(l.Kind) + ".v1." + base64.RawURLEncoding.EncodeToString(payload) + "." +
		base64.RawURLEncoding.EncodeToString(sign(key, payload)), nil
}

// payload checks l and returns its canonical JSON.
func (l Long) payload() ([]byte, error) {
	_, session := event.Bytes(l.Session)
	_, run := event.Bytes(l.Run)
	_, node := event.Bytes(l.Node)
	_, attempt := event.Bytes(l.Attempt)
	fits := attempt == nil && l.Hash == ""
	if l.Kind == StateToken {
		fits = l.Attempt == "" && l.Hash.Valid()
	}
	if l.Version != 1 || head(l.Kind) == "" || session != nil || run != nil || node != nil || !fits {
		return nil, malformed("it does not say what a token of its kind must say")
	}
	return canon.Of(l)
}

// ParseLong reads a token of the seed's form, and checks its signature.
func ParseLong(text string, keys Keys) (*Long, error) {
	text = strings.TrimSpace(text)
	parts := strings.Split(text, ".")
	if len(text) > maxLong || len(parts) != 4 {
		return nil, malformed("it has not the form st.v1.<payload>.<signature>, or it is several tokens")
	}
	if parts[1] != "v1" && len(parts[1]) > 1 && parts[1][0] == 'v' {
		return nil, &Error{Code: UnsupportedVersion, Message: "a token of a version that this program does not know"}
	}
	payload, sig, ok := decode(parts[2], parts[3])
	if !ok || parts[1] != "v1" {
		return nil, malformed("its letters do not make a token")
	}
	if !keys.good(sig, payload) {
		return nil, &Error{Code: BadSignature, Message: "the signature does not fit", Suggestion: again}
	}
	return readLong(parts[0], payload)
}

// decode reads both parts. There is one spelling of each.
func decode(body, tail string) (payload, sig []byte, ok bool) {
	strict := base64.RawURLEncoding.Strict()
	payload, err := strict.DecodeString(body)
	if err != nil || strings.ContainsAny(body+tail, "\r\n") { // the decoder skips line ends
		return nil, nil, false
	}
	sig, err = strict.DecodeString(tail)
	return payload, sig, err == nil && len(sig) == sha256.Size
}

// readLong reads a payload that was signed.
func readLong(want string, payload []byte) (*Long, error) {
	var l Long
	if err := json.Unmarshal(payload, &l); err != nil {
		return nil, malformed("its payload is not a JSON object")
	}
	if l.Version > 1 {
		return nil, &Error{Code: UnsupportedVersion, Message: "a token of a version that this program does not know"}
	}
	again, err := l.payload()
	if err != nil || string(again) != string(payload) || head(l.Kind) != want {
		return nil, malformed("it does not say what a token of its prefix must say")
	}
	return &l, nil
}
