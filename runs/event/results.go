package event

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/plans/state"
)

// Severity of a gap.
type Severity string

// How much a gap weighs.
const (
	Info     Severity = "info"
	Warning  Severity = "warning"
	Critical Severity = "critical"
)

// Reason is why a run fell short: what blocks it, or what it went on in spite of.
type Reason struct {
	Category string `json:"category"`
	Detail   string `json:"detail"`
}

// onlyGaps are the reasons for gaps that never block.
var onlyGaps = []string{"contract_violation:max_iterations", "unexpected:evaluation_error",
	"unexpected:preferences_exceed_recommendation"}

// Check returns what is wrong with r.
func (r Reason) Check() error {
	code := r.Category + ":" + r.Detail
	if state.Code(code).Known() || slices.Contains(onlyGaps, code) {
		return nil
	}
	return fmt.Errorf("reason %q: not one of the closed set", code)
}

// Resolution says whether a gap closes an earlier one.
type Resolution struct {
	Kind string `json:"kind"` // unresolved, resolves
	Gap  GapID  `json:"resolvesGapId,omitempty"`
}

// Evidence is what a gap rests on: an event or an output.
type Evidence struct {
	Kind   string   `json:"kind"` // event, output
	Event  ID       `json:"eventId,omitempty"`
	Output OutputID `json:"outputId,omitempty"`
}

func (e Evidence) check() error {
	switch e.Kind {
	case "event":
		return all(validID("eventId", e.Event), absent("outputId", e.Kind, e.Output != ""))
	case "output":
		return all(validOutput("outputId", e.Output), absent("eventId", e.Kind, e.Event != ""))
	}
	return oneOf("evidenceRefs.kind", e.Kind, "event", "output")
}

// GapRecorded is a shortfall that the run went on in spite of, or that stopped it. It never
// changes; a later gap that names it resolves it.
type GapRecorded struct {
	ID         GapID      `json:"gapId"`
	Severity   Severity   `json:"severity"`
	Reason     Reason     `json:"reason"`
	Summary    string     `json:"summary"`
	Resolution Resolution `json:"resolution"`
	Evidence   []Evidence `json:"evidenceRefs,omitempty"`
}

func (d *GapRecorded) check() error {
	err := all(validID("gapId", d.ID), oneOf("severity", d.Severity, Info, Warning, Critical), d.Reason.Check(),
		bounded("summary", d.Summary, MaxSummary), oneOf("resolution.kind", d.Resolution.Kind, "unresolved", "resolves"))
	if err != nil {
		return err
	}
	if d.Resolution.Kind == "unresolved" {
		err = absent("resolvesGapId", "unresolved", d.Resolution.Gap != "")
	} else {
		err = validID("resolvesGapId", d.Resolution.Gap)
	}
	for _, e := range d.Evidence {
		err = all(err, e.check())
	}
	return err
}

func (d *GapRecorded) key(Scope) []string { return []string{string(d.ID)} }

// The channels of outputs.
const (
	Recap    = "recap"
	Artifact = "artifact"
)

// NodeOutputAppended is what an attempt handed in. It hangs on the node that was acted on,
// the attempt, and the node that came of it: two attempts from one node have one each.
type NodeOutputAppended struct {
	ID         OutputID  `json:"outputId"`
	Supersedes OutputID  `json:"supersedesOutputId,omitempty"` // of the same node and channel
	Channel    string    `json:"outputChannel"`
	Attempt    AttemptID `json:"attemptId"`
	To         NodeID    `json:"toNodeId"`
	Payload    Payload   `json:"payload"`
}

// Payload is an output's content: notes, or the digest of an artifact that is kept.
type Payload struct {
	Kind   string        `json:"payloadKind"` // notes, artifact_ref
	Notes  string        `json:"notesMarkdown,omitempty"`
	SHA256 ContentDigest `json:"sha256,omitempty"`
	Type   string        `json:"contentType,omitempty"`
	Bytes  int64         `json:"byteLength,omitempty"`
}

