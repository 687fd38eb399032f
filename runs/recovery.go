package runs

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/prompt"
	"github.com/opencortex-go/cortex/runs/fold"
)

// The budgets of what is shown of a run's past, in bytes.
const (
	maxRecovery = 24576
	maxBehind   = 8192 // of what followed the place; the newest notes fit in whole
)

// between stands between two notes.
const between = "\n\n---\n\n"

// recovery is what a run did so far, for an agent that remembers nothing: what followed the place
// already, the functions that is about, the notes on the way to the place, the newest first, and what
// the workflow points to. Where there is too little room the last goes first, and then the oldest
// notes; notes are shown whole or not at all.
func recovery(p *place, due advance.Due) string {
	parts := []string{wentBack(p.log, p.node), functionsBehind(p, due)}
	room := maxRecovery - len(parts[0]) - len(parts[1]) - len("\n\n")*len(parts) - len(noReferences)
	parts = append(parts, pack("**WHAT WAS DONE SO FAR** (newest first)", p.log.Notes(p.node, nil), room))
	text := joined(parts...)
	refs := references(p)
	if len(text)+len("\n\n")+len(refs) > maxRecovery {
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
	text, before, shown, all := head, "\n\n", 0, 0
	for n := range notes {
		if all++; shown == all-1 && len(text)+len(before)+len(n)+len(omitted)+20 <= room {
			text, before = text+before+n, between
			shown++
		}
	}
	switch {
	case all == 0:
		return ""
	case all > shown:
		return text + fmt.Sprintf(omitted, all-shown)
	}
	return text
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
func functionsBehind(p *place, due advance.Due) string {
	if due.Step == nil || len(p.node.Ways()) == 0 {
		return ""
	}
	known := slices.Concat(due.Step.Functions, p.plan.Functions)
	if due.Loop != nil {
		known = append(known, due.Loop.Functions...)
	}
	var groups [2][]string
	for _, f := range known {
		if slices.Contains(due.Step.FunctionRefs, f.Name) {
			continue
		}
		if group, ok := namedBehind(p.log, p.node, f.Name); ok {
			groups[group] = append(groups[group], f.Name)
		}
	}
	return prompt.Functions(p.plan, due.Loop, due.Step, groups[:]...)
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
func references(p *place) string {
	var lines []string
	for _, ref := range p.plan.References {
		lines = append(lines, fmt.Sprintf("- %s: %s", ref.Title, ref.Source))
	}
	if len(lines) == 0 {
		return ""
	}
	return "**REFERENCES**\n" + strings.Join(lines, "\n")
}
