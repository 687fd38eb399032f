package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"
	"regexp"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/tools"
)

// Read reads a bundle and checks all of it: its form, then its integrity, then the order of its
// events and of its manifest, then that all is there that the events rest on. The error is a
// [*tools.Error] with a code of this package.
func Read(text []byte) (*Bundle, error) {
	b, err := parse(text)
	if err != nil {
		return nil, err
	}
	for _, check := range []func() error{b.checkForm, b.checkEvents, b.checkIntegrity, b.checkOrder, b.checkManifest,
		b.checkReferences} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// parse reads the text. What [Bundle.Text] would write with other members is refused: a bundle has
// one reading.
func parse(text []byte) (*Bundle, error) {
	if len(text) > MaxBytes {
		return nil, failed(InvalidFormat, "the text has %d bytes: want at most %d", len(text), MaxBytes)
	}
	var version struct {
		Version *int `json:"bundleSchemaVersion"`
	}
	if err := json.Unmarshal(text, &version); err != nil { // bounds the depth too
		return nil, failed(InvalidFormat, "want a JSON object: %s", err)
	}
	if v := version.Version; v != nil && *v > Version {
		return nil, failed(UnsupportedVersion, "it is of version %d, and this program reads version %d", *v, Version)
	}
	whole, err := canon.JSON(text)
	if err != nil {
		return nil, failed(InvalidFormat, "%s", err)
	}
	b := &Bundle{}
	if err := strict(text, b); err != nil {
		return nil, failed(InvalidFormat, "%s", err)
	}
	again, err := b.Text()
	if err != nil || !bytes.Equal(again, whole) {
		return nil, failed(InvalidFormat, "a member is missing, or not spelled as it must be")
	}
	return b, nil
}

// strict decodes text, and refuses members that into has not.
func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

var idForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// maxVersion bounds the name of a producer's version.
const maxVersion = 128

// checkForm checks what stands around the events.
func (b *Bundle) checkForm() error {
	_, err := time.Parse(time.RFC3339, b.ExportedAt)
	config := b.Producer.Config
	switch {
	case b.Version != Version:
		return failed(InvalidFormat, "bundleSchemaVersion %d: want %d", b.Version, Version)
	case !idForm.MatchString(b.ID):
		return failed(InvalidFormat, "bundleId %.40q: want the form %s", b.ID, idForm)
	case err != nil:
		return failed(InvalidFormat, "exportedAt %.40q: want a time as RFC 3339 has it", b.ExportedAt)
	case b.Producer.App == "" || len(b.Producer.App) > maxVersion:
		return failed(InvalidFormat, "producer.appVersion has %d bytes: want 1 to %d", len(b.Producer.App), maxVersion)
	case config != "" && !config.Valid():
		return failed(InvalidFormat, "producer.appliedConfigHash: want a digest")
	case len(b.Session.Events) == 0:
		return failed(InvalidFormat, "session.events is empty")
	}
	if d := b.Session.Damage; d != nil {
		if d.Condition != logs.CorruptTail && d.Condition != logs.UnknownVersion {
			return failed(InvalidFormat, "session.damage.condition %.40q: want %s or %s", d.Condition, logs.CorruptTail,
				logs.UnknownVersion)
		}
		if d.Index != uint64(len(b.Session.Events)) {
			return failed(InvalidFormat, "session.damage.eventIndex %d: want %d", d.Index, len(b.Session.Events))
		}
	}
	return nil
}

// checkEvents reads the events, each by itself.
func (b *Bundle) checkEvents() error {
	for i, raw := range b.Session.Events {
		e, err := event.Decode(raw)
		if errors.Is(err, event.ErrVersion) {
			return failed(UnsupportedVersion, "%s", err)
		} else if err != nil {
			return failed(InvalidFormat, "%s", err)
		}
		is, err := canon.JSON(raw)
		if err != nil {
			return failed(InvalidFormat, "event %d: %s", i, err)
		}
		if want, err := canon.Of(e); err != nil || !bytes.Equal(is, want) {
			return failed(InvalidFormat, "event %d: a member is missing, or not spelled as it must be", i)
		}
		if masked(string(raw)) != string(raw) {
			return failed(InvalidFormat, "event %d has a ticket, which no bundle has", i)
		}
		if what := carries(e); what != "" {
			return failed(InvalidFormat, "event %d has %s, which no bundle has", i, what)
		}
		b.events = append(b.events, e)
	}
	return nil
}

// checkOrder folds the events. Those that contradict each other are out of order.
func (b *Bundle) checkOrder() error {
	var log fold.State
	ids := map[event.ID]bool{}
	for i, e := range b.events {
		if e.Index != uint64(i) {
			return failed(EventOrderInvalid, "event %d stands where %d is due", e.Index, i)
		}
		if e.Session != b.Session.ID {
			return failed(EventOrderInvalid, "event %d is of another log", i)
		}
		if ids[e.ID] {
			return failed(EventOrderInvalid, "event %d has the id of an earlier one", i)
		}
		ids[e.ID] = true
		if err := log.Apply(e); err != nil {
			return failed(EventOrderInvalid, "%s", err)
		}
	}
	if log.Root == nil {
		return failed(EventOrderInvalid, "the run has no root")
	}
	return nil
}

// place is where content stands in a bundle, and its media type.
type place struct{ path, media string }

// rests is where the content stands that an event rests on.
func rests(e *event.Event) (out []place) {
	add := func(path string, of event.Digest, media string) {
		if of != "" {
			out = append(out, place{path + string(of), media})
		}
	}
	switch d := e.Data.(type) {
	case *event.RunStarted:
		add(pathPlans, d.Hash, mediaJSON)
	case *event.NodeCreated:
		add(pathSnapshots, d.Snapshot, mediaJSON)
		add(pathReplies, d.Reply, mediaJSON)
	case *event.AdvanceRecorded:
		add(pathReplies, d.Reply, mediaJSON)
	case *event.NodeOutputAppended:
		add(pathArtifacts, d.Payload.SHA256, d.Payload.Type)
	case *event.SessionCreated, *event.EdgeCreated, *event.ValidationPerformed, *event.PreferencesChanged,
		*event.CapabilityObserved, *event.GapRecorded, *event.DivergenceRecorded, *event.DecisionTraceAppended,
		*event.ObservationRecorded, *event.ContextSet: // a context is written out
	}
	return out
}

// checkReferences makes sure that all is there that the events rest on, that a run can go on from
// it, and that nothing else is there.
func (b *Bundle) checkReferences() error {
	named := map[string]bool{}
	for _, e := range b.events {
		if d, ok := e.Data.(*event.ContextSet); ok && (len(d.Text) > logs.MaxBytes || d.Text[0] != '{') {
			return failed(InvalidFormat, "event %d: want a context that is an object of at most %d bytes", e.Index,
				logs.MaxBytes)
		}
		if err := b.checkRests(e); err != nil {
			return err
		}
		for _, p := range rests(e) {
			named[p.path] = true
		}
	}
	for path, data := range b.content {
		if !named[path] {
			return failed(InvalidFormat, "no event rests on %s", path)
		}
		if err := checkContent(path, data); err != nil {
			return failed(InvalidFormat, "%s: %s", path, err)
		}
	}
	return nil
}

// checkContent returns what is wrong with content by itself.
func checkContent(path, data string) error {
	kind, _, _ := strings.Cut(path, "sha256:")
	if len(data) > logs.MaxBytes {
		return errors.New("it is larger than content may be")
	}
	if kind != pathPlans && masked(data) != data {
		return errors.New("there is a ticket in it, which no bundle has")
	}
	var err error
	switch kind {
	case pathPlans:
		_, err = plans.Load([]byte(data))
	case pathSnapshots:
		_, err = state.Decode([]byte(data))
	case pathReplies:
		err = json.Unmarshal([]byte(data), &tools.Reply{})
	}
	return err
}

// checkRests makes sure that what an event rests on is there.
func (b *Bundle) checkRests(e *event.Event) error {
	for _, p := range rests(e) {
		data, ok := b.content[p.path]
		if !ok {
			return failed(missing(p.path), "event %d rests on %s, which is not there", e.Index, p.path)
		}
		if d, ok := e.Data.(*event.NodeOutputAppended); ok && d.Payload.Bytes != int64(len(data)) && d.Payload.Bytes != 0 {
			return failed(IntegrityFailed, "%s has %d bytes, and event %d says %d", p.path, len(data), e.Index, d.Payload.Bytes)
		}
		if _, _, err := mime.ParseMediaType(p.media); err != nil {
			return failed(InvalidFormat, "event %d: contentType %q: %s", e.Index, p.media, err)
		}
	}
	return nil
}
