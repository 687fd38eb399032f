package shelljudge

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/facts"
)

// Failure is a line whose reading does not cover what a shell made of it.
type Failure struct {
	Line, Shell string
	Oracle      string // which comparison failed
	What        string // what happened
	Reading     string // what the reader had listed
}

// String spells the failure in a few lines.
func (f Failure) String() string {
	return fmt.Sprintf("%q\n  in %s, %s: %s\n  listed: %s", f.Line, f.Shell, f.Oracle, f.What, f.Reading)
}

// wrappers may be executed beside the benign programs: what they run counts.
var wrappers = strings.Fields("sh bash dash busybox mksh zsh env xargs nohup timeout nice find sudo")

// Judge compares a line's events with its reading, and returns the first difference.
func Judge(r *Reading, run Run) (Failure, bool) {
	if all := JudgeAll(r, run); len(all) > 0 {
		return all[0], true
	}
	return Failure{}, false
}

// JudgeAll returns every difference, in the order of the events.
func JudgeAll(r *Reading, run Run) []Failure {
	var out []Failure
	for _, e := range run.Events {
		if r.script(e) {
			continue
		}
		for _, o := range oracles {
			if o.wrong(r, e) {
				out = append(out, Failure{Line: r.Line, Shell: run.Shell, Oracle: o.name, What: e.String(), Reading: r.String()})
			}
		}
	}
	return out
}

// oracles are the comparisons. Each says whether one event is wrong.
var oracles = []struct {
	name  string
	wrong func(*Reading, Event) bool
}{
	{"a program that is not listed", func(r *Reading, e Event) bool { return e.Sort == Exec && !r.listed(e) }},
	{"the rule on names", func(r *Reading, e Event) bool {
		return e.Sort == Exec && r.Allowed[ruleNames] && !slices.Contains(Benign, e.name()) &&
			!slices.Contains(wrappers, e.name())
	}},
	{"the rule on operands", func(r *Reading, e Event) bool {
		return r.Allowed[ruleWords] && e.plain() && hasOther(e.operands(), Plain)
	}},
	{"the rule on flags", func(r *Reading, e Event) bool {
		return r.Allowed[ruleFlags] && e.plain() && hasOther(e.flags(), PlainFlags)
	}},
	{"the rule on the number of operands", func(r *Reading, e Event) bool {
		n := len(e.operands())
		return e.plain() && n > 0 && n <= maxLen+1 && r.Allowed[ruleLen(n-1)]
	}},
	{"the rule on paths", func(r *Reading, e Event) bool {
		return r.Allowed[rulePaths] && e.opens() && !inside(e.Path, Work)
	}},
	{"self-protection", func(r *Reading, e Event) bool {
		return r.Allowed[ruleSelf] && e.opens() && inside(e.Path, "/protected")
	}},
	{"a path that is not listed", func(r *Reading, e Event) bool { return r.PathsOK && e.opens() && !r.lists(e) }},
	{"a folder that is entered", func(r *Reading, e Event) bool {
		return e.Sort == Chdir && e.Shell && !r.runs("cd", "chdir", "pushd", "popd")
	}},
	{"a signal", func(r *Reading, e Event) bool { return e.Sort == Kill && e.Shell && !r.runs("kill") }},
	{"a connection", func(r *Reading, e Event) bool { return e.Sort == Net && e.Shell && !r.connects() }},
}

// script reports whether an event may be what a file of the work folder does that a
// listed shell runs: a script is a program like any other. That is [fileText], or
// whatever a shell makes of the bytes of the stub.
func (r *Reading) script(e Event) bool {
	return slices.ContainsFunc(r.Commands, func(c map[string]any) bool {
		operands, _ := c["operands"].([]any)
		if !slices.Contains([]any{"sh", "bash", "dash", "ash"}, c["name"]) || len(operands) == 0 {
			return false
		}
		name := spelled(operands[0])
		isText := e.Sort == Exec && strings.Join(e.Args, " ")+"\n" == fileText && inside(resolve(e.Dir, name), Work)
		return strings.Contains(name, "/") &&
			(isText || e.Shell && slices.Contains(runFiles, strings.TrimPrefix(path.Clean(name), Work+"/")))
	})
}

func inside(file, dir string) bool { return file == dir || strings.HasPrefix(file, dir+"/") }

// opens reports whether an event is an open that the reader has to list: what a
// shell opens, lists or changes, and what the stubs of programs that read files do.
func (e Event) opens() bool {
	switch e.Sort {
	case Write, Read:
		return e.Path != "/dev/null" && (e.Shell || slices.Contains(fileStubs, e.Image))
	case List:
		return e.Shell || slices.Contains(fileStubs, e.Image)
	}
	return false
}

var fileStubs = []string{"cat", "head", "tail", "wc"}

