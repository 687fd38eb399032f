package desk

import (
	"fmt"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/runs"
	"github.com/opencortex-go/cortex/runs/event"
)

// line is a run in a list.
func line(s *runs.Summary) string {
	if s.Health != "healthy" {
		return fmt.Sprintf("%s  %s\n", s.Session, s.Health)
	}
	at := time.Unix(0, s.At).UTC().Format("2006-01-02 15:04:05Z")
	return fmt.Sprintf("%-26s %-18s %s  %s  %s\n", s.Label, s.Status, at, s.Workflow, oneLine(s.Goal, 60))
}

// oneLine is the beginning of a text, on one line.
func oneLine(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// tree is a run as a person reads it.
func tree(s *runs.Shown) string {
	var b strings.Builder
	fmt.Fprintf(&b, "run       %s (%s)\n", s.Label, s.Run)
	fmt.Fprintf(&b, "workflow  %s\nplan      %s\n", s.Workflow, s.Plan)
	if s.Drift != "" {
		fmt.Fprintf(&b, "drift     the workflow is another today, %s; this run keeps to its plan\n", s.Drift)
	}
	fmt.Fprintf(&b, "goal      %s\nowner     %s\n", oneLine(s.Goal, 100), s.Owner)
	fmt.Fprintf(&b, "mode      %s, %s\n", s.Preferences.Autonomy, s.Preferences.Risk)
	if s.Damage != "" {
		fmt.Fprintf(&b, "DAMAGED   %s: %s\n          what is shown was sound before that; nothing goes on from it\n",
			s.Health, oneLine(s.Damage, 200))
	} else {
		fmt.Fprintf(&b, "status    %s\n", s.Status)
	}
	b.WriteString("\n")
	children := map[string][]*runs.Point{}
	for _, n := range s.Nodes {
		children[n.Parent] = append(children[n.Parent], n)
	}
	if len(s.Nodes) > 0 {
		branch(&b, s, children, children[""][0], "", "")
	}
	for _, g := range s.Gaps {
		state := "open"
		if g.Resolved {
			state = "resolved"
		}
		fmt.Fprintf(&b, "gap %s  %s %s %s: %s\n", g.ID, state, g.Severity, g.Reason, oneLine(g.Summary, 120))
	}
	return b.String()
}

// branch prints a node and what follows it. A chain without forks stays in one column.
func branch(b *strings.Builder, s *runs.Shown, children map[string][]*runs.Point, n *runs.Point, first, rest string) {
	for {
		what := n.Due
		switch {
		case n.Kind == event.CheckpointNode:
			what = "checkpoint"
		case n.Kind == event.BlockedNode:
			what = "blocked at " + n.Due
		case what == "":
			what = "complete"
		}
		mark := ""
		if n.Tip {
			mark = "   <- newest"
		}
		if n.Cause == event.NonTipAdvance {
			mark += "   (went back)"
		}
		fmt.Fprintf(b, "%s%s%s\n", first, what, mark)
		for _, x := range n.Blockers {
			fmt.Fprintf(b, "%s    %s: %s\n", rest, x.Code, oneLine(x.Message, 100))
		}
		for _, x := range n.Notes {
			fmt.Fprintf(b, "%s    %q\n", rest, oneLine(x, 80))
		}
		for _, x := range n.Artifacts {
			fmt.Fprintf(b, "%s    artifact %s\n", rest, x)
		}
		next := children[n.ID]
		if len(next) == 1 {
			n, first = next[0], rest
			continue
		}
		for i, c := range next {
			if i == len(next)-1 {
				branch(b, s, children, c, rest+"└─ ", rest+"   ")
			} else {
				branch(b, s, children, c, rest+"├─ ", rest+"│  ")
			}
		}
		return
	}
}
