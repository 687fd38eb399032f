package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"
	"regexp"
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
		return nil, failed(InvalidFormat, "it is no JSON object of a bundle: %s", err)
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
		return failed(InvalidFormat, "producer.appliedConfigHash is no digest")
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
	for i, e := range b.events {
		if e.Index != uint64(i) {
			return failed(EventOrderInvalid, "event %d stands where %d is due", e.Index, i)
		}
		if e.Session != b.Session.ID {
			return failed(EventOrderInvalid, "event %d is of another log", i)
		}
		if err := log.Apply(e); err != nil {
			return failed(EventOrderInvalid, "%s", err)
		}
	}
	if log.Root == nil {
		return failed(EventOrderInvalid, "the run has no root")
	}
	return nil
}

// checkReferences makes sure that all is there that the events rest on, that a run can go on from
// it, and that nothing else is there.
func (b *Bundle) checkReferences() error {
	named := map[string]bool{}
	need := func(e *event.Event, path string, of event.Digest) error {
		named[path+string(of)] = true
		if _, ok := b.content[path+string(of)]; !ok {
			return failed(missing(path), "event %d rests on %s%s, which is not there", e.Index, path, of)
		}
		return nil
	}
	for _, e := range b.events {
		var err error
		switch d := e.Data.(type) {
		case *event.RunStarted:
			err = need(e, pathPlans, d.Hash)
		case *event.NodeCreated:
			if err = need(e, pathSnapshots, d.Snapshot); err == nil && d.Reply != "" {
				err = need(e, pathReplies, d.Reply)
			}
		case *event.AdvanceRecorded:
			if d.Reply != "" {
				err = need(e, pathReplies, d.Reply)
			}
		case *event.NodeOutputAppended:
			if d.Payload.SHA256 != "" {
				err = need(e, pathArtifacts, d.Payload.SHA256)
			}
		case *event.ContextSet:
			if len(d.Text) > logs.MaxBytes || d.Text[0] != '{' {
				err = failed(InvalidFormat, "event %d: want a context that is an object of at most %d bytes", e.Index,
					logs.MaxBytes)
			}
		case *event.SessionCreated, *event.EdgeCreated, *event.ValidationPerformed, *event.PreferencesChanged,
			*event.CapabilityObserved, *event.GapRecorded, *event.DivergenceRecorded, *event.DecisionTraceAppended,
			*event.ObservationRecorded:
		}
		if err != nil {
			return err
		}
	}
	for path, c := range b.content {
		if !named[path] {
			return failed(InvalidFormat, "no event rests on %s", path)
		}
		if err := c.check(path); err != nil {
			return failed(InvalidFormat, "%s: %s", path, err)
		}
	}
	return nil
}

// check returns what is wrong with content that stands at a path.
func (c content) check(path string) error {
	if len(c.data) > logs.MaxBytes {
		return errors.New("it is larger than content may be")
	}
	var err error
	switch kind, _, _ := bytes.Cut([]byte(path), []byte("sha256:")); string(kind) {
	case pathPlans:
		_, err = plans.Load([]byte(c.data))
	case pathSnapshots:
		_, err = state.Decode([]byte(c.data))
	case pathReplies:
		err = json.Unmarshal([]byte(c.data), &tools.Reply{})
	case pathArtifacts:
		_, _, err = mime.ParseMediaType(c.media)
	}
	return err
}