// plain reports whether an event starts a program whose words are its own.
func (e Event) plain() bool { return e.Sort == Exec && !slices.Contains(wrappers, e.name()) }

// name is how the reader spells the program of an Exec.
func (e Event) name() string {
	if dir := path.Dir(e.Path); dir == "/bin" || dir == "/usr/bin" {
		return path.Base(e.Path)
	}
	return e.Path
}

// split tells the flags of an executed program from its operands, as the reader
// does.
func (e Event) split() (flags, operands []string) {
	for i, a := range e.Args[min(1, len(e.Args)):] {
		switch {
		case a == "--":
			return flags, append(operands, e.Args[i+2:]...)
		case len(a) > 1 && a[0] == '-':
			flags = append(flags, a)
		default:
			operands = append(operands, a)
		}
	}
	return flags, operands
}

func (e Event) flags() []string    { f, _ := e.split(); return f }
func (e Event) operands() []string { _, o := e.split(); return o }

func hasOther(words, known []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(known, w) })
}

// runs reports whether a command of one of these names is listed, or one whose
// name is not known.
func (r *Reading) runs(names ...string) bool {
	return slices.ContainsFunc(r.Commands, func(c map[string]any) bool {
		name, known := c["name"].(string)
		return !known || slices.Contains(names, name)
	})
}

// listed reports whether a started program stands in the reading with these words.
func (r *Reading) listed(e Event) bool {
	for _, c := range r.Commands {
		if slices.ContainsFunc(c["via"].([]any), func(v any) bool {
			return v == e.name() || v == "sh" && e.name() == "dash"
		}) {
			return true // a wrapper: what it runs is listed
		}
		name, known := c["name"].(string)
		if !known {
			return true
		}
		if name != e.name() && !(strings.Contains(name, "/") && resolve(e.Dir, name) == e.Path) {
			continue
		}
		flags, operands := e.split()
		if fits(c["flags"].([]any), flags, c["operands"].([]any), operands) {
			return true
		}
	}
	return false
}

// connects reports whether a path of bash that stands for a connection is listed.
func (r *Reading) connects() bool {
	return slices.ContainsFunc(r.Paths, func(p any) bool {
		return strings.HasPrefix(spelled(p), "/dev/tcp/") || strings.HasPrefix(spelled(p), "/dev/udp/")
	})
}

func resolve(dir, name string) string {
	if strings.HasPrefix(name, "/") {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

// fits reports whether words are what the lists may turn out as. A word that is
// not known, or is a pattern, may be a flag or an operand and any number of them.
func fits(listedFlags []any, flags []string, listedOperands []any, operands []string) bool {
	open := func(v any) bool {
		switch v.(type) {
		case facts.Unknown, facts.Pattern:
			return true
		}
		return false
	}
	if at := slices.IndexFunc(listedFlags, open); at >= 0 { // it may stand before any other
		known := slices.DeleteFunc(slices.Clone(listedFlags), open)
		loose := []any{listedFlags[at]}
		for _, f := range known {
			loose = append(loose, f, listedFlags[at])
		}
		listedFlags = loose
	}
	return within(listedFlags, flags, open) && within(listedOperands, operands, open)
}

// within matches words against a list in which open elements stand for any number.
func within(listed []any, words []string, open func(any) bool) bool {
	if len(listed) == 0 {
		return len(words) == 0
	}
	if open(listed[0]) {
		for n := 0; n <= len(words); n++ {
			if within(listed[1:], words[n:], open) {
				return true
			}
		}
		return false
	}
	return len(words) > 0 && spelled(listed[0]) == words[0] && within(listed[1:], words[1:], open)
}

func spelled(v any) string {
	if w, ok := v.(facts.Word); ok {
		return w.Text
	}
	s, _ := v.(string)
	return s
}

// lists reports whether an opened path is one of those listed. A folder that was
// listed has to lie on the way of a pattern.
func (r *Reading) lists(e Event) bool {
	for _, p := range r.Paths {
		if r.matches(p, e.Path, false) || e.literal(p) {
			return true
		}
		if e.Sort == List && r.matches(p, e.Path, true) {
			return true
		}
	}
	if e.Sort != List {
		return false
	}
	for _, c := range r.Commands { // of programs whose operands are no paths
		for _, o := range c["operands"].([]any) {
			if _, is := o.(facts.Pattern); is && r.matches(o, e.Path, true) {
				return true
			}
		}
	}
	return false
}

// literal reports whether a path is a listed one as it was written: ~name of a user
// that does not exist stays what it is.
func (e Event) literal(listed any) bool {
	p, ok := listed.(string)
	return ok && strings.HasPrefix(p, "~") && (resolve(e.Dir, p) == e.Path || p == "~root" && e.Path == "/root")
}
