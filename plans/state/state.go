package state

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// State is where a run stands. It is a value: share it, and change no slice of it.
//
//sumtype:decl
type State interface{ state() }

type (
	// Init is a run that has not begun.
	Init struct{}

	// Running is a run that goes on.
	Running struct{ Position }

	// Blocked is a run whose last attempt did not pass.
	Blocked struct {
		Position
		Block Block
	}

	// Complete is a run that is over.
	Complete struct{}
)

func (Init) state()     {}
func (Running) state()  {}
func (Blocked) state()  {}
func (Complete) state() {}

// Position is a place in a plan.
type Position struct {
	Completed []Key   // in byte order, each once
	Loops     []Frame // from the outermost in
	Pending   *Step   // nil: none is due yet
}

// Frame is a loop that a run is in.
type Frame struct {
	BodyIndex int    `json:"bodyIndex"` // of the body's step that is due, or was taken last
	Iteration int    `json:"iteration"` // from 0
	LoopID    string `json:"loopId"`
}

// Path is the loops as a step instance names them.
func (p Position) Path() []Level {
	path := make([]Level, len(p.Loops))
	for i, f := range p.Loops {
		path[i] = Level{Iteration: f.Iteration, LoopID: f.LoopID}
	}
	return path
}

// Done says whether a step instance is completed.
func (p Position) Done(k Key) bool {
	_, found := slices.BinarySearch(p.Completed, k)
	return found
}

// With is the position with one more completed instance. Pending, if it is that one, is none.
func (p Position) With(k Key) Position {
	if at, found := slices.BinarySearch(p.Completed, k); !found {
		p.Completed = slices.Insert(slices.Clip(p.Completed), at, k)
	}
	if p.Pending != nil && p.Pending.Key() == k {
		p.Pending = nil
	}
	return p
}

// Lately is the position with the completed instances of one pass of a loop alone: the last that has
// any. They count in their own pass only, and a loop that ended is completed under its own id. So a
// state stays small, however often a loop goes round, and still tells whether the loop has begun.
func (p Position) Lately(loopID string) Position {
	last := -1
	for _, k := range p.Completed {
		last = max(last, pass(k, loopID))
	}
	p.Completed = slices.DeleteFunc(slices.Clone(p.Completed), func(k Key) bool {
		at := pass(k, loopID)
		return at >= 0 && at < last
	})
	return p
}

// pass is the iteration of a loop that an instance is of; -1 if it is of none.
func pass(k Key, loopID string) int {
	rest, ok := strings.CutPrefix(string(k), loopID+"@")
	if !ok {
		return -1
	}
	digits, _, _ := strings.Cut(rest, "::")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return -1
	}
	return n
}

// Check says why a state cannot be: nil if it can.
func Check(s State) error {
	switch s := s.(type) {
	case Init, Complete:
		return nil
	case Running:
		return s.check()
	case Blocked:
		if s.Pending == nil {
			return errors.New("blocked, but no step is pending")
		}
		return errors.Join(s.check(), checkBlock(s.Block))
	}
	return errors.New("no state")
}

// check sees that completed instances, loops and the pending step agree.
func (p Position) check() error {
	for i, k := range p.Completed {
		if _, err := ParseKey(k); err != nil {
			return fmt.Errorf("completed: %w", err)
		}
		if i > 0 && k <= p.Completed[i-1] {
			return fmt.Errorf("completed: %s stands after %s, expected byte order and each once", k, p.Completed[i-1])
		}
	}
	for i, f := range p.Loops {
		if f.BodyIndex < 0 {
			return fmt.Errorf("loopStack: loop %s: body index %d is below 0", f.LoopID, f.BodyIndex)
		}
		if slices.ContainsFunc(p.Loops[:i], func(g Frame) bool { return g.LoopID == f.LoopID }) {
			return fmt.Errorf("loopStack: loop %s stands there twice", f.LoopID)
		}
	}
	if p.Pending == nil {
		return Step{ID: "x", Path: p.Path()}.check()
	}
	if err := p.Pending.check(); err != nil {
		return fmt.Errorf("pending: %w", err)
	}
	if !slices.Equal(p.Pending.Path, p.Path()) {
		return fmt.Errorf("pending: the loops of %s are not those of loopStack", p.Pending.Key())
	}
	if p.Done(p.Pending.Key()) {
		return fmt.Errorf("pending: %s is completed already", p.Pending.Key())
	}
	return nil
}
