package shell

import (
	"maps"
	"slices"
)

// scope is where a command stands. It is passed by value: what a subshell does
// to it ends with the subshell.
type scope struct {
	vars  *vars
	dirs  []string // folders it may run in; empty is unknown
	moves bool     // the line changes folders, so that a loop may at any time
	*around
}

// around is what few commands have around them. Scopes share it; see change.
type around struct {
	Via   []string   // the wrappers, the outermost first
	Own   []Word     // the wrappers' own words, which may name paths and hosts
	feed  Word       // what it reads, if that is the paths of files
	loops []loop     // the variables of the loops around it
	Lists []Redirect // patterns around it that the shell matches against files
}

// change gives a scope what is around it for itself, so that it can be written.
func (at *scope) change() *around {
	c := *at.around
	at.around = &c
	return at.around
}

// unfed has a scope read no files' paths.
func (at *scope) unfed() {
	if at.feed.Known {
		at.change().feed = Word{}
	}
}

// ends is the folders after a statement that succeeded, and after one that
// failed.
type ends struct{ ok, bad []string }

func same(dirs []string) ends { return ends{dirs, dirs} }

// any is the folders after it, however it went.
func (e ends) any() []string { return union(e.ok, e.bad) }

// maxDirs is how many folders are kept apart before all are unknown.
const maxDirs = 8

func union(a, b []string) []string {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	if slices.Equal(a, b) {
		return a
	}
	out := slices.Concat(a, b)
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) > maxDirs {
		return nil
	}
	return out
}

// through returns the scope of what a wrapper runs.
func (at scope) through(wrapper string) scope {
	at.change().Via = append(at.Via[:len(at.Via):len(at.Via)], wrapper)
	return at
}

// vars is what is known of the shell's variables. One that the line assigns
// anywhere is unknown everywhere on it: whether a change comes before a use
// depends on loops and jobs.
type vars struct {
	known    map[string]string // from the built environment
	assigned map[string]bool   // and whether that may happen in more than one place
}

func (v *vars) and(names map[string]bool) *vars {
	if len(names) == 0 {
		return v
	}
	set := maps.Clone(names)
	for name, more := range v.assigned {
		_, again := set[name]
		set[name] = more || again
	}
	return &vars{v.known, set}
}

// unsettled reports whether a loop's variable may be set by more than the loop.
func (v *vars) unsettled(name string) bool {
	_, inherited := v.known[name]
	return inherited || v.assigned[name]
}

// value returns a variable's value, if the line leaves it alone.
func (v *vars) value(name string) (string, bool) {
	s, ok := v.known[name]
	_, changed := v.assigned[name]
	return s, ok && !changed
}

// loop is a variable that stands for the words that a for goes through.
type loop struct {
	name  string
	items []Word
}
