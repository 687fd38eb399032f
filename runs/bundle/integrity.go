package bundle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/tools"
)

// integrityKind names how the list below is made.
const integrityKind = "sha256_manifest_v1"

// Integrity lists every value of the session, in the order of the paths.
type Integrity struct {
	Kind    string   `json:"kind"`
	Entries []Listed `json:"entries"`
}

// Listed is the size and digest of the canonical JSON of one value.
type Listed struct {
	Path   string       `json:"path"`
	SHA256 event.Digest `json:"sha256"`
	Bytes  int          `json:"bytes"`
}

// Where the values of a session stand.
const (
	pathEvents    = "session/events"
	pathManifest  = "session/manifest"
	pathDamage    = "session/damage"
	pathSnapshots = "session/snapshots/"
	pathPlans     = "session/pinnedWorkflows/"
	pathReplies   = "session/replies/"
	pathArtifacts = "session/artifacts/"
)

// values are the values of a session by their paths: all but the session's id, which every event
// repeats.
func (s *Session) values() map[string]any {
	out := map[string]any{pathEvents: s.Events, pathManifest: s.Manifest}
	if s.Damage != nil {
		out[pathDamage] = s.Damage
	}
	for d, v := range s.Snapshots {
		out[pathSnapshots+string(d)] = v
	}
	for d, v := range s.Plans {
		out[pathPlans+string(d)] = v
	}
	for d, v := range s.Replies {
		out[pathReplies+string(d)] = v
	}
	for d, v := range s.Artifacts {
		out[pathArtifacts+string(d)] = v
	}
	return out
}

// listed lists the values of a session.
func (s *Session) listed() (Integrity, error) {
	values := s.values()
	out := Integrity{Kind: integrityKind}
	for _, path := range slices.Sorted(maps.Keys(values)) {
		text, err := canon.Of(values[path])
		if err != nil {
			return out, fmt.Errorf("%s: %w", path, err)
		}
		out.Entries = append(out.Entries, Listed{path, event.DigestOf(text), len(text)})
	}
	return out, nil
}

// checkIntegrity holds the list against what is there, in both directions.
func (b *Bundle) checkIntegrity() error {
	if b.Integrity.Kind != integrityKind {
		return failed(InvalidFormat, "integrity.kind %.40q: want %s", b.Integrity.Kind, integrityKind)
	}
	is, err := b.Session.listed()
	if err != nil {
		return failed(InvalidFormat, "%s", err)
	}
	is.Entries = append(is.Entries, Listed{}) // an end that no path has
	at := 0
	for i, want := range b.Integrity.Entries {
		if i > 0 && b.Integrity.Entries[i-1].Path >= want.Path {
			return failed(IntegrityFailed, "integrity.entries %d is not behind the one before it", i)
		}
		got := is.Entries[at]
		switch order := cmp.Compare(got.Path, want.Path); {
		case got.Path == "" || order > 0:
			return failed(missing(want.Path), "%.120s is listed, and is not there", want.Path)
		case order < 0:
			return failed(IntegrityFailed, "%s is not listed", got.Path)
		case got.Bytes != want.Bytes:
			return failed(IntegrityFailed, "%s has %d bytes, and %d are listed", got.Path, got.Bytes, want.Bytes)
		case got.SHA256 != want.SHA256:
			return failed(IntegrityFailed, "%s has not the digest that is listed", got.Path)
		}
		at++
	}
	if rest := is.Entries[at]; rest.Path != "" {
		return failed(IntegrityFailed, "%s is not listed", rest.Path)
	}
	return b.checkKeys()
}

// missing is the code for a value that is not there.
func missing(path string) tools.Code {
	switch {
	case strings.HasPrefix(path, pathSnapshots):
		return MissingSnapshot
	case strings.HasPrefix(path, pathPlans):
		return MissingWorkflow
	}
	return IntegrityFailed
}

// checkKeys makes sure that every key is the digest of its content, and gathers the content.
func (b *Bundle) checkKeys() error {
	b.content = map[string]string{}
	for path, v := range b.Session.values() {
		at := strings.LastIndexByte(path, '/')
		if !strings.HasPrefix(path[at+1:], "sha256:") {
			continue
		}
		var data string
		var ok bool
		if a, is := v.(Artifact); is {
			data, ok = a.data()
		} else {
			text, err := canon.Of(v)
			data, ok = string(text), err == nil
		}
		if !ok || string(event.DigestOf([]byte(data))) != path[at+1:] {
			return failed(IntegrityFailed, "%s is not the digest of its content", path)
		}
		b.content[path] = data
	}
	return nil
}
