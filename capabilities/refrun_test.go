package capabilities

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/act"
)

// refRun takes a plan as the reference has it: what is decided, what is done, and what it comes to.
type refRun struct {
	rules *refRules
	plan  *refPlan
	past  []refCall           // of the session, and what this run adds to it
	asked map[string][]string // by step and bytes: what the yes to the plan covers
	x     string              // work.x
	known bool

	lines []string // decisions and calls, in order
}

func (r *refRun) line(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

// whole judges the plan before its first step. denied names the step that refuses it; asks is whether people
// are asked.
func (r *refRun) whole() (denied string, asks bool) {
	past := slices.Clone(r.past)
	r.asked = map[string][]string{}
	for _, s := range r.plan.steps {
		if s.does.open() {
			past = append(past, refCall{tool: s.does.tool, happened: true})
			continue
		}
		a, _ := s.does.fill(r.plan.id, "", false)
		a, no, who := r.rules.judge(a, s.name, false, past)
		if no {
			return s.name, false
		}
		past = append(past, refCall{tool: a.tool, happened: true, amount: a.amount})
		if len(who) > 0 {
			r.asked[s.name+a.args()], asks = who, true
		}
		if s.undo == nil || s.undo.open() {
			continue
		}
		a, _ = s.undo.fill(r.plan.id, "", false)
		if _, no, _ = r.rules.judge(a, s.name+"/undo", true, past); no {
			return s.name + "/undo", false
		}
	}
	return "", asks
}

// try takes one try of a step. state is how it ended, as the run's log has it; nothing that it certainly did
// not happen.
func (r *refRun) try(a refAction, id string, undo bool, n int) (state, text string, nothing, begun bool) {
	a, no, who := r.rules.judge(a, id, undo, r.past)
	if no {
		r.line("%s/%d deny", id, n)
		return "denied", "", false, false
	}
	does, text, yes, happened := fate(r.plan.id, id, n)
	if mine := r.asked[id+a.args()]; len(who) > 0 && subset(who, mine) {
		r.asked[id+a.args()] = slices.DeleteFunc(mine, func(w string) bool { return slices.Contains(who, w) })
	} else if len(who) > 0 {
		r.line("%s/%d ask", id, n)
		if !yes {
			return "denied", "", false, false
		}
	}
	r.line("%s/%d allow", id, n)
	r.line("%s/%d %s %s", id, n, a.tool, a.args())
	call := refCall{tool: a.tool, happened: true, amount: a.amount}
	if does == act.Unknown { // a person finds out, unless nothing can have changed
		if does, text = act.Nothing, ""; happened && a.tool != "look" {
			does, text = act.Done, "happened, says op"
		}
	}
	switch does {
	case act.Done:
		state = "done"
	case act.Failed:
		state, call.failed = "failed", true
	case act.Nothing:
		state, nothing, call.happened, call.amount = "failed", true, false, 0
	case act.Unknown:
	}
	r.past = append(r.past, call)
	return state, text, nothing, true
}

func subset(some, all []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// run takes all steps, and makes up for them if it has to. It is the status, the steps with what they came to,
// and what was made up for.
func (r *refRun) run() string {
	type taken struct {
		step  refStep
		state string
		undo  bool // there may be something to make up for
	}
	var steps []taken
	broke := ""
	for _, s := range r.plan.steps {
		t := taken{step: s, state: "skipped"}
		if s.when == "" || s.when == r.x {
			t.state, t.undo = r.step(s)
		}
		if steps = append(steps, t); t.state != "done" && t.state != "skipped" {
			broke = s.name
			break
		}
	}
	if broke == "" && (!r.plan.result || r.known) {
		out := []string{"ok"}
		for _, t := range steps {
			out = append(out, t.step.name+" "+t.state)
		}
		return strings.Join(out, ", ")
	}
	status, undone := "refused", map[string]string{}
	for _, t := range slices.Backward(steps) {
		if t.undo {
			status = "partial_failure"
		}
		if t.undo && t.step.undo != nil {
			undone[t.step.name] = r.undo(t.step)
		}
	}
	out := []string{status}
	for _, t := range steps {
		text := t.step.name + " " + t.state
		if u := undone[t.step.name]; u != "" {
			text += " undone " + u
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// step takes a step with its retries.
func (r *refRun) step(s refStep) (state string, begun bool) {
	if s.guard != "" && s.guard != r.x {
		return "failed", false
	}
	a, ok := s.does.fill(r.plan.id, r.x, r.known)
	if !ok {
		return "failed", false
	}
	for n := 1; ; n++ {
		state, text, nothing, begun := r.try(a, s.name, false, n)
		if state == "failed" && n <= s.retries && (nothing || s.idempotent) {
			continue
		}
		if state == "done" && s.out {
			r.x, r.known = text, true
		}
		return state, begun && !nothing
	}
}

// undo makes up for a step, up to three times as long as nothing happens.
func (r *refRun) undo(s refStep) string {
	a, ok := s.undo.fill(r.plan.id, r.x, r.known)
	if !ok {
		return "failed"
	}
	for n := 1; ; n++ {
		state, _, nothing, _ := r.try(a, s.name+"/undo", true, n)
		if !nothing || n == 3 {
			return state
		}
	}
}
