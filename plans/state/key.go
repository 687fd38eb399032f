package state

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Key names a step instance: stepId, or loop@iteration[/loop@iteration...]::stepId, such as
// refine@1::draft. A loop that is over is completed under its own id.
type Key string

// Level is one loop around a step instance.
type Level struct {
	Iteration int    `json:"iteration"` // from 0
	LoopID    string `json:"loopId"`
}

// Step is a step instance: a step, and the loops around it from the outermost in.
type Step struct {
	Path []Level `json:"loopPath"` // empty outside of loops, never nil in a decoded state
	ID   string  `json:"stepId"`
}

var (
	loopID = regexp.MustCompile(`^[a-z0-9_-]+$`)
	stepID = regexp.MustCompile(`^[a-z0-9_-]+(\.[a-z0-9_-]+)*$`) // dots where a template was expanded
)

// Key is the name of the instance.
func (s Step) Key() Key {
	if len(s.Path) == 0 {
		return Key(s.ID)
	}
	levels := make([]string, len(s.Path))
	for i, l := range s.Path {
		levels[i] = l.LoopID + "@" + strconv.Itoa(l.Iteration)
	}
	return Key(strings.Join(levels, "/") + "::" + s.ID)
}

// ParseKey reads a key. It takes exactly what [Step.Key] writes: no leading zeros, no signs.
func ParseKey(k Key) (Step, error) {
	path, id, looped := strings.Cut(string(k), "::")
	if !looped {
		path, id = "", string(k)
	}
	s := Step{Path: []Level{}, ID: id}
	if looped {
		for level := range strings.SplitSeq(path, "/") {
			name, count, _ := strings.Cut(level, "@")
			n, err := strconv.Atoi(count)
			if err != nil {
				return Step{}, fmt.Errorf("step instance %q: found %q, expected LOOP@ITERATION", k, level)
			}
			s.Path = append(s.Path, Level{Iteration: n, LoopID: name})
		}
	}
	if err := s.check(); err != nil {
		return Step{}, fmt.Errorf("step instance %q: %w", k, err)
	}
	if s.Key() != k {
		return Step{}, fmt.Errorf("step instance %q: expected %q", k, s.Key())
	}
	return s, nil
}

// check sees that the ids can stand in a key.
func (s Step) check() error {
	if !stepID.MatchString(s.ID) {
		return fmt.Errorf("step id %q: expected letters a-z, digits, _ and -, with dots between", s.ID)
	}
	for _, l := range s.Path {
		if !loopID.MatchString(l.LoopID) {
			return fmt.Errorf("loop id %q: expected letters a-z, digits, _ and -", l.LoopID)
		}
		if l.Iteration < 0 {
			return fmt.Errorf("loop %s: iteration %d is below 0", l.LoopID, l.Iteration)
		}
	}
	return nil
}
