package plans

import (
	"regexp"
	"strings"

	"github.com/opencortex-go/cortex/skills/facts"
)

// Slot is a place in a text that takes the value of a key of work: {{path}}, or {{work.path}}.
type Slot struct {
	Start, End int    // bytes of the text, End not included
	Path       string // as [Lookup] takes it
	Name       string // as it is written, "work." included
}

var slot = regexp.MustCompile(`\{\{\s*([A-Za-z_][A-Za-z0-9_.-]*)\s*\}\}`)

// Slots are the slots of a text, in order.
func Slots(text string) (all []Slot) {
	for _, m := range slot.FindAllStringSubmatchIndex(text, -1) {
		path := text[m[2]:m[3]]
		if path != "work." {
			path = strings.TrimPrefix(path, "work.")
		}
		all = append(all, Slot{m[0], m[1], path, text[m[2]:m[3]]})
	}
	return all
}

// FillSlots puts something into each slot of a text, once: what it puts in is not looked at again.
func FillSlots(text string, in func(Slot) string) string {
	var b strings.Builder
	at := 0
	for _, s := range Slots(text) {
		b.WriteString(text[at:s.Start])
		b.WriteString(in(s))
		at = s.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// CommandArg reports whether an argument of that name is a command line. The shell tool calls it
// cmd, and coding agents call it command. A plan goes by the name because it must fill its slots
// in the same way wherever it runs, and which tools there are is the host's own.
func CommandArg(name string) bool { return name == "cmd" || name == "command" }

// SlottedCommand reads a command line with slots. The error says which slot cannot stand where it
// does, see [facts.ReadSlotted].
func SlottedCommand(line string, all []Slot) (*facts.SlottedLine, error) {
	places := make([]facts.LineSlot, len(all))
	for i, s := range all {
		places[i] = facts.LineSlot{Start: s.Start, End: s.End}
	}
	return facts.ReadSlotted(line, places)
}
