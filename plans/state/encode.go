package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/plans/canon"
)

// file is an execution snapshot. Its names and its nesting are those of the seed.
type file struct {
	V       int     `json:"v"`
	Kind    string  `json:"kind"` // execution_snapshot
	Payload payload `json:"enginePayload"`
}

type payload struct {
	V     int    `json:"v"`
	State engine `json:"engineState"`
}

type engine struct {
	Kind      string   `json:"kind"`
	Completed *set     `json:"completed,omitempty"`
	Loops     *[]Frame `json:"loopStack,omitempty"`
	Pending   *pending `json:"pending,omitempty"`
	Blocked   *blocked `json:"blocked,omitempty"`
}

type set struct {
	Kind   string `json:"kind"` // set
	Values []Key  `json:"values"`
}

type pending struct {
	Kind string `json:"kind"` // none or some
	Step *Step  `json:"step,omitempty"`
}

type blocked struct {
	Kind       string `json:"kind"` // retryable_block or terminal_block
	Reason     Code   `json:"reason"`
	Retry      string `json:"retryAttemptId,omitempty"`
	Validation string `json:"validationRef,omitempty"`
	Blockers   struct {
		Blockers []Blocker `json:"blockers"`
	} `json:"blockers"`
}

// Encode writes a state as the canonical JSON of its snapshot, or says why it cannot be.
func Encode(s State) ([]byte, error) {
	if err := Check(s); err != nil {
		return nil, fmt.Errorf("a state: %w", err)
	}
	var e engine
	switch s := s.(type) {
	case Init:
		e.Kind = "init"
	case Complete:
		e.Kind = "complete"
	case Running:
		e = s.engine("running")
	case Blocked:
		e = s.engine("blocked")
		e.Blocked = s.Block.write()
	}
	return canon.Of(file{V: 1, Kind: "execution_snapshot", Payload: payload{V: 1, State: e}})
}

func (p Position) engine(kind string) engine {
	loops := append([]Frame{}, p.Loops...)
	e := engine{Kind: kind, Completed: &set{Kind: "set", Values: append([]Key{}, p.Completed...)}, Loops: &loops,
		Pending: &pending{Kind: "none"}}
	if p.Pending != nil {
		e.Pending = &pending{Kind: "some", Step: &Step{ID: p.Pending.ID, Path: append([]Level{}, p.Pending.Path...)}}
	}
	return e
}

func (b Block) write() *blocked {
	out := &blocked{Kind: "retryable_block", Reason: b.Reason, Retry: b.Retry, Validation: b.Validation}
	if b.Reason.Terminal() {
		out.Kind = "terminal_block"
	}
	out.Blockers.Blockers = b.Blockers
	return out
}

// Decode reads the JSON of a snapshot. It takes no unknown member, no member of another kind of
// state, no other version, and no state that cannot be.
func Decode(text []byte) (State, error) {
	canonical, err := canon.JSON(text)
	if err != nil {
		return nil, fmt.Errorf("a state: %w", err)
	}
	var f file
	d := json.NewDecoder(bytes.NewReader(canonical))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("a state: %w", err)
	}
	if f.V != 1 || f.Payload.V != 1 || f.Kind != "execution_snapshot" {
		return nil, fmt.Errorf("a state: found %q of versions %d and %d, expected an execution_snapshot of version 1",
			f.Kind, f.V, f.Payload.V)
	}
	s, err := f.Payload.State.read()
	if err != nil {
		return nil, fmt.Errorf("a state: %w", err)
	}
	again, err := Encode(s)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(again, canonical) {
		return nil, fmt.Errorf("a state: found %s, expected %s", canonical, again)
	}
	return s, nil
}

func (e engine) read() (State, error) {
	switch e.Kind {
	case "init":
		return Init{}, nil
	case "complete":
		return Complete{}, nil
	case "running", "blocked":
	default:
		return nil, fmt.Errorf("kind %q, expected init, running, blocked or complete", e.Kind)
	}
	if e.Completed == nil || e.Loops == nil || e.Pending == nil || e.Kind == "blocked" && e.Blocked == nil {
		return nil, errors.New("a member is missing: completed, loopStack, pending or blocked")
	}
	p := Position{Completed: e.Completed.Values, Loops: *e.Loops, Pending: e.Pending.Step}
	if e.Kind == "running" {
		return Running{p}, nil
	}
	b := e.Blocked
	block := Block{Reason: b.Reason, Retry: b.Retry, Validation: b.Validation, Blockers: b.Blockers.Blockers}
	return Blocked{p, block}, nil
}
