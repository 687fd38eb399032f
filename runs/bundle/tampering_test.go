package bundle

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/tools"
)

// tampering changes a bundle. Where it is sealed, the list of integrity is made anew, as a forger
// would do.
type tampering struct {
	name   string
	sealed bool
	want   tools.Code
	change func(t testing.TB, b *Bundle)
}

// line changes an event by its text.
func line(b *Bundle, i int, old, with string) {
	b.Session.Events[i] = json.RawMessage(strings.Replace(string(b.Session.Events[i]), old, with, 1))
}

// one is a key of a map, the same each time.
func one[V any](m map[event.Digest]V) event.Digest { return slices.Sorted(maps.Keys(m))[0] }

func notes(t testing.TB, b *Bundle) int {
	t.Helper()
	i := slices.IndexFunc(b.Session.Events, func(e json.RawMessage) bool {
		return strings.Contains(string(e), `"did two"`)
	})
	require.Positive(t, i)
	return i
}

// remake makes the manifest anew for the events as they are.
func remake(t testing.TB, b *Bundle) {
	t.Helper()
	var events []*event.Event
	for _, raw := range b.Session.Events {
		e, err := event.Decode(raw)
		require.NoError(t, err)
		events = append(events, e)
	}
	var err error
	b.Session.Manifest, err = manifest(b.Session.ID, events, b.Session.segments())
	require.NoError(t, err)
}

