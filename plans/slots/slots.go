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
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/plans"
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
	out, faults := Put(args, lookIn(seen))
	return out, reasons(step, faults)
}

// FillText fills the slots in a text that a person reads: a question, or one of its choices. A text
// that is one slot takes a text, a number or a truth value. A longer one takes what a longer
// argument takes, so that no value adds a sentence to what the plan asks. With reasons the text is
// empty.
func FillText(step *plans.Step, text string, seen sexpr.Value) (string, []state.Reason) {
	f := &filler{look: lookIn(seen)}
	all := plans.Slots(text)
	var out string
	if whole(text, all) {
		out, _ = f.text(all[0])
	} else {
		out = f.longer(text, all)
	}
	if len(f.faults) > 0 {
		return "", reasons(step, f.faults)
	}
	return out, nil
}

// Look returns what a slot takes, and whether anything does.
type Look func(plans.Slot) (sexpr.Value, bool)

// Fault says why a slot cannot be filled.
type Fault struct {
	Slot  plans.Slot
	Unset bool   // nothing stands at its path
	Text  string // otherwise: what is wrong with its value, which is not quoted: it may be a secret
	Fix   string // what may stand there; "" if nothing does, as in a command that takes no values
}

// Put fills the slots in args with what look finds. The faults say why it cannot, one for each
// name; with faults the value is nil.
func Put(args sexpr.Value, look Look) (sexpr.Value, []Fault) {
	f := &filler{look: look}
	out := f.value("", args)
	if len(f.faults) > 0 {
		return sexpr.Nil(), f.faults
	}
	return out, nil
}

// lookIn finds slots in work. What is null counts as unset.
func lookIn(work sexpr.Value) Look {
	return func(s plans.Slot) (sexpr.Value, bool) {
		v := plans.Lookup(work, s.Path)
		return v, !v.IsSym("null")
	}
}

// filler is one call of Put.
type filler struct {
	look   Look
	faults []Fault
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
	before := len(f.faults)
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
		if len(f.faults) == before && facts.SlotDots(b.String(), places[i]) {
			f.invalid(s, "makes .. with what stands beside it", fixLetters)
		}
	}
	return b.String()
}

// command fills a command line.
func (f *filler) command(line string, all []plans.Slot) string {
	slotted, err := plans.SlottedCommand(line, all)
	if err != nil {
		f.add(Fault{Slot: all[0], Text: err.Error()})
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

// What values may be, by where their slots stand.
const (
	fixLetters = "a word of letters, digits, ., _ and -, without two dots in a row"
	fixWord    = "a short text without NUL that does not begin with -"
	fixText    = "a text, a number, true or false"
)

// lookup is what a slot takes, and whether anything does.
func (f *filler) lookup(s plans.Slot) (sexpr.Value, bool) {
	v, ok := f.look(s)
	if !ok {
		f.add(Fault{Slot: s, Unset: true})
	}
	return v, ok
}

// text is what a slot takes, as text, and whether it has one.
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

func (f *filler) invalid(s plans.Slot, why, fix string) { f.add(Fault{Slot: s, Text: why, Fix: fix}) }

// add takes one fault down for each name.
func (f *filler) add(x Fault) {
	if !slices.ContainsFunc(f.faults, func(old Fault) bool { return old.Slot.Name == x.Slot.Name }) {
		f.faults = append(f.faults, x)
	}
}
