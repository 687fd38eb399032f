// Package slots puts work into the arguments of tool steps, and into what person steps ask.
//
// A slot that is a whole argument takes any value, as the value that it is. A slot in a longer text
// takes letters, digits, dots, underscores and dashes, never two dots in a row. In a command line a
// slot that is a whole word takes any text without NUL that does not begin with -: it is quoted, and
// the line keeps the words that the plan wrote. What a program makes of its words is its own affair:
// ssh hands them to another shell, and awk runs one as a script. Gates judge the line as it is then.
//
// What is filled in is never looked at again for slots. Each unset key blocks, whether the step
// declares it or not: unlike a prompt, a call has no reader who could tell that something is
// missing.
package slots

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts"
)

// Fill fills the slots in args, the arguments of a tool step, from work as the step sees it. The
// reasons say why it cannot, one for each key: [state.MissingContext] where the key is unset, and
// [state.InvalidContext] where its value may not stand there. A command whose slots no value fits
// is [state.InvariantViolation]: [plans.Compile] makes no such plan. With reasons there are no
// arguments, and the value is nil.
func Fill(step *plans.Step, args, seen sexpr.Value) (sexpr.Value, []state.Reason) {
	f := &filler{step: step, seen: seen}
	out := f.value("", args)
	if len(f.reasons) > 0 {
		return sexpr.Nil(), f.reasons
	}
	return out, nil
}

// FillText fills the slots in a text that a person reads: a question, or one of its choices. A text
// that is one slot takes a text, a number or a truth value. A longer one takes what a longer
// argument takes, so that no value adds a sentence to what the plan asks. With reasons the text is
// empty.
func FillText(step *plans.Step, text string, seen sexpr.Value) (string, []state.Reason) {
	f := &filler{step: step, seen: seen}
	all := plans.Slots(text)
	var out string
	if whole(text, all) {
		out, _ = f.text(all[0])
	} else {
		out = f.longer(text, all)
	}
	if len(f.reasons) > 0 {
		return "", f.reasons
	}
	return out, nil
}

// filler is one call of Fill.
type filler struct {
	step    *plans.Step
	seen    sexpr.Value
	reasons []state.Reason
}

// value fills an argument of that name, or what stands in one.
func (f *filler) value(name string, v sexpr.Value) sexpr.Value {
	switch {
	case v.IsPlist():
		items := slices.Clone(v.Items())
		for i := 0; i+1 < len(items); i += 2 {
			items[i+1] = f.value(items[i].Text(), items[i+1])
		}
		return sexpr.ListOf(items...)
	case v.Kind() == sexpr.List && !v.IsNil():
		items := slices.Clone(v.Items())
		for i := range items {
			items[i] = f.value("", items[i])
		}
		return sexpr.ListOf(items...)
	case v.Kind() != sexpr.String:
		return v
	}
	all := plans.Slots(v.Text())
	switch {
	case len(all) == 0:
		return v
	case plans.CommandArg(name):
		return sexpr.Str(f.command(v.Text(), all))
	case whole(v.Text(), all):
		found, _ := f.lookup(all[0])
		return found
	}
	return sexpr.Str(f.longer(v.Text(), all))
}

// whole reports whether a text is one slot.
func whole(text string, all []plans.Slot) bool {
	return len(all) == 1 && all[0].Start == 0 && all[0].End == len(text)
}

// longer fills a text that is more than a slot.
func (f *filler) longer(text string, all []plans.Slot) string {
	var b strings.Builder
	at, places := 0, make([]facts.LineSlot, len(all))
	before := len(f.reasons)
	for i, s := range all {
		b.WriteString(text[at:s.Start])
		places[i].Start = b.Len()
		if value, ok := f.text(s); ok && !facts.SlotLetters(value) {
			f.invalid(s, "is not made of letters, digits, ., _ and -", fixLetters)
		} else {
			b.WriteString(value)
		}
		places[i].End, at = b.Len(), s.End
	}
	b.WriteString(text[at:])
	for i, s := range all {
		if len(f.reasons) == before && facts.SlotDots(b.String(), places[i]) {
			f.invalid(s, "makes .. with what stands beside it", fixLetters)
		}
	}
	return b.String()
}

// command fills a command line.
func (f *filler) command(line string, all []plans.Slot) string {
	slotted, err := plans.SlottedCommand(line, all)
	if err != nil {
		f.add(state.Reason{Code: state.InvariantViolation, Pointer: state.Pointer{Kind: state.AtStep, StepID: f.step.ID},
			Message: fmt.Sprintf("The plan has a command in step %s that takes no values: %v", f.step.ID, err)})
		return ""
	}
	values := make([]string, len(all))
	known := true
	for i, s := range all {
		var ok bool
		values[i], ok = f.text(s)
		known = known && ok
	}
	if !known {
		return ""
	}
	filled, err := slotted.Fill(values)
	var refused *facts.SlotError
	switch {
	case err == nil:
		return filled
	case !errors.As(err, &refused):
		refused = &facts.SlotError{Why: err.Error()}
	}
	fix := fixLetters
	if slotted.Whole(refused.Slot) {
		fix = fixWord
	}
	f.invalid(all[refused.Slot], refused.Why, fix)
	return ""
}

const (
	fixLetters = "Send letters, digits, ., _ and - as the context key %s: at least one, and no .."
	fixWord    = "Send a short text without NUL that does not begin with - as the context key %s."
	fixText    = "Send a text, a number, true or false as the context key %s."
)

// lookup is what stands at the path of a slot, and whether anything does.
func (f *filler) lookup(s plans.Slot) (sexpr.Value, bool) {
	v := plans.Lookup(f.seen, s.Path)
	if v.IsSym("null") {
		f.add(state.Reason{Code: state.MissingContext, Pointer: at(s),
			Message: fmt.Sprintf("Step %s fills in {{%s}}, which is not set.", f.step.ID, s.Path),
			Fix:     fmt.Sprintf("Send the context key %s.", s.Path)})
		return v, false
	}
	return v, true
}

// text is what stands at the path of a slot, as text, and whether it has one.
func (f *filler) text(s plans.Slot) (string, bool) {
	v, ok := f.lookup(s)
	if !ok {
		return "", false
	}
	switch {
	case v.Kind() == sexpr.String:
		return v.Text(), true
	case v.IsSym("t"), v.IsSym("false"), v.Kind() == sexpr.Int, v.Kind() == sexpr.Float:
		if text, err := sexpr.ToJSON(v); err == nil {
			return string(text), true
		}
	}
	f.invalid(s, "is "+work.Kind(v), fixText)
	return "", false
}

func at(s plans.Slot) state.Pointer { return state.Pointer{Kind: state.AtContextKey, Key: s.Path} }

// invalid says that a value may not stand in a slot. It does not quote the value: it may be a secret.
func (f *filler) invalid(s plans.Slot, why, fix string) {
	f.add(state.Reason{Code: state.InvalidContext, Pointer: at(s),
		Message: fmt.Sprintf("Step %s fills in {{%s}}, and its value %s.", f.step.ID, s.Path, why),
		Fix:     fmt.Sprintf(fix, s.Path)})
}

// add takes one reason down for each key.
func (f *filler) add(r state.Reason) {
	r.Message, r.Fix = canon.Truncate(r.Message, state.MaxMessage), canon.Truncate(r.Fix, state.MaxFix)
	if !slices.ContainsFunc(f.reasons, func(old state.Reason) bool { return old.Pointer == r.Pointer }) {
		f.reasons = append(f.reasons, r)
	}
}
