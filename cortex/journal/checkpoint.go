package journal

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/opencortex-go/cortex/sexpr"
)

// A checkpoint is a signed head, as text that can be kept and compared anywhere. It
// has the form of transparency logs (C2SP tlog-checkpoint on C2SP signed-note,
// Ed25519):
//
//	NAME
//	NUMBER
//	HASH
//
//	— NAME SIGNATURE
//
// NAME is the record's and the key's name, NUMBER the newest record's number, HASH
// its hash in base64. The hash is a chain's, not a tree's: it covers all records up
// to NUMBER.

// maxCheckpoint bounds the text of a checkpoint, in bytes.
const maxCheckpoint = 64 << 10

// SignHead returns the checkpoint for h.
func SignHead(h Head, by note.Signer) (string, error) {
	text := fmt.Sprintf("%s\n%d\n%s\n", by.Name(), h.Seq, base64.StdEncoding.EncodeToString(h.Hash[:]))
	signed, err := note.Sign(&note.Note{Text: text}, by)
	return string(signed), err
}

// OpenCheckpoint returns the head in a checkpoint, and an error unless the key has
// signed it. Further signatures, such as those of witnesses, and further lines are
// allowed.
func OpenCheckpoint(text string, by note.Verifier) (h Head, err error) {
	if len(text) > maxCheckpoint {
		return h, fmt.Errorf("a checkpoint of %d bytes: want at most %d", len(text), maxCheckpoint)
	}
	n, err := note.Open([]byte(text), note.VerifierList(by))
	if err != nil {
		return h, fmt.Errorf("checkpoint: %w", err)
	}
	lines := strings.Split(n.Text, "\n")
	if len(lines) < 4 || lines[0] != by.Name() {
		return h, fmt.Errorf("checkpoint: it is not one of %s", by.Name())
	}
	if h.Seq, err = strconv.ParseUint(lines[1], 10, 63); err != nil || strconv.FormatUint(h.Seq, 10) != lines[1] {
		return h, errors.New("checkpoint: its second line is not a number")
	}
	hash, err := base64.StdEncoding.Strict().DecodeString(lines[2])
	if err != nil || len(hash) != len(h.Hash) {
		return h, errors.New("checkpoint: its third line is not a SHA-256 in base64")
	}
	h.Hash = sexpr.Digest(hash)
	return h, nil
}
