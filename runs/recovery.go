package runs

import (
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
)

// The budgets of what is shown of a run's past, in bytes.
const (
	maxRecovery = 24576
	maxBranch   = 4096 // of other branches, and of what came behind the place
)

// recovery is what a run did so far, for an agent that remembers nothing: other ways from this
// place, the notes on the way to it, the newest first, and what the workflow points to. The last
// goes first where there is too little room; notes are shown whole or not at all.
func (r *Runs) recovery(p *place) string {
	parts := []string{behind(p)}
	room := maxRecovery - len(parts[0]) - 1024
	if notes, omitted := p.log.Recap(p.node, room); len(notes)+omitted > 0 {
		text := "**WHAT WAS DONE SO FAR** (newest first)\n\n" + strings.Join(notes, "\n\n---\n\n")
		if omitted > 0 {
			text += fmt.Sprintf("\n\nOlder notes that are not shown: %d.", omitted)
		}
		parts = append(parts, text)
	}
	text := strings.TrimSpace(strings.Join(parts, "\n\n"))
	if refs := references(p); len(text)+2+len(refs) <= maxRecovery {
		text = strings.TrimSpace(text + "\n\n" + refs)
	} else {
		text += "\n\nReferences are not shown."
	}
	return canon.Truncate(text, maxRecovery)
}

// behind says what came of this place already: other branches, and the notes of the newest.
func behind(p *place) string {
	var children []*fold.Node
	for _, n := range p.log.Nodes() {
		if n.Parent == p.node && n.Kind != event.CheckpointNode {
			children = append(children, n)
		}
	}
	if len(children) == 0 {
		return ""
	}
	text := fmt.Sprintf("**YOU WENT BACK**: %d way(s) go on from this place already. Handing in an output here makes another.",
		len(children))
	tip := p.log.Tip()
	var notes []string
	for at := tip; at != nil && at != p.node; at = at.Parent {
		for _, o := range p.log.Current(at, event.Recap) {
			notes = append(notes, o.Payload.Notes)
		}
		if at.Parent == p.node && len(notes) > 0 {
			text += "\n\nNotes of the newest of them, newest first:\n\n" + strings.Join(notes, "\n\n---\n\n")
		}
	}
	return canon.Truncate(text, maxBranch)
}

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
