package author

import (
	"strings"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Coverage says which clauses and invariants the examples show.
type Coverage struct {
	Clauses  int // all clauses and invariants
	Applied  int // those that some example is decided or changed by
	Outcomes int // two for each that has a condition, one for each that has none
	Shown    int // those that some example shows
	Missing  []Missing
}

// Missing is an outcome that no example shows.
type Missing struct {
	Rule    rules.Rule
	Applies bool // it applies nowhere; false: it passes nowhere
}

// Percent is what part of whole is, rounded down; 100 of nothing.
func Percent(part, whole int) int {
	if whole == 0 {
		return 100
	}
	return 100 * part / whole
}

// outcomes are what the clauses of all examples said, by their key.
type outcomes map[string]struct{ applied, passed bool }

// note takes down what each gate said. An error is neither outcome.
func (o outcomes) note(d *reason.Decision) {
	errs := map[string]bool{}
	for _, r := range d.Reasons {
		errs[strings.TrimSuffix(r.Key, "/error")] = strings.HasSuffix(r.Key, "/error")
	}
	for _, s := range d.Trace {
		x := o[s.Gate]
		switch s.Outcome {
		case reason.Passed:
			x.passed = x.passed || s.Note == ""
		case reason.Vouched, reason.Rewrote, reason.Asked, reason.Denied:
			x.applied = x.applied || !errs[s.Gate]
		case reason.Failed, reason.Noted:
		}
		o[s.Gate] = x
	}
}

func (o outcomes) coverage(book *rules.Rulebook) (c Coverage) {
	for _, r := range book.Rules() {
		seen := o[r.ID]
		c.Clauses++
		c.Outcomes++
		if seen.applied {
			c.Applied++
			c.Shown++
		} else {
			c.Missing = append(c.Missing, Missing{r, true})
		}
		if _, ok := condition(r); !ok {
			continue
		}
		c.Outcomes++
		if seen.passed {
			c.Shown++
		} else {
			c.Missing = append(c.Missing, Missing{r, false})
		}
	}
	return c
}
