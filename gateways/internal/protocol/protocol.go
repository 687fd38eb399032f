// Package protocol holds what the daemon's server and its clients have to agree
// on, besides the notation: the version, the length of a frame, and how a message
// is read. docs/wire.md describes the protocol.
package protocol

import (
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

const (
	// Version is the version of the protocol that is spoken here.
	Version = 1
	// MaxFrame is the length of the longest frame, in bytes.
	MaxFrame = 1<<24 - 1
	// Part is the :status of a part of an answer; more parts follow it.
	Part = "part"
)

// Answers are the limits of what a client reads. An answer is as long as the daemon
// makes it; the limits only keep a broken daemon from filling the client's memory.
var Answers = sexpr.Limits{Bytes: MaxFrame, Depth: 512, Atoms: 8 << 20, String: MaxFrame}

// Word returns what a keyword, a symbol or a string in a message says, in lower
// case; "" for anything else.
func Word(message sexpr.Value, key string) string {
	x, _ := message.Get(key)
	switch x.Kind() {
	case sexpr.Keyword, sexpr.Symbol, sexpr.String:
		return strings.ToLower(x.Text())
	default:
		return ""
	}
}
