package event

import (
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/plans/canon"
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
