package plans

import (
	"errors"
	"strings"

	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts"
)

// arguments checks the slots in the arguments of a tool, so that no run fails later because of what
// is written here: names have none, and in a command they stand where a value can be put.
type arguments struct {
	*compiler
	step string
	at   sexpr.Pos // of the step; of what a template puts in place, which stands in another file
	own  bool      // texts have places of their own
}

func (a arguments) check(name string, v sexpr.Value) {
	at := a.at
	if a.own && v.Pos().Line > 0 {
		at = v.Pos()
	}
	switch {
	case v.IsPlist():
		items := v.Items()
		for i := 0; i+1 < len(items); i += 2 {
			key := items[i].Text()
			if len(Slots(key)) > 0 {
				a.Add(at, nil, "step %s: the name of the argument %q has a slot: only values have slots", a.step, key)
			}
			a.check(key, items[i+1])
		}
	case v.Kind() == sexpr.List:
		for _, item := range v.Items() {
			a.check("", item)
		}
	case v.Kind() == sexpr.String:
		if i := strings.Index(v.Text(), "{{wr."); i >= 0 {
			a.Add(at, nil, "step %s: nothing fills %q", a.step, canon.Truncate(v.Text()[i:], 60))
		} else if all := Slots(v.Text()); CommandArg(name) && len(all) > 0 {
			a.command(v.Text(), all, at)
		}
	}
}

func (a arguments) command(line string, all []Slot, at sexpr.Pos) {
	_, err := SlottedCommand(line, all)
	var misplaced *facts.SlotError
	switch {
	case errors.As(err, &misplaced):
		s := all[misplaced.Slot]
		a.Add(at, err, "step %s: in its command, byte %d, %s %s", a.step, s.Start+1, line[s.Start:s.End], misplaced.Why)
	case err != nil:
		a.Add(at, err, "step %s: its command cannot take values: %s", a.step, err)
	}
}
