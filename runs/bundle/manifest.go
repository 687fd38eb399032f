package bundle

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/runs/event"
)

// Entry is one line of the manifest: a segment, which is what one append entered, or a pin of a
// snapshot. The pins of a segment follow it, in order.
type Entry struct {
	V       int             `json:"v"`
	Index   uint64          `json:"manifestIndex"` // from 0, without gaps
	Session event.SessionID `json:"sessionId"`
	Kind    string          `json:"kind"`
	*Segment
	*Pin
}

// The kinds of entries.
const (
	segmentClosed  = "segment_closed"
	snapshotPinned = "snapshot_pinned"
)

// Segment is what one append entered.
type Segment struct {
	First uint64       `json:"firstEventIndex"`
	Last  uint64       `json:"lastEventIndex"`
	Path  string       `json:"segmentRelPath"` // where a store of files would have it
	Sum   event.Digest `json:"sha256"`         // of its lines
	Bytes int          `json:"bytes"`          // of its lines
	Over  bool         `json:"over,omitempty"` // nothing was due in the log after it
	Held  bool         `json:"held,omitempty"` // the log waited for something outside after it
}

// Pin says which event rests on a snapshot.
type Pin struct {
	At  uint64            `json:"eventIndex"`
	Ref event.SnapshotRef `json:"snapshotRef"`
	By  event.ID          `json:"createdByEventId"`
}

// manifest makes the manifest of a log of which each of cuts is one append. Of a cut only first,
// last, over and held count.
func manifest(session event.SessionID, events []*event.Event, cuts []Segment) (out []Entry, err error) {
	add := func(kind string, s *Segment, p *Pin) {
		out = append(out, Entry{V: 1, Index: uint64(len(out)), Session: session, Kind: kind, Segment: s, Pin: p})
	}
	for _, cut := range cuts {
		cut.Path = fmt.Sprintf("events/%08d-%08d.jsonl", cut.First, cut.Last)
		var lines []byte
		var pins []*Pin
		for _, e := range events[cut.First : cut.Last+1] {
			line, err := canon.Of(e)
			if err != nil {
				return nil, err
			}
			lines = append(append(lines, line...), '\n')
			if d, ok := e.Data.(*event.NodeCreated); ok {
				pins = append(pins, &Pin{e.Index, d.Snapshot, e.ID})
			}
		}
		cut.Sum, cut.Bytes = event.DigestOf(lines), len(lines)
		add(segmentClosed, &cut, nil)
		slices.SortFunc(pins, func(a, b *Pin) int {
			return cmp.Or(cmp.Compare(a.Ref, b.Ref), cmp.Compare(a.At, b.At))
		})
		for _, p := range pins {
			add(snapshotPinned, nil, p)
		}
	}
	return out, nil
}

// checkManifest makes sure that the manifest is the one of the events.
func (b *Bundle) checkManifest() error {
	var cuts []Segment
	next, total := uint64(0), uint64(len(b.events))
	for i, e := range b.Session.Manifest {
		switch {
		case e.V != 1:
			return failed(UnsupportedVersion, "manifest entry %d is of version %d: want 1", i, e.V)
		case e.Index != uint64(i):
			return failed(ManifestOrderInvalid, "manifest entry %d stands where %d is due", e.Index, i)
		case e.Kind == segmentClosed && e.Segment != nil && e.Pin == nil:
			if e.First != next || e.Last < e.First || e.Last >= total {
				return failed(ManifestOrderInvalid, "segment %d to %d stands where one from %d to %d at most is due", e.First,
					e.Last, next, total-1)
			}
			next = e.Last + 1
			cuts = append(cuts, *e.Segment)
		case e.Kind != snapshotPinned || e.Segment != nil || e.Pin == nil:
			return failed(InvalidFormat, "manifest entry %d has not the members of its kind, %.40q", i, e.Kind)
		}
	}
	if next != total {
		return failed(ManifestOrderInvalid, "the events from %d on are in no segment", next)
	}
	want, err := manifest(b.Session.ID, b.events, cuts)
	if err != nil {
		return failed(InvalidFormat, "%s", err)
	}
	for i, w := range want {
		if i == len(b.Session.Manifest) {
			return failed(ManifestOrderInvalid, "manifest entry %d is missing: a %s", i, w.Kind)
		}
		got := b.Session.Manifest[i]
		switch {
		case got.Session != w.Session || got.Kind != w.Kind || w.Pin != nil && *got.Pin != *w.Pin:
			return failed(ManifestOrderInvalid, "manifest entry %d is not the %s that is due", i, w.Kind)
		case w.Segment != nil && (got.Sum != w.Sum || got.Bytes != w.Bytes):
			return failed(IntegrityFailed, "the events from %d to %d have not the digest and size that the manifest says",
				w.First, w.Last)
		case w.Segment != nil && *got.Segment != *w.Segment:
			return failed(ManifestOrderInvalid, "manifest entry %d is not the %s that is due", i, w.Kind)
		}
	}
	if len(want) < len(b.Session.Manifest) {
		return failed(ManifestOrderInvalid, "manifest entry %d names no event of its segment", len(want))
	}
	return nil
}

// segments are those of the manifest.
func (s *Session) segments() (out []Segment) {
	for _, e := range s.Manifest {
		if e.Segment != nil {
			out = append(out, *e.Segment)
		}
	}
	return out
}
