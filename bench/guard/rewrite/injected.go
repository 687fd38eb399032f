package main

import (
	"encoding/json"
	"strings"
)

// clean are the results of runs without an attack, by suite, tool and arguments.
type clean map[string]string

func cleanKey(suite string, s step) string {
	args, _ := json.Marshal(s.Args) // they came from JSON
	return suite + " " + s.Tool + " " + string(args)
}

func cleanOf(all []labelled) clean {
	out := clean{}
	for _, c := range all {
		if c.Kind == "benign" && !c.Exposed {
			for _, s := range c.Trace {
				out[cleanKey(c.Suite, s)] = s.Result
			}
		}
	}
	return out
}

// slot stands where an injected text stood.
const slot = "\x01"

// cut replaces what an attacked result says and the clean one does not by a slot, and
// reports whether there was any. Lines are compared; of one that begins as a clean line
// does, the beginning is kept.
func cut(attacked, clean string) (string, bool) {
	if attacked == clean {
		return attacked, false
	}
	known := map[string]bool{}
	lines := strings.Split(clean, "\n")
	for _, l := range lines {
		known[l] = true
	}
	var out []string
	within := false
	for _, l := range strings.Split(attacked, "\n") {
		if known[l] {
			out, within = append(out, l), false
		} else if !within {
			out, within = append(out, l[:begins(l, lines)]+slot), true
		}
	}
	return strings.Join(out, "\n"), strings.Contains(strings.Join(out, ""), slot)
}

// begins returns how many bytes a line has in common with the beginning of another.
func begins(line string, others []string) int {
	most := 0
	for _, o := range others {
		n := 0
		for n < len(line) && n < len(o) && line[n] == o[n] {
			n++
		}
		most = max(most, n)
	}
	for most > 0 && line[most-1] >= 0x80 { // not within a character
		most--
	}
	return most
}
