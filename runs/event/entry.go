package event

import (
	"fmt"

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

// FromEntry reads an event as the log on the record has it. It does not check it, see [Event.Check]. A
// kind that it does not know is an [ErrVersion].
func FromEntry(session SessionID, x record.Event) (*Event, error) {
	e := &Event{ID: ID(x.ID), Index: x.Index, Session: session, Dedupe: x.Dedupe}
	var err error
	if x.Scope != "" {
		err = strict([]byte(x.Scope), &e.Scope)
	}
	if err == nil {
		e.Data, err = DecodeData(Kind(x.Kind), []byte(x.Data))
	}
	if err != nil {
		return nil, fmt.Errorf("event %d: %w", x.Index, err)
	}
	return e, nil
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
