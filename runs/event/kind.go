package event

// Kind names a kind of event.
type Kind string

// The kinds of events. The set is closed: a log with another is of a newer version.
const (
	KindSessionCreated        Kind = "session_created"
	KindObservationRecorded   Kind = "observation_recorded"
	KindRunStarted            Kind = "run_started"
	KindNodeCreated           Kind = "node_created"
	KindEdgeCreated           Kind = "edge_created"
	KindAdvanceRecorded       Kind = "advance_recorded"
	KindValidationPerformed   Kind = "validation_performed"
	KindNodeOutputAppended    Kind = "node_output_appended"
	KindPreferencesChanged    Kind = "preferences_changed"
	KindCapabilityObserved    Kind = "capability_observed"
	KindGapRecorded           Kind = "gap_recorded"
	KindDivergenceRecorded    Kind = "divergence_recorded"
	KindDecisionTraceAppended Kind = "decision_trace_appended"
	KindContextSet            Kind = "context_set"
)

// Kinds returns them all.
func Kinds() []Kind {
	return []Kind{
		KindSessionCreated, KindObservationRecorded, KindRunStarted, KindNodeCreated, KindEdgeCreated,
		KindAdvanceRecorded, KindValidationPerformed, KindNodeOutputAppended, KindPreferencesChanged,
		KindCapabilityObserved, KindGapRecorded, KindDivergenceRecorded, KindDecisionTraceAppended, KindContextSet,
	}
}

// Data is what an event of one kind says.
//
//sumtype:decl
type Data interface {
	// Kind names the kind.
	Kind() Kind
	// check returns what is wrong with it, by itself.
	check() error
	// scope says which scope its event must have.
	scope() reach
	// key lists what follows the session in its dedupe key.
	key(Scope) []string
}

// reach says what an event is about.
type reach int

const (
	ofSession reach = iota // the whole log: no scope
	ofRun                  // scope.runId alone
	ofNode                 // both
)

// blank returns an empty event data of this kind to decode into, or nil if there is none.
func blank(k Kind) Data {
	switch k {
	case KindSessionCreated:
		return &SessionCreated{}
	case KindObservationRecorded:
		return &ObservationRecorded{}
	case KindRunStarted:
		return &RunStarted{}
	case KindNodeCreated:
		return &NodeCreated{}
	case KindEdgeCreated:
		return &EdgeCreated{}
	case KindAdvanceRecorded:
		return &AdvanceRecorded{}
	case KindValidationPerformed:
		return &ValidationPerformed{}
	case KindNodeOutputAppended:
		return &NodeOutputAppended{}
	case KindPreferencesChanged:
		return &PreferencesChanged{}
	case KindCapabilityObserved:
		return &CapabilityObserved{}
	case KindGapRecorded:
		return &GapRecorded{}
	case KindDivergenceRecorded:
		return &DivergenceRecorded{}
	case KindDecisionTraceAppended:
		return &DecisionTraceAppended{}
	case KindContextSet:
		return &ContextSet{}
	}
	return nil
}

// Kind implements [Data].
func (*SessionCreated) Kind() Kind { return KindSessionCreated }

// Kind implements [Data].
func (*ObservationRecorded) Kind() Kind { return KindObservationRecorded }

// Kind implements [Data].
func (*RunStarted) Kind() Kind { return KindRunStarted }

// Kind implements [Data].
func (*NodeCreated) Kind() Kind { return KindNodeCreated }

// Kind implements [Data].
func (*EdgeCreated) Kind() Kind { return KindEdgeCreated }

// Kind implements [Data].
func (*AdvanceRecorded) Kind() Kind { return KindAdvanceRecorded }

// Kind implements [Data].
func (*ValidationPerformed) Kind() Kind { return KindValidationPerformed }

// Kind implements [Data].
func (*NodeOutputAppended) Kind() Kind { return KindNodeOutputAppended }

// Kind implements [Data].
func (*PreferencesChanged) Kind() Kind { return KindPreferencesChanged }

// Kind implements [Data].
func (*CapabilityObserved) Kind() Kind { return KindCapabilityObserved }

// Kind implements [Data].
func (*GapRecorded) Kind() Kind { return KindGapRecorded }

// Kind implements [Data].
func (*DivergenceRecorded) Kind() Kind { return KindDivergenceRecorded }

// Kind implements [Data].
func (*DecisionTraceAppended) Kind() Kind { return KindDecisionTraceAppended }

// Kind implements [Data].
func (*ContextSet) Kind() Kind { return KindContextSet }

func (*SessionCreated) scope() reach        { return ofSession }
func (*ObservationRecorded) scope() reach   { return ofSession }
func (*RunStarted) scope() reach            { return ofRun }
func (*NodeCreated) scope() reach           { return ofNode }
func (*EdgeCreated) scope() reach           { return ofRun }
func (*AdvanceRecorded) scope() reach       { return ofNode }
func (*ValidationPerformed) scope() reach   { return ofNode }
func (*NodeOutputAppended) scope() reach    { return ofNode }
func (*PreferencesChanged) scope() reach    { return ofNode }
func (*CapabilityObserved) scope() reach    { return ofNode }
func (*GapRecorded) scope() reach           { return ofNode }
func (*DivergenceRecorded) scope() reach    { return ofNode }
func (*DecisionTraceAppended) scope() reach { return ofNode }
func (*ContextSet) scope() reach            { return ofRun }