func (d *NodeOutputAppended) check() error {
	err := all(validOutput("outputId", d.ID), validID("attemptId", d.Attempt), validID("toNodeId", d.To),
		oneOf("outputChannel", d.Channel, Recap, Artifact))
	if err == nil && d.Supersedes != "" {
		err = validOutput("supersedesOutputId", d.Supersedes)
	}
	if err != nil {
		return err
	}
	p := d.Payload
	switch p.Kind {
	case "notes":
		return all(bounded("notesMarkdown", p.Notes, MaxNotes),
			absent("sha256", p.Kind, p.SHA256 != "" || p.Type != "" || p.Bytes != 0))
	case "artifact_ref":
		if d.Channel == Recap {
			return errors.New("a recap is notes")
		}
		if p.Bytes < 0 {
			return fmt.Errorf("byteLength %d: want 0 or more", p.Bytes)
		}
		return all(validDigest("sha256", p.SHA256), bounded("contentType", p.Type, 128),
			absent("notesMarkdown", p.Kind, p.Notes != ""))
	}
	return oneOf("payloadKind", p.Kind, "notes", "artifact_ref")
}

func (d *NodeOutputAppended) key(Scope) []string { return []string{string(d.ID)} }

// SortOutputs puts the outputs of one attempt in their order: notes first, then artifacts by
// digest and type.
func SortOutputs(list []*NodeOutputAppended) {
	slices.SortStableFunc(list, func(a, b *NodeOutputAppended) int {
		return cmp.Or(-cmp.Compare(a.Channel, b.Channel), // recap before artifact
			cmp.Compare(a.Payload.SHA256, b.Payload.SHA256), cmp.Compare(a.Payload.Type, b.Payload.Type))
	})
}

// ValidationPerformed says how an output fared against its contract.
type ValidationPerformed struct {
	ID       ValidationID `json:"validationId"`
	Attempt  AttemptID    `json:"attemptId"`
	Contract string       `json:"contractRef"`
	Result   Validation   `json:"result"`
}

// Validation is the result: what is wrong, and what would be right.
type Validation struct {
	Valid       bool     `json:"valid"`
	Issues      []string `json:"issues"`
	Suggestions []string `json:"suggestions"`
}

// Cut is the last item of a list that was cut to its budget.
const Cut = "[TRUNCATED]"

// SortedList puts items in order, each once, and cuts the list to its budget with [Cut] at
// its end. An item that is over the budget by itself is an error.
func SortedList(items []string) ([]string, error) {
	list := slices.Compact(slices.Sorted(slices.Values(items)))
	total := 0
	for i, x := range list {
		if len(x) > MaxListBytes {
			return nil, fmt.Errorf("item %d has %d bytes, the whole list may have %d", i, len(x), MaxListBytes)
		}
		total += len(x)
	}
	if total <= MaxListBytes {
		return list, nil
	}
	for total > MaxListBytes-len(Cut) {
		last := len(list) - 1
		total -= len(list[last])
		list = list[:last]
	}
	return append(list, Cut), nil
}

func (d *ValidationPerformed) check() error {
	return all(validID("validationId", d.ID), validID("attemptId", d.Attempt),
		bounded("contractRef", d.Contract, 128), checkList("issues", d.Result.Issues, state.MaxMessage),
		checkList("suggestions", d.Result.Suggestions, state.MaxFix))
}

func checkList(member string, list []string, limit int) error {
	total := 0
	rest := list
	if n := len(list); n > 0 && list[n-1] == Cut {
		rest = list[:n-1]
	}
	for i, x := range list {
		total += len(x)
		if err := bounded(fmt.Sprintf("%s[%d]", member, i), x, limit); err != nil {
			return err
		}
		if i > 0 && i < len(rest) && list[i-1] >= x {
			return fmt.Errorf("%s: item %d is not in order, or there twice", member, i)
		}
	}
	if total > MaxListBytes {
		return fmt.Errorf("%s has %d bytes, at most %d are allowed", member, total, MaxListBytes)
	}
	return nil
}

func (d *ValidationPerformed) key(Scope) []string { return []string{string(d.Attempt)} }
