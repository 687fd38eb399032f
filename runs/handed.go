package runs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/shelf"
	"github.com/opencortex-go/cortex/runs/tools"
	"github.com/opencortex-go/cortex/sexpr"
)

// The budgets of an output, beside those of notes and contexts.
const (
	MaxArtifacts     = 64
	MaxArtifactBytes = 262144 // of its canonical JSON
	artifactMedia    = "application/json"
)

// handed is what an attempt hands in.
type handed struct {
	attempt   event.AttemptID
	notes     string
	artifacts []artifact
	context   sexpr.Value // an object; what changes in work
	from      work.Source // of what changes
	// engine says that the engine did the step: no agent closes an attempt at a tool's or a
	// person's. Then sources are those of what changes, by key, and reasons are why the step was not done.
	engine  bool
	sources work.Sources
	reasons []state.Reason
	refs    []event.Payload // documents that are kept already
	leaves  bool            // the card that the step waits for is withdrawn
}

// artifact is one that was handed in.
type artifact struct {
	v    sexpr.Value
	text string // canonical JSON
}

// handedBy reads the output of an agent or a person. An error is a [tools.Error].
func handedBy(by Caller, attempt event.AttemptID, c *tools.ContinueWorkflow) (h handed, err error) {
	h = handed{attempt: attempt, from: sourceOf(by)}
	if h.context, err = object(c.Context); err != nil {
		return h, invalid("context", err)
	}
	if c.Output == nil {
		return h, nil
	}
	h.notes = c.Output.NotesMarkdown
	if n := len(c.Output.Artifacts); n > MaxArtifacts {
		return h, invalid("output.artifacts", fmt.Errorf("measured %d, max %d, method: number of artifacts", n, MaxArtifacts))
	}
	for i, raw := range c.Output.Artifacts {
		a, err := readArtifact(raw)
		if err != nil {
			return h, invalid(fmt.Sprintf("output.artifacts[%d]", i), err)
		}
		if !slices.ContainsFunc(h.artifacts, func(b artifact) bool { return b.text == a.text }) {
			h.artifacts = append(h.artifacts, a)
		}
	}
	return h, nil
}

func readArtifact(raw []byte) (a artifact, err error) {
	text, err := canon.JSON(raw)
	if err != nil {
		return a, err
	}
	if len(text) > MaxArtifactBytes {
		return a, fmt.Errorf("measured %d, max %d, method: %s; hand in a path or a link in place of the text", len(text),
			MaxArtifactBytes, work.Method)
	}
	if a.v, err = shelf.ReadJSON(text); err != nil {
		return a, err
	}
	if !a.v.IsObject() {
		return a, fmt.Errorf("expected an object with a kind")
	}
	a.text = string(text)
	return a, nil
}

// sourceOf is where what a caller hands in comes from.
func sourceOf(by Caller) work.Source {
	if by.Person {
		return work.FromPerson
	}
	return work.FromAgent
}

// object reads a map as an object of the notation.
func object(m map[string]any) (sexpr.Value, error) {
	if len(m) == 0 {
		return sexpr.EmptyObject(), nil
	}
	text, err := canon.Of(m)
	if err != nil {
		return sexpr.EmptyObject(), err
	}
	return shelf.ReadJSON(text)
}

// invalid is the error for a call that does not fit. An error that names the member says it once.
func invalid(path string, err error) error {
	return tools.AsError(&tools.Wrong{Path: path, Problem: strings.TrimPrefix(err.Error(), path+": ")})
}

// outputs are the events and the content of what an attempt handed in: the notes first, then
// the artifacts by digest.
func (h handed) outputs(to event.NodeID) (list []*event.NodeOutputAppended, keep []shelf.Content) {
	if strings.TrimSpace(h.notes) != "" { // blank ones are missing, see advance.NotesRequired
		list = append(list, &event.NodeOutputAppended{ID: event.RecapID(h.attempt), Channel: event.Recap,
			Attempt: h.attempt, To: to,
			Payload: event.Payload{Kind: "notes", Notes: canon.Truncate(h.notes, event.MaxNotes)}})
	}
	for _, a := range h.artifacts {
		keep = append(keep, shelf.Content{Media: artifactMedia, Text: a.text})
		list = append(list, &event.NodeOutputAppended{Channel: event.Artifact, Attempt: h.attempt, To: to,
			Payload: event.Payload{Kind: "artifact_ref", SHA256: event.DigestOf([]byte(a.text)), Type: artifactMedia,
				Bytes: int64(len(a.text))}})
	}
	for _, ref := range h.refs {
		list = append(list, &event.NodeOutputAppended{Channel: event.Artifact, Attempt: h.attempt, To: to, Payload: ref})
	}
	event.SortOutputs(list)
	n := 0
	for _, o := range list {
		if o.Channel == event.Artifact {
			o.ID = event.ArtifactID(h.attempt, n)
			n++
		}
	}
	return list, keep
}

func (h handed) values() []sexpr.Value {
	out := make([]sexpr.Value, len(h.artifacts))
	for i, a := range h.artifacts {
		out[i] = a.v
	}
	return out
}
