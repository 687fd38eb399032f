package event

import "slices"

// rests returns the digests of the content that an event rests on, which its log must pin.
func rests(d Data) (out []Digest) {
	switch d := d.(type) {
	case *RunStarted:
		out = append(out, d.Hash)
	case *NodeCreated:
		out = append(out, d.Snapshot, d.Reply)
	case *AdvanceRecorded:
		out = append(out, d.Reply)
	case *NodeOutputAppended:
		out = append(out, d.Payload.SHA256)
	case *ContextSet:
		out = append(out, d.Ref)
	case *SessionCreated, *ObservationRecorded, *EdgeCreated, *ValidationPerformed, *PreferencesChanged,
		*CapabilityObserved, *GapRecorded, *DivergenceRecorded, *DecisionTraceAppended:
	}
	return slices.DeleteFunc(out, func(d Digest) bool { return d == "" }) // optional, and not there
}