func tamperings() []tampering {
	type B = *Bundle
	return []tampering{
		{"an event", false, IntegrityFailed, func(t testing.TB, b B) { line(b, notes(t, b), "did two", "did 222") }},
		{"an event, sealed", true, IntegrityFailed, func(t testing.TB, b B) {
			line(b, notes(t, b), "did two", "did 222")
		}},
		{"the manifest", false, IntegrityFailed, func(_ testing.TB, b B) { b.Session.Manifest[0].Segment.Bytes++ }},
		{"the manifest, sealed", true, IntegrityFailed, func(_ testing.TB, b B) {
			b.Session.Manifest[0].Segment.Bytes++
		}},
		{"a digest in the manifest, sealed", true, IntegrityFailed,
			func(_ testing.TB, b B) { b.Session.Manifest[0].Segment.Sum = event.DigestOf(nil) }},
		{"a byte count", false, IntegrityFailed, func(_ testing.TB, b B) { b.Integrity.Entries[0].Bytes++ }},
		{"a digest", false, IntegrityFailed, func(_ testing.TB, b B) {
			b.Integrity.Entries[0].SHA256 = event.DigestOf(nil)
		}},
		{"a snapshot's content", false, IntegrityFailed, func(_ testing.TB, b B) {
			b.Session.Snapshots[one(b.Session.Snapshots)] = json.RawMessage(`{}`)
		}},
		{"a snapshot's content, sealed", true, IntegrityFailed, func(_ testing.TB, b B) {
			b.Session.Snapshots[one(b.Session.Snapshots)] = json.RawMessage(`{}`)
		}},
		{"an artifact's content, sealed", true, IntegrityFailed, func(_ testing.TB, b B) {
			b.Session.Artifacts[one(b.Session.Artifacts)] = Artifact{Text: "x"}
		}},
		{"a plan's content, sealed", true, IntegrityFailed, func(_ testing.TB, b B) {
			of := one(b.Session.Plans)
			b.Session.Plans[of] = json.RawMessage(strings.Replace(string(b.Session.Plans[of]), "Do two", "Do not", 1))
		}},
		{"an unlisted path", false, IntegrityFailed, func(_ testing.TB, b B) {
			b.Integrity.Entries = b.Integrity.Entries[1:]
		}},
		{"the last path unlisted", false, IntegrityFailed, func(_ testing.TB, b B) {
			b.Integrity.Entries = b.Integrity.Entries[:len(b.Integrity.Entries)-1]
		}},
		{"one path listed alone", false, IntegrityFailed, func(_ testing.TB, b B) {
			b.Integrity.Entries = b.Integrity.Entries[2:3]
		}},
		{"a path twice", false, IntegrityFailed, func(_ testing.TB, b B) {
			b.Integrity.Entries = append(b.Integrity.Entries[:1:1], b.Integrity.Entries...)
		}},
		{"a path that is not there", false, IntegrityFailed, func(_ testing.TB, b B) {
			b.Integrity.Entries = append(b.Integrity.Entries, Listed{Path: "session/zzz"})
		}},
		{"a surplus snapshot, sealed", true, InvalidFormat, func(_ testing.TB, b B) {
			b.Session.Snapshots[event.DigestOf([]byte(`{}`))] = json.RawMessage(`{}`)
		}},
		{"a surplus reply, sealed", true, InvalidFormat, func(_ testing.TB, b B) {
			b.Session.Replies[event.DigestOf([]byte(`{}`))] = json.RawMessage(`{}`)
		}},
		{"two events swapped", false, IntegrityFailed, func(_ testing.TB, b B) {
			b.Session.Events[3], b.Session.Events[4] = b.Session.Events[4], b.Session.Events[3]
		}},
		{"two events swapped, sealed", true, EventOrderInvalid, func(_ testing.TB, b B) {
			b.Session.Events[3], b.Session.Events[4] = b.Session.Events[4], b.Session.Events[3]
		}},
		{"a node without its parent, sealed", true, EventOrderInvalid, func(t testing.TB, b B) {
			e, err := event.Decode(b.Session.Events[2])
			require.NoError(t, err)
			e.Data.(*event.NodeCreated).Parent = new(event.Mint[event.NodeID]())
			b.Session.Events[2], err = canon.Of(e)
			require.NoError(t, err)
			remake(t, b)
		}},
		{"an event's id twice, sealed", true, EventOrderInvalid, func(t testing.TB, b B) {
			e, err := event.Decode(b.Session.Events[0])
			require.NoError(t, err)
			last := len(b.Session.Events) - 1
			f, err := event.Decode(b.Session.Events[last])
			require.NoError(t, err)
			line(b, last, string(f.ID), string(e.ID))
			remake(t, b)
		}},
		{"an event of another log, sealed", true, EventOrderInvalid, func(_ testing.TB, b B) {
			other := string(event.Mint[event.SessionID]())
			line(b, 0, string(b.Session.ID), other)
			line(b, 0, string(b.Session.ID), other)
		}},
		{"the session's id", false, EventOrderInvalid, func(_ testing.TB, b B) {
			b.Session.ID = event.Mint[event.SessionID]()
		}},
		{"the last event left out, sealed", true, ManifestOrderInvalid, func(_ testing.TB, b B) {
			b.Session.Events = b.Session.Events[:len(b.Session.Events)-1]
		}},
		{"two manifest entries swapped, sealed", true, ManifestOrderInvalid, func(_ testing.TB, b B) {
			m := b.Session.Manifest
			m[0], m[2] = m[2], m[0]
		}},
		{"segments swapped and numbered, sealed", true, ManifestOrderInvalid, func(_ testing.TB, b B) {
			m := b.Session.Manifest
			m[0], m[2] = m[2], m[0]
			m[0].Index, m[2].Index = 0, 2
		}},
		{"a pin left out, sealed", true, ManifestOrderInvalid, func(_ testing.TB, b B) {
			m := slices.Delete(b.Session.Manifest, 1, 2)
			for i := range m {
				m[i].Index = uint64(i)
			}
			b.Session.Manifest = m
		}},
		{"a pin of another event, sealed", true, ManifestOrderInvalid, func(_ testing.TB, b B) {
			b.Session.Manifest[1].Pin.At++
		}},
		{"an absolute segment path, sealed", true, ManifestOrderInvalid, func(_ testing.TB, b B) {
			b.Session.Manifest[0].Segment.Path = "/etc/passwd"
		}},
		{"the last segment left out, sealed", true, ManifestOrderInvalid, func(_ testing.TB, b B) {
			b.Session.Manifest = b.Session.Manifest[:len(b.Session.Manifest)-2]
		}},
		{"a segment of no end, sealed", true, ManifestOrderInvalid, func(_ testing.TB, b B) {
			b.Session.Manifest[0].Segment.Last = 1 << 63
		}},
		{"an entry of both kinds, sealed", true, InvalidFormat, func(_ testing.TB, b B) {
			b.Session.Manifest[0].Pin = b.Session.Manifest[1].Pin
		}},
		{"a snapshot dropped", false, MissingSnapshot, func(_ testing.TB, b B) {
			delete(b.Session.Snapshots, one(b.Session.Snapshots))
		}},
		{"a snapshot dropped, sealed", true, MissingSnapshot, func(_ testing.TB, b B) {
			delete(b.Session.Snapshots, one(b.Session.Snapshots))
		}},
		{"the plan dropped", false, MissingWorkflow, func(_ testing.TB, b B) { clear(b.Session.Plans) }},
		{"the plan dropped, sealed", true, MissingWorkflow, func(_ testing.TB, b B) { clear(b.Session.Plans) }},
		{"an artifact dropped, sealed", true, IntegrityFailed, func(_ testing.TB, b B) {
			delete(b.Session.Artifacts, one(b.Session.Artifacts))
		}},
		{"a reply dropped, sealed", true, IntegrityFailed, func(_ testing.TB, b B) {
			delete(b.Session.Replies, one(b.Session.Replies))
		}},
		{"version 2", true, UnsupportedVersion, func(_ testing.TB, b B) { b.Version = 2 }},
		{"version 0", true, InvalidFormat, func(_ testing.TB, b B) { b.Version = 0 }},
		{"an event of version 2, sealed", true, UnsupportedVersion, func(_ testing.TB, b B) {
			line(b, 0, `"v":1`, `"v":2`)
		}},
		{"an event of a kind to come, sealed", true, UnsupportedVersion, func(_ testing.TB, b B) {
			line(b, 0, `"kind":"session_created"`, `"kind":"session_renamed"`)
		}},
		{"a manifest entry of version 2, sealed", true, UnsupportedVersion, func(_ testing.TB, b B) {
			b.Session.Manifest[0].V = 2
		}},
		{"a member that is not known, sealed", true, InvalidFormat, func(_ testing.TB, b B) {
			line(b, 0, `"data":{}`, `"data":{"a":1}`)
		}},
		{"a member in other letters, sealed", true, InvalidFormat, func(_ testing.TB, b B) {
			line(b, 0, `"data"`, `"DATA"`)
		}},
		{"an absolute path, sealed", true, InvalidFormat, func(_ testing.TB, b B) {
			line(b, 1, `"notes.json"`, `"/home/ana/notes.json"`)
		}},
		{"a ticket, sealed", true, InvalidFormat, func(t testing.TB, b B) {
			line(b, notes(t, b), "did two", "ct1-notes-mkqrx-"+strings.Repeat("a", 28))
			remake(t, b)
		}},
		{"no events, sealed", true, InvalidFormat, func(_ testing.TB, b B) {
			b.Session.Events = []json.RawMessage{}
		}},
		{"another kind of integrity", false, InvalidFormat, func(_ testing.TB, b B) { b.Integrity.Kind = "none" }},
		{"no integrity", false, InvalidFormat, func(_ testing.TB, b B) { b.Integrity = Integrity{} }},
		{"no producer", true, InvalidFormat, func(_ testing.TB, b B) { b.Producer.App = "" }},
		{"no time", true, InvalidFormat, func(_ testing.TB, b B) { b.ExportedAt = "yesterday" }},
		{"a part of a damaged log", true, IntegrityFailed, func(_ testing.TB, b B) {
			b.Session.Damage = &Damage{logs.CorruptTail, logs.Missing, uint64(len(b.Session.Events))}
		}},
		{"damage in the middle", true, InvalidFormat, func(_ testing.TB, b B) {
			b.Session.Damage = &Damage{logs.CorruptTail, logs.Missing, 1}
		}},
	}
}

// tampered is the text of a bundle after this.
func (x tampering) tampered(t testing.TB, text []byte) []byte {
	t.Helper()
	b, err := parse(text)
	require.NoError(t, err)
	x.change(t, b)
	if x.sealed {
		b.Integrity, err = b.Session.listed()
		require.NoError(t, err)
	}
	out, err := b.Text()
	require.NoError(t, err)
	return out
}
