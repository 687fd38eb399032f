// Package recap tells what a run did so far, for an agent that remembers nothing. It is pure.
package recap

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/prompt"
	"github.com/opencortex-go/cortex/runs/fold"
)

// The budgets of what is shown of a run's past, in bytes.
const (
	maxText   = 24576
	maxBehind = 8192 // of what followed the place; the newest notes fit in whole
)

// Between stands between two notes.
const Between = "\n\n---\n\n"

// Text is what a run did before a node: what followed the node already, the functions that the notes of
// that name, the notes on the way to the node, the newest first, and what the workflow points to. due
// is the step that is pending there.
//
// It has at most 24,576 bytes. Where there is too little room the last goes first, and then the oldest
// notes; notes are shown whole or not at all, and those that are not are counted.
func Text(plan *plans.Plan, log *fold.State, node *fold.Node, due advance.Due) string {
	parts := []string{wentBack(log, node), functionsBehind(plan, log, node, due)}
	room := maxText - len(parts[0]) - len(parts[1]) - len("\n\n")*len(parts) - len(noReferences)
	parts = append(parts, pack("**WHAT WAS DONE SO FAR** (newest first)", log.Notes(node, nil), room))
	text := joined(parts...)
	refs := references(plan)
	if len(text)+len("\n\n")+len(refs) > maxText {
		refs = noReferences
	}
	return joined(text, refs)
}

const noReferences = "References are not shown."

// joined joins the parts that are not empty.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n\n")
}

// pack writes as many notes below a head as fit into room bytes, whole and without a hole, and how
// many are not shown. It is "" without notes.
func pack(head string, notes iter.Seq[string], room int) string {
	const omitted = "\n\nOlder notes that are not shown: %d."
	var text strings.Builder
	text.WriteString(head)
	before, shown, all := "\n\n", 0, 0
	for n := range notes {
		if all++; shown == all-1 && text.Len()+len(before)+len(n)+len(omitted)+20 <= room {
			text.WriteString(before)
			text.WriteString(n)
			before = Between
			shown++
		}
	}
	switch {
	case all == 0:
		return ""
	case all > shown:
		fmt.Fprintf(&text, omitted, all-shown)
	}
	return text.String()
}

// wentBack says what followed a place already: how many ways, and the notes of the preferred one.
func wentBack(log *fold.State, node *fold.Node) string {
	ways := len(node.Ways())
	if ways == 0 {
		return ""
	}
	head := fmt.Sprintf("**YOU WENT BACK**: %d way(s) go on from this place already. Handing in an output here makes "+
		"another.", ways)
	notes := pack("Notes of the preferred one, newest first:", log.Notes(log.TipBehind(node), node), maxBehind-len(head))
	return joined(head, notes)
}

// functionsBehind defines the functions that the notes behind a place name, those of the preferred way
// first. Those of the pending step are in its prompt.
func functionsBehind(plan *plans.Plan, log *fold.State, node *fold.Node, due advance.Due) string {
	if due.Step == nil || len(node.Ways()) == 0 {
		return ""
	}
	known := slices.Concat(due.Step.Functions, plan.Functions)
	if due.Loop != nil {
		known = append(known, due.Loop.Functions...)
	}
	var groups [2][]string
	for _, f := range known {
		if slices.Contains(due.Step.FunctionRefs, f.Name) {
			continue
		}
		if group, ok := namedBehind(log, node, f.Name); ok {
			groups[group] = append(groups[group], f.Name)
		}
	}
	return prompt.Functions(plan, due.Loop, due.Step, groups[:]...)
}

// namedBehind says whether the notes behind a place name a function: those of the preferred way, which
// is 0, or of another, which is 1.
func namedBehind(log *fold.State, node *fold.Node, name string) (way int, ok bool) {
	for notes := range log.Notes(log.TipBehind(node), node) {
		if mentions(notes, name) {
			return 0, true
		}
	}
	for n := range log.Behind(node) {
		for notes := range log.Notes(n, n.Parent) {
			if mentions(notes, name) {
				return 1, true
			}
		}
	}
	return 0, false
}

// mentions says whether a name stands in a text as a word.
func mentions(text, name string) bool {
	for {
		before, after, found := strings.Cut(text, name)
		if !found {
			return false
		}
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(after)
		if !ofName(last) && !ofName(next) {
			return true
		}
		text = after
	}
}

func ofName(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }

// references are what the workflow points to.
func references(plan *plans.Plan) string {
	var lines []string
	for _, ref := range plan.References {
		lines = append(lines, fmt.Sprintf("- %s: %s", ref.Title, ref.Source))
	}
	if len(lines) == 0 {
		return ""
	}
	return "**REFERENCES**\n" + strings.Join(lines, "\n")
}
