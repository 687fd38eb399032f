package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

func sorted(m map[string]*domain) []string { return slices.Sorted(maps.Keys(m)) }

// look looks for all that may be wrong with one clause. What is dead needs no other
// finding.
func (l *linter) look(i int) {
	c := &l.clauses[i]
	l.words(c)
	l.patterns(c)
	if l.never(c) {
		return
	}
	l.ever(c)
	l.optional(c)
	l.inVain(c)
}

// compare holds a clause against those before it.
func (l *linter) compare(i int) {
	c, told := &l.clauses[i], map[string]bool{}
	if !c.alive || c.Kind == "definvariant" {
		return
	}
	for j := range l.clauses[:i] {
		d := &l.clauses[j]
		if !l.work(0) {
			return
		}
		if apart(c, d) || !d.alive || told[d.Kind] {
			continue
		}
		told[d.Kind] = l.pair(d, c, l.rewrites(j, i))
	}
}

// rewrites reports whether a clause between two may change the action.
func (l *linter) rewrites(j, i int) bool {
	return slices.ContainsFunc(l.clauses[j:i], func(c clause) bool { return c.Kind == "rewrite" })
}

// never finds a clause that no action meets.
func (l *linter) never(c *clause) bool {
	if !l.impossible(c.whole()) {
		return false
	}
	c.alive = false
	around, ok := l.ways(c.trigger)
	if w := l.first(c, passes, l.witnesses(around, true)); ok && w != nil {
		text := "no action meets the condition of " + c.ID
		if c.Kind == "definvariant" {
			text = "every action keeps " + c.ID + ", so it denies nothing"
		}
		l.report(c, c.field("when").Pos(), dead, text,
			"the parts of the condition exclude each other, or the schema excludes them: change one", w)
	}
	return true
}

// ever finds a condition that every action meets.
func (l *linter) ever(c *clause) {
	if c.plain || !l.impossible(call("and", c.trigger, call("not", c.when))) {
		return
	}
	around, _ := l.ways(c.trigger)
	if w := l.first(c, applies, l.witnesses(around, true)); w != nil {
		l.report(c, c.field("when").Pos(), always, "every action that "+c.ID+" is asked about meets its condition",
			"leave :when out if that is meant, or change the condition", w)
	}
}

// optional finds reads of arguments that a call may leave out.
func (l *linter) optional(c *clause) {
	ways, ok := l.ways(c.trigger)
	if !ok {
		return
	}
	told := map[string]bool{}
	for _, w := range ways {
		tool, declared := l.book.Tool(w.tool)
		if !declared {
			continue
		}
		for _, read := range arguments(c.when) {
			if name := read.Text(); !told[name] && optionalIn(tool, name[len("action.args."):]) {
				told[name] = l.without(c, w, tool, read)
			}
		}
	}
}

func optionalIn(t *skills.Tool, name string) bool {
	return !slices.Contains(t.Required, name) &&
		slices.ContainsFunc(t.Params, func(p skills.Param) bool { return p.Name == name })
}

// without tries a call that leaves only one argument out.
func (l *linter) without(c *clause, w way, tool *skills.Tool, read sexpr.Value) bool {
	whole := l.try(tool.Name, given(tool, w.model, true))
	if whole == nil || l.ask(c, whole) == errs {
		return false
	}
	bare := w.model
	bare.values = maps.Clone(w.values)
	bare.values[read.Text()] = &domain{absent: true}
	r := l.try(tool.Name, given(tool, bare, true))
	if r == nil || l.ask(c, r) != errs {
		return false
	}
	l.report(c, read.Pos(), missing,
		fmt.Sprintf("%s reads %s, which a call of %s may leave out: then it is an error and counts against the action",
			c.ID, read, tool.Name), fmt.Sprintf("ask (has? %s) first, or read (get %s DEFAULT)", read, read), r)
	return true
}

// inVain finds an allow for tools whose tier has decided already.
func (l *linter) inVain(c *clause) {
	ways, ok := l.ways(c.whole())
	if c.Kind != "allow" || !ok || len(ways) == 0 {
		return
	}
	for _, w := range ways {
		t, declared := l.book.Tool(w.tool)
		if !declared || t.Tier == skills.TierAsk {
			return
		}
	}
	tool, _ := l.book.Tool(ways[0].tool)
	tries := l.witnesses(ways, false)
	if len(tries) == 0 {
		return
	}
	w := l.first(c, applies, tries)
	if w == nil {
		w = tries[0]
	}
	l.report(c, c.Pos, vain, fmt.Sprintf("the tier of %s is :%s, so %s changes nothing", tool.Name, tool.Tier, c.ID),
		"give the tool the tier :ask, or leave the clause out", w)
}

// pair compares a clause with an earlier one. It reports whether it found something.
func (l *linter) pair(d, c *clause, rewritten bool) bool {
	unconditional := d.plain && (d.trigger.IsSym("t") || d.trigger.String() == c.trigger.String())
	switch {
	case rewritten && !unconditional && c.Kind != "rewrite":
		return false
	case d.Kind == "deny", d.Kind == "allow" && c.Kind == "allow":
		return l.covers(d, c) && l.shadow(d, c)
	case c.Kind == "allow" && d.Kind == "ask":
		return l.covers(d, c) && l.against(c, d)
	case d.Kind == "allow" && (c.Kind == "ask" || c.Kind == "deny"):
		return l.covers(c, d) && l.against(d, c)
	case d.Kind == "ask" && c.Kind == "ask":
		return sameSlot(d, c) && (l.covers(d, c) || l.covers(c, d)) && l.twice(d, c, "asks the question of "+d.ID+
			" a second time", "make one clause of both, or make the conditions exclude each other")
	case d.Kind == "rewrite" && c.Kind == "rewrite":
		return collide(d.field("set"), c.field("set")) && l.twice(d, c, "sets what "+d.ID+" has set to another value",
			"make the conditions exclude each other")
	}
	return false
}

func sameSlot(a, b *clause) bool {
	return !slices.ContainsFunc([]string{"approvers", "quorum", "not-user"}, func(k string) bool {
		return !sexpr.Equal(a.field(k), b.field(k))
	})
}

// collide reports whether two plists set one argument to different constants.
func collide(a, b sexpr.Value) bool {
	for i := 0; i+1 < a.Len(); i += 2 {
		x := a.Items()[i+1]
		y, ok := b.Get(a.Items()[i].Text())
		_, constant := literal(x)
		_, too := literal(y)
		if ok && constant && too && !same(x, y) {
			return true
		}
	}
	return false
}

// shadow reports a clause that an earlier one forestalls.
func (l *linter) shadow(d, c *clause) bool {
	ways, _ := l.ways(c.whole())
	for _, w := range l.witnesses(ways, true) {
		if l.ask(d, w) == applies && w.decision.Key != c.ID {
			what := "decides every action that " + c.ID + " applies to"
			if d.Kind == "allow" {
				what = "allows every action that " + c.ID + " allows"
			}
			l.report(c, c.Pos, shadowed, fmt.Sprintf("%s (line %d) %s", d.ID, d.Pos.Line, what),
				"put the narrower clause first, or leave it out", w)
			return true
		}
	}
	return false
}

// against reports an allow that another clause overrules wherever it applies.
func (l *linter) against(allow, other *clause) bool {
	ways, _ := l.ways(allow.whole())
	for _, w := range l.witnesses(ways, true) {
		if l.ask(allow, w) == applies && l.ask(other, w) == applies && w.decision.Kind != reason.Allow {
			l.report(allow, allow.Pos, contradictory,
				fmt.Sprintf("%s (line %d) overrules %s wherever it applies", other.ID, other.Pos.Line, allow.ID),
				"leave one of them out, or make the conditions exclude each other", w)
			return true
		}
	}
	return false
}

// twice reports two clauses that apply to one action and should not.
func (l *linter) twice(d, c *clause, what, right string) bool {
	ways, ok := l.ways(call("and", c.trigger, c.when, d.trigger, d.when))
	if !ok {
		return false
	}
	for _, w := range l.witnesses(ways, false) {
		if l.ask(d, w) == applies && l.ask(c, w) == applies && (c.Kind != "rewrite" || w.rewrote(d.ID) && w.rewrote(c.ID)) {
			l.report(c, c.Pos, overlapping, c.ID+" "+what, right, w)
			return true
		}
	}
	return false
}
