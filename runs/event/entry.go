package event

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/sexpr"
)

// Entry is the event as the log on the record has it. The log gives it its index.
func (e *Event) Entry() (record.Event, error) {
	data, err := canon.Of(e.Data)
	if err != nil {
		return record.Event{}, err
	}
	out := record.Event{ID: string(e.ID), Kind: string(e.Data.Kind()), Dedupe: e.Dedupe, Data: string(data)}
	if e.Scope != (Scope{}) {
		scope, err := canon.Of(e.Scope)
		if err != nil {
			return record.Event{}, err
		}
		out.Scope = string(scope)
	}
	return out, nil
}

// Entries reads the events of one log as the record has them, one after the other. After an error
// it is of no use.
type Entries struct {
	session SessionID
	texts   feed
	dec     *json.Decoder // one for all, as most of what it takes is to begin
}

// NewEntries returns a reader for the events of a log.
func NewEntries(session SessionID) *Entries {
	r := &Entries{session: session}
	r.dec = json.NewDecoder(&r.texts)
	r.dec.DisallowUnknownFields()
	return r
}

// Read reads an event. It does not check it, see [Event.Check]. A kind that it does not know is an
// [ErrVersion]; a member that it does not know is an error too.
func (r *Entries) Read(x record.Event) (*Event, error) {
	e := &Event{ID: ID(x.ID), Index: x.Index, Session: r.session, Dedupe: x.Dedupe, Data: blank(Kind(x.Kind))}
	var err error
	switch {
	case e.Data == nil:
		err = fmt.Errorf("kind %q: %w", x.Kind, ErrVersion)
	case x.Scope != "":
		err = r.decode(x.Scope, &e.Scope)
	}
	if err == nil {
		if err = r.decode(x.Data, e.Data); err != nil {
			err = fmt.Errorf("%s: %w", x.Kind, err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("event %d: %w", x.Index, err)
	}
	return e, nil
}

// decode decodes text, all of it, into v.
func (r *Entries) decode(text string, v any) error {
	r.texts.left, r.texts.end = text, r.texts.end+int64(len(text))
	if err := r.dec.Decode(v); err != nil {
		return err
	}
	if r.dec.InputOffset() != r.texts.end {
		return errBehind
	}
	return nil
}

// feed gives a decoder one text after the other.
type feed struct {
	left string
	end  int64 // of all texts so far, in bytes
}

func (f *feed) Read(p []byte) (int, error) {
	if f.left == "" {
		return 0, io.EOF
	}
	n := copy(p, f.left)
	f.left = f.left[n:]
	return n, nil
}

// Pins are the digests of the content that the event rests on, which its log must pin.
func (e *Event) Pins() ([]sexpr.Digest, error) {
	var out []sexpr.Digest
	for _, d := range rests(e.Data) {
		of, err := sexpr.ParseDigest(string(d))
		if err != nil {
			return nil, err
		}
		out = append(out, of)
	}
	return out, nil
}
