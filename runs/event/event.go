package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Version is the version of events that this code writes and reads.
const Version = 1

// Family is what the logs of runs are called on the record.
const Family = "run"

// ErrVersion says that an event is of a newer version, or of a kind that this one lacks.
var ErrVersion = errors.New("an event of a version that this program does not know")

// Scope says what an event is about. It is empty for the whole log.
type Scope struct {
	Run  RunID  `json:"runId,omitempty"`
	Node NodeID `json:"nodeId,omitempty"`
}

// Event is one entry of a log.
type Event struct {
	ID      ID
	Index   uint64 // in its log, from 0
	Session SessionID
	Dedupe  string // see [Key]
	Scope   Scope
	Data    Data
}

// New returns the event that says data about scope. The log gives it its index.
func New(session SessionID, scope Scope, data Data) *Event {
	key := Key(session, scope, data)
	return &Event{ID: Derive[ID](key), Session: session, Dedupe: key, Scope: scope, Data: data}
}

// wire is an event as it is written.
type wire struct {
	V       int             `json:"v"`
	ID      ID              `json:"eventId"`
	Index   uint64          `json:"eventIndex"`
	Session SessionID       `json:"sessionId"`
	Kind    Kind            `json:"kind"`
	Dedupe  string          `json:"dedupeKey"`
	Scope   *Scope          `json:"scope,omitempty"`
	Data    json.RawMessage `json:"data"`
}

// MarshalJSON writes the event, members in no canonical order.
func (e *Event) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(e.Data)
	if err != nil {
		return nil, fmt.Errorf("event %d: %w", e.Index, err)
	}
	w := wire{
		V:       Version,
		ID:      e.ID,
		Index:   e.Index,
		Session: e.Session,
		Kind:    e.Data.Kind(),
		Dedupe:  e.Dedupe,
		Data:    data,
	}
	if e.Scope != (Scope{}) {
		w.Scope = &e.Scope
	}
	return json.Marshal(w)
}

// Decode reads one event and checks it. A version or a kind that it does not know is an
// [ErrVersion]; so that no newer log is misread, a member that it does not know is an error too.
func Decode(text []byte) (*Event, error) {
	var w wire
	if err := strict(text, &w); err != nil {
		var v struct{ V int }
		if json.Unmarshal(text, &v) == nil && v.V > Version {
			return nil, fmt.Errorf("event: version %d: %w", v.V, ErrVersion)
		}
		return nil, fmt.Errorf("event: %w", err)
	}
	if w.V != Version {
		return nil, fmt.Errorf("event %d: version %d, this program knows %d: %w", w.Index, w.V, Version, ErrVersion)
	}
	data, err := DecodeData(w.Kind, w.Data)
	if err != nil {
		return nil, fmt.Errorf("event %d: %w", w.Index, err)
	}
	e := &Event{ID: w.ID, Index: w.Index, Session: w.Session, Dedupe: w.Dedupe, Data: data}
	if w.Scope != nil {
		e.Scope = *w.Scope
	}
	return e, e.Check()
}

// DecodeData reads what an event of this kind says. It does not check it, see [Event.Check].
func DecodeData(k Kind, text []byte) (Data, error) {
	data := blank(k)
	if data == nil {
		return nil, fmt.Errorf("kind %q: %w", k, ErrVersion)
	}
	if err := strict(text, data); err != nil {
		return nil, fmt.Errorf("%s: %w", k, err)
	}
	return data, nil
}

// strict decodes text, all of it, into v.
func strict(text []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errBehind
	}
	return nil
}

var errBehind = errors.New("there is text behind the value")

// Check returns the first thing that is wrong with e by itself: with its ids, its scope, its
// dedupe key or what it says.
func (e *Event) Check() error {
	if err := e.check(); err != nil {
		kind := Kind("?")
		if e.Data != nil {
			kind = e.Data.Kind()
		}
		return fmt.Errorf("event %d, %s: %w", e.Index, kind, err)
	}
	return nil
}

func (e *Event) check() error {
	if e.Data == nil {
		return errors.New("it says nothing")
	}
	if err := all(wellFormed(e.ID), wellFormed(e.Session)); err != nil {
		return err
	}
	if err := checkScope(e.Scope, e.Data.scope()); err != nil {
		return err
	}
	if err := e.Data.check(); err != nil {
		return err
	}
	if want := Key(e.Session, e.Scope, e.Data); e.Dedupe != want {
		return fmt.Errorf("dedupe key %q, want %q", e.Dedupe, want)
	}
	return CheckKey(e.Dedupe)
}

func checkScope(s Scope, want reach) error {
	if want == ofSession {
		if s != (Scope{}) {
			return errors.New("it is about the whole log: it has no scope")
		}
		return nil
	}
	if err := wellFormed(s.Run); err != nil {
		return fmt.Errorf("scope: %w", err)
	}
	if want == ofRun {
		if s.Node != "" {
			return errors.New("it is about the run: its scope has no node")
		}
		return nil
	}
	if err := wellFormed(s.Node); err != nil {
		return fmt.Errorf("scope: %w", err)
	}
	return nil
}

// Key returns the dedupe key of an event: its kind, its session, and the stable ids that make
// it what it is. An event's own id is none of them.
func Key(session SessionID, scope Scope, data Data) string {
	parts := append([]string{string(data.Kind()), string(session)}, data.key(scope)...)
	return strings.Join(parts, ":")
}

// CheckKey returns an error if key has not the form of a dedupe key.
func CheckKey(key string) error {
	ok := key != "" && len(key) <= 256
	for _, c := range []byte(key) {
		ok = ok && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == ':' || c == '>' || c == '-')
	}
	if !ok {
		return fmt.Errorf("dedupe key %q: want 1 to 256 of a-z 0-9 _ : > -", key)
	}
	return nil
}
