package record

import (
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/sexpr"
)

// Step names one try at a step of a run.
type Step struct {
	Root uint64 // the root signal of the run
	ID   string // of the step
	Try  string
}

// Valid returns what is wrong with the names, which are parts of keys.
func (s Step) Valid() error {
	if s.Root == 0 || s.ID == "" || s.Try == "" {
		return errors.New("a try at a step of a run has the run's root, a step and a name")
	}
	return Named("step or try", s.ID, s.Try)
}

// Value is the step as records of decisions and intents have it. Its root stands beside it.
func (s Step) Value() sexpr.Value {
	return sexpr.Plist("id", sexpr.Str(s.ID), "try", sexpr.Str(s.Try))
}

// StepFrom reads the step in the body of a decision or an intent. ok is false if it is none of a run.
func StepFrom(body sexpr.Value) (s Step, ok bool) {
	v, ok := body.Get("step")
	return Step{Root: seqIn(body, "root"), ID: v.GetText("id"), Try: v.GetText("try")}, ok
}

// Tried is how a try stands.
type Tried struct {
	Decision uint64 // the newest
	Approval string // the token of the card that it made or joined; "" for none
	Intent   uint64 // the intent of the try, with a receipt or not; 0 for none
	Receipt  uint64 // its last receipt; 0 for none
}

// TriedAt reads how a try stands. It returns the zero Tried if none is on record.
func TriedAt(r Reader, s Step) (Tried, error) {
	v, ok, err := GetPlist(r, TableTry.Key(s.Root, s.ID, s.Try))
	if err != nil || !ok {
		return Tried{}, err
	}
	in := plist.NewReader(v, "try")
	t := Tried{in.Seq("decision"), in.Text("approval"), in.Seq("intent"), in.Seq("receipt")}
	if err := in.Err(); err != nil {
		return Tried{}, fmt.Errorf("step %s, try %s: %w", s.ID, s.Try, err)
	}
	return t, nil
}

// Value is what [TableTry] has.
func (t Tried) Value() sexpr.Value {
	var b plist.Builder
	b.Int("decision", int64(t.Decision))
	b.Text("approval", t.Approval)
	b.Int("intent", int64(t.Intent))
	b.Int("receipt", int64(t.Receipt))
	return b.Done()
}
