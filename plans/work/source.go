package work

import (
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/sexpr"
)

// Source is where the value of a key came from.
type Source string

// The sources. A key without one is an agent's.
const (
	FromHost    Source = "host"    // the program that started the run
	FromPerson  Source = "person"  // a person's own words
	FromTrusted Source = "trusted" // an output that the plan declares trusted
	FromOutput  Source = "output"  // any other output
	FromAgent   Source = "agent"   // the context that an agent handed in
)

// Sources are the sources of the keys of work.
type Sources map[string]Source

// OutputSource is the source of a key that the output of a step sets. What a model wrote is
// never trusted, whatever the plan declares.
func OutputSource(step *plans.Step, key string) Source {
	declared := step.Trusted && slices.Contains(step.Gives, key)
	if declared && (step.By == plans.ByTool || step.By == plans.ByPerson) {
		return FromTrusted
	}
	return FromOutput
}

// OwnerError is a key that an agent may not set: it has an owner, and the step does not give it.
type OwnerError struct {
	Key   string
	Owner string // what was done with it, and by whom: set by a person
}

func (e *OwnerError) Error() string {
	return fmt.Sprintf("context: the key %s was %s, and the step does not give it", e.Key, e.Owner)
}

// owner says who set a key that an agent may not change; "" if it may.
func (s Sources) owner(key string) string {
	switch s[key] {
	case FromPerson:
		return "set by a person"
	case FromHost:
		return "set by the host"
	case FromTrusted:
		return "set by a trusted step"
	case FromOutput, FromAgent:
	}
	return ""
}

// Yield returns what an agent's delta changes: it leaves out the keys that another owns and that it
// repeats as they are. A delta that changes or deletes such a key is an *[OwnerError], unless the key is
// among gives: those are the agent's to set at this step.
func Yield(work sexpr.Value, sources Sources, delta sexpr.Value, gives []string) (sexpr.Value, error) {
	out := sexpr.EmptyObject()
	for key, v := range Members(delta) {
		owner := sources.owner(key)
		old, set := work.Get(key)
		switch {
		case owner == "" || !set:
			out = out.With(key, v)
		case sexpr.Equal(old, v):
		case !slices.Contains(gives, key):
			return delta, &OwnerError{key, owner}
		default:
			out = out.With(key, v)
		}
	}
	return out, nil
}

// Visible is the part of work that gates see at a step: the keys that the step declares and that
// came from the host, from a person's own words, or from a trusted output. All else is absent.
// More than [MaxVisible] bytes is an error, which gates take for a denial.
func Visible(work sexpr.Value, sources Sources, step *plans.Step) (sexpr.Value, error) {
	out := sexpr.EmptyObject()
	for key, v := range Members(work) {
		if !slices.Contains(step.Uses, key) {
			continue
		}
		switch sources[key] {
		case FromHost, FromPerson, FromTrusted:
			out = out.With(key, v)
		case FromOutput, FromAgent:
		}
	}
	text, err := canonical(out)
	if err != nil {
		return sexpr.EmptyObject(), err
	}
	if n := len(text); n > MaxVisible {
		return sexpr.EmptyObject(), fmt.Errorf("step %s: gates would see %d bytes of work, expected at most %d",
			step.ID, n, MaxVisible)
	}
	return out, nil
}
