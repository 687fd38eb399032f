package bundle

import (
	"encoding/base64"
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/runs/event"
)

const (
	// Version is the version of bundles that this code writes and reads.
	Version = 1
	// MaxBytes bounds the text of a bundle.
	MaxBytes = 64 << 20

	mediaJSON = "application/json" // of plans, snapshots, replies and contexts
)

// Bundle is a run outside of any record.
type Bundle struct {
	Version    int       `json:"bundleSchemaVersion"`
	ID         string    `json:"bundleId"`   // follows from the content
	ExportedAt string    `json:"exportedAt"` // RFC 3339; nothing depends on it
	Producer   Producer  `json:"producer"`
	Integrity  Integrity `json:"integrity"`
	Session    Session   `json:"session"`

	events  []*event.Event    // what Session.Events say
	content map[string]string // by path
}

// Producer is the program that made a bundle.
type Producer struct {
	App    string       `json:"appVersion"`
	Config event.Digest `json:"appliedConfigHash,omitempty"` // of the configuration that was in force
}

// Session is the log, and what it pins. Its digests name canonical JSON, but for artifacts.
type Session struct {
	ID        event.SessionID                  `json:"sessionId"`
	Damage    *Damage                          `json:"damage,omitempty"` // nil for a whole log
	Events    []json.RawMessage                `json:"events"`
	Manifest  []Entry                          `json:"manifest"`
	Snapshots map[event.Digest]json.RawMessage `json:"snapshots"`
	Plans     map[event.Digest]json.RawMessage `json:"pinnedWorkflows"`
	Replies   map[event.Digest]json.RawMessage `json:"replies,omitempty"`
	Artifacts map[event.Digest]Artifact        `json:"artifacts,omitempty"`
}

// Damage says that the log was not sound: the bundle has what was sound before the damage. Such a
// bundle can be looked at, and not imported.
type Damage struct {
	Condition logs.Condition `json:"condition"`
	Fault     logs.Fault     `json:"fault"`
	Index     uint64         `json:"eventIndex"` // the first event that is left out
}

// Artifact is content of any type, which the event that rests on it says: a text, or bytes in base64.
type Artifact struct {
	Text   string `json:"text,omitempty"`
	Base64 string `json:"base64,omitempty"`
}

func artifactOf(data string) Artifact {
	if utf8.ValidString(data) {
		return Artifact{Text: data}
	}
	return Artifact{Base64: base64.StdEncoding.EncodeToString([]byte(data))}
}

// data is the artifact's content; ok is false if [artifactOf] would write it otherwise.
func (a Artifact) data() (data string, ok bool) {
	data = a.Text
	if a.Base64 != "" {
		raw, err := base64.StdEncoding.DecodeString(a.Base64)
		if err != nil {
			return "", false
		}
		data = string(raw)
	}
	return data, artifactOf(data) == a
}

// Text is the bundle as canonical JSON.
func (b *Bundle) Text() ([]byte, error) { return canon.Of(b) }

// stamp is a time as a bundle has it.
func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }
