package mine

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// The most that a candidate takes from what was observed.
const (
	maxFacts    = 8 // preconditions
	maxKeywords = 5
	minKeyword  = 4 // letters
)

// observed takes in what held in all traces: preconditions, environments, words of the user's
// and times.
func (p *plan) observed(g *gram, all [][]*call) {
	var took []int64
	envs := map[string]bool{}
	for _, calls := range all {
		took = append(took, calls[len(calls)-1].ended-calls[0].began)
		if env := calls[0].board.env; env != "" {
			envs[env] = true
		}
	}
	p.ms = atLeast(percentile(took), 1000)
	if len(envs) == 1 {
		p.env = slices.Collect(maps.Keys(envs))
	}
	first := all[0][0].board.facts
	for _, name := range slices.Sorted(maps.Keys(first)) {
		same := slices.IndexFunc(all, func(calls []*call) bool { return calls[0].board.facts[name] != first[name] }) < 0
		if same && plainPath(name) && len(p.facts) < maxFacts && len(first[name]) <= maxOut {
			a := argument{text: first[name], kind: all[0][0].board.kinds[name]}
			p.facts = append(p.facts, fact{name, a.valueOf()})
		}
	}
	p.keywords = keywords(g)
}

// keywords are the longest words that the user had said in every trace, in their order.
func keywords(g *gram) []string {
	count := map[string]int{}
	for _, at := range g.at {
		seen := map[string]bool{}
		for _, w := range strings.Fields(fold(at.t.user)) {
			w = strings.Trim(w, ".,;:!?\"'()")
			if plainWord.MatchString(w) && len(w) >= minKeyword && !seen[w] {
				seen[w] = true
				count[w]++
			}
		}
	}
	var out []string
	for w, n := range count {
		if n == len(g.at) {
			out = append(out, w)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	out = out[:min(len(out), maxKeywords)]
	slices.Sort(out)
	return out
}

// percentile is the 95th of some durations in nanoseconds, in milliseconds: the least that 95 of
// 100 do not exceed.
func percentile(ns []int64) int64 {
	slices.Sort(ns)
	at := (len(ns)*95+99)/100 - 1
	return (ns[at] + 999_999) / 1e6
}

// atLeast rounds milliseconds up to hundreds.
func atLeast(ms, least int64) int64 { return max(least, (ms+99)/100*100) }

// plainPath reports whether a way into facts or a result is one that a slot can have.
func plainPath(path string) bool {
	return path != "" && slices.IndexFunc(strings.Split(path, "."), func(part string) bool {
		return !plainName.MatchString(part)
	}) < 0
}

// slotName names a slot after the option before it or, without one, after its argument.
func slotName(path string, before []string) string {
	name := path[strings.LastIndexByte(path, '.')+1:]
	if n := len(before); n > 0 && strings.HasPrefix(before[n-1], "--") && len(before[n-1]) > 3 {
		name = strings.TrimPrefix(before[n-1], "--")
	}
	if _, err := strconv.Atoi(name); err == nil || !plainName.MatchString(name) || strings.HasPrefix(name, "_") {
		return "value"
	}
	return name
}

// kindOf is the type of an input that had these values.
func kindOf(values []string) string {
	is := func(ok func(string) bool) bool {
		return slices.IndexFunc(values, func(v string) bool { return !ok(v) }) < 0
	}
	switch {
	case is(func(v string) bool { return strings.HasPrefix(v, "https://") || strings.HasPrefix(v, "http://") }):
		return "url"
	case is(func(v string) bool { _, err := strconv.ParseInt(v, 10, 64); return err == nil && v[0] != '+' }):
		return "integer"
	}
	return "string"
}

// valueOf is an argument as it stands in the plan.
func (a argument) valueOf() sexpr.Value {
	if a.kind == sexpr.String || strings.Contains(a.text, "{{") {
		return sexpr.Str(a.text)
	}
	if v, err := sexpr.Read("argument", a.text); err == nil {
		return v
	}
	return sexpr.Str(a.text)
}
