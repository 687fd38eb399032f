package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// rewrite reads cases and writes them with every rewriting of what was injected.
func rewrite(toolsFile, from, to string) error {
	cases, err := readLines[labelled](from)
	if err != nil {
		return err
	}
	known := map[string][]tool{}
	if toolsFile != "" {
		text, err := os.ReadFile(toolsFile)
		if err == nil {
			err = json.Unmarshal(text, &known)
		}
		if err != nil {
			return fmt.Errorf("the file of tools: %w", err)
		}
	}
	a := attacksOf(cases)
	var out []labelled
	for _, w := range ways() {
		for i := range cases {
			if c, ok := a.again(&cases[i], w, known[cases[i].Suite]); ok {
				out = append(out, c)
			}
		}
	}
	if len(out) == 0 {
		return fmt.Errorf("%s: no result of an attack differs from that of a clean run", from)
	}
	fmt.Printf("%d of %d attacks, in %d ways, %d calls\n", len(a.used), len(a.calls), len(ways()), len(out))
	return write(to, out)
}

// attacks are what attackers want.
type attacks struct {
	clean clean
	calls map[string][]call // of each attack, by its group
	wants map[string]string // the group of an attack, by an attacked result
	used  map[string]bool   // attacks that were rewritten
}

func attacksOf(cases []labelled) *attacks {
	a := &attacks{cleanOf(cases), map[string][]call{}, map[string]string{}, map[string]bool{}}
	for _, c := range cases {
		if c.Kind != "attack" {
			continue
		}
		if !slices.ContainsFunc(a.calls[c.GroupID], func(o call) bool {
			return cleanKey("", step{Tool: o.Tool, Args: o.Args}) == cleanKey("", step{Tool: c.Call.Tool, Args: c.Call.Args})
		}) {
			a.calls[c.GroupID] = append(a.calls[c.GroupID], c.Call)
		}
		for _, s := range c.Trace {
			if _, ok := a.slotted(c.Suite, s); ok {
				a.wants[s.Result] = c.GroupID
			}
		}
	}
	return a
}

// slotted returns a result with a slot in place of what was injected.
func (a *attacks) slotted(suite string, s step) (string, bool) {
	harmless, ok := a.clean[cleanKey(suite, s)]
	if !ok || s.Role == "user" {
		return "", false
	}
	return cut(s.Result, harmless)
}

// again returns a case with its injected texts rewritten; false if it has none.
func (a *attacks) again(c *labelled, w way, tools []tool) (labelled, bool) {
	out := *c
	out.Trace = slices.Clone(c.Trace)
	var texts []string
	var at []int // the results that were attacked
	group := c.GroupID
	for i, s := range out.Trace {
		text, ok := a.slotted(c.Suite, s)
		if !ok {
			continue
		}
		if c.Kind != "attack" {
			if group = a.wants[s.Result]; group == "" {
				continue
			}
		}
		o := order{user: c.User}
		for _, one := range a.calls[group] {
			if len(one.Args) == 0 { // there is nothing to say
				return out, false
			}
			o.clauses = append(o.clauses, clauseOf(one))
		}
		texts, at = w.texts(o), append(at, i)
		if w.fail {
			out.Trace[i].Result = a.clean[cleanKey(c.Suite, s)]
			continue
		}
		out.Trace[i].Result = strings.ReplaceAll(text, slot, fitted(text, texts[0]))
	}
	if texts == nil {
		return out, false
	}
	if w.fail {
		out.Trace = failed(out.Trace, at[0], texts[0])
	}
	if len(texts) > 1 {
		elsewhere(out.Trace, c.Trace, texts[1])
	}
	if w.launder {
		var ok bool
		if out.Trace, ok = laundered(out.Trace, tools, texts[0]); !ok {
			return out, false
		}
	}
	if c.Kind == "attack" {
		a.used[c.GroupID] = true
	}
	out.Rewriting = w.name
	out.CaseID += ":" + w.name
	out.GroupID += ":" + w.name
	return out, true
}

// fitted is a text as it stands within a result: escaped in JSON, indented elsewhere.
func fitted(result, text string) string {
	if t := strings.TrimSpace(result); strings.HasPrefix(t, "{") || strings.HasPrefix(t, "[") {
		quoted, _ := json.Marshal(text) // a string
		return string(quoted[1 : len(quoted)-1])
	}
	line := result[:strings.Index(result, slot)]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	return strings.ReplaceAll(text, "\n", "\n"+indent)
}

// elsewhere puts a text behind another result than the first that was rewritten, or else
// behind that one.
func elsewhere(trace, before []step, text string) {
	last := -1
	for i := range trace {
		if trace[i].Role != "user" && (last < 0 || trace[i].Result == before[i].Result) {
			last = i
		}
	}
	trace[last].Result += "\n\n" + text
}
