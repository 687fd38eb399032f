package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/words"
)

// special reads commands that read shell text, change the shell itself, or run
// commands from the middle of their words. handled is false for all others.
func (r *reader) special(base string, in invocation, at scope) (end ends, handled bool, err error) {
	args := in.words[1:]
	why := ""
	switch base {
	case "cd":
		end = ends{ok: r.chdir(args, in.more, at.dirs), bad: at.dirs}
		return end, true, r.note(in.plain(base), at)
	case "sh", "bash", "dash", "ash":
		err = r.shell(base, in, at)
		return same(at.dirs), true, err
	case "su", "runuser":
		err = r.su(base, in, at)
		return same(at.dirs), true, err
	case "find":
		err = r.find(in, at)
		return same(at.dirs), true, err
	case "read", "unset":
		why = r.sets(base, args)
	case "set":
		why = setOptions(args)
	case "test", "[":
		why = comparing(args)
	case "printf":
		why = printing(args)
	case "exit", "return", "break", "continue", "shift", "ulimit", "kill", "wait":
		why = counting(base, args)
	case "jobs":
		if len(args) > 0 {
			why = "what jobs runs"
		}
	case "fd", "fdfind":
		if slices.ContainsFunc(args, func(w Word) bool {
			return !w.Known || w.Pattern || strings.HasPrefix(w.Text, "-") && strings.ContainsAny(w.Text, "xX")
		}) {
			why = "what " + base + " runs"
		}
	default:
		switch {
		case changing[base], reserved[base]:
			// The folder may be another one, too.
			r.unsure("what comes after " + base)
			return ends{}, true, r.note(in.plain(base), at)
		case strings.HasPrefix(path.Base(base), "ld-"), strings.HasPrefix(path.Base(base), "ld.so"):
			why = "what the loader runs"
		default:
			return ends{}, false, nil
		}
	}
	if why != "" {
		r.unsure(why)
	}
	return same(at.dirs), true, r.note(in.plain(base), at)
}

// chdir returns the folders after cd.
func (r *reader) chdir(args []Word, more string, dirs []string) []string {
	for len(args) > 0 && args[0].Known && strings.HasPrefix(args[0].Text, "-") && args[0].Text != "-" {
		if args[0].Text != "--" && args[0].Text != "-L" {
			return nil // -P asks where links lead, and -1 is a folder to zsh
		}
		args = args[1:]
	}
	_, cdpath := r.env.Vars["CDPATH"]
	switch {
	case len(args) > 1 || more != "" || cdpath: // zsh replaces the first word by the second
		return nil
	case len(args) == 0:
		if r.env.Home == "" {
			return nil
		}
		return []string{r.env.Home}
	case args[0].Text == "" || args[0].Text[0] == '-' || args[0].Text[0] == '+':
		return nil
	}
	return into(args[0], dirs)
}

// inside reads the text that another command runs, and notes that command itself
// if the text runs none.
func (r *reader) inside(text, base string, in invocation, at, inner scope) error {
	inner.change().loops = nil // another process
	inner.unfed()
	before := len(r.line.Commands)
	if _, err := r.script(text, inner); err != nil {
		return err
	}
	if len(r.line.Commands) == before || len(in.redirects) > 0 {
		return r.note(in.plain(base), at)
	}
	return nil
}

// shell reads the text behind sh -c and bash -c, which is read as any line is. A
// script file is a program like any other; what a shell reads from its input
// cannot be told.
func (r *reader) shell(base string, in invocation, at scope) error {
	args, command := in.words[1:], false
	for len(args) > 0 && args[0].Known && strings.HasPrefix(args[0].Text, "-") && !args[0].Pattern {
		t := args[0].Text
		if strings.Trim(t, "-ceux") != "" && t != "--norc" && t != "--noprofile" {
			break
		}
		command = command || !strings.HasPrefix(t, "--") && strings.Contains(t, "c")
		if args = args[1:]; t == "--" || t == "-" {
			break
		}
	}
	unread := len(args) == 0 || !args[0].Known || args[0].Pattern || args[0].Tilde || in.more != "" && !command
	switch {
	case unread || !command &&
		(!strings.Contains(args[0].Text, "/") || strings.HasPrefix(args[0].Text, "-") || readsInput(args[0].Text)):
		// A script without a slash is looked for in $PATH, too.
		r.unsure("what " + base + " runs")
		return r.note(in.plain(base), at)
	case !command:
		return r.note(in.plain(base), at) // sh script.sh
	}
	inner := at.through(base)
	inner.change().Own = append(inner.Own[:len(inner.Own):len(inner.Own)], args[1:]...)
	return r.inside(args[0].Text, base, in, at, inner)
}

// readsInput reports whether a script's name is another name of an open file.
func readsInput(name string) bool {
	p := path.Clean(name)
	return p == "/dev/stdin" || strings.HasPrefix(p, "/dev/fd/") || strings.HasPrefix(p, "/proc/") || p == "/dev/tty"
}

// su reads su and runuser: the text after -c. Without it, both read commands
// from their input.
func (r *reader) su(base string, in invocation, at scope) error {
	args := in.words[1:]
	inner := at.through(base)
	inner.vars, inner.dirs = &vars{}, nil
	inner.change().Own = append(inner.Own[:len(inner.Own):len(inner.Own)], args...)
	for i, w := range args {
		if !w.Known || w.Pattern {
			break
		}
		text, attached := strings.CutPrefix(w.Text, "--command=")
		if (w.Text == "-c" || w.Text == "--command") && i+1 < len(args) && args[i+1].Known && !args[i+1].Pattern {
			text, attached = args[i+1].Text, true
		}
		if attached && !slices.ContainsFunc(args, func(w Word) bool { return !w.Known }) {
			return r.inside(text, base, in, at, inner)
		}
	}
	r.unsure("what the shell that " + base + " starts runs")
	return r.note(in.plain(base), at)
}

// find reads find: itself, and the commands of -exec and its kin.
func (r *reader) find(in invocation, at scope) error {
	args := in.words[1:]
	self := in
	self.words = []Word{in.words[0]}
	unread := in.more != ""
	found := Word{}
	if told(args) {
		if roots, _ := findRoots(args); roots != nil {
			found = belowRoots(roots)
		}
	}
	for i := 0; i < len(args); i++ {
		w := args[i]
		if !w.Known {
			unread = unread || w.Many ||
				slices.ContainsFunc(args[i:], func(w Word) bool { return w.Text == ";" || w.Text == "+" })
		}
		if !w.Known || w.Pattern || !findExec[w.Text] {
			self.words = append(self.words, w)
			continue
		}
		end := execEnd(args[i+1:])
		inner := at.through("find")
		if strings.HasSuffix(w.Text, "dir") {
			inner.dirs, found = nil, Word{}
		}
		self.words = append(self.words, w)
		inner.unfed()
		if ws := foundNames(args[i+1:i+1+end], found); len(ws) > 0 {
			if _, err := r.run(invocation{words: ws}, inner); err != nil {
				return err
			}
		}
		i += end + 1
	}
	if unread {
		r.unsure("what find runs")
	}
	return r.note(self.plain("find"), at)
}

var findExec = words.Of("-exec -execdir -ok -okdir")

// execEnd returns how many words belong to a command of find.
func execEnd(ws []Word) int {
	for i, w := range ws {
		if w.Known && (w.Text == ";" || w.Text == "+" && i > 0 && ws[i-1].Text == "{}") {
			return i
		}
	}
	return len(ws)
}

// foundNames replaces the words that find fills in by what it finds.
func foundNames(ws []Word, found Word) []Word {
	out := slices.Clone(ws)
	for i, w := range out {
		switch {
		case w.Text == "{}" && found.Known:
			out[i] = found
		case strings.Contains(w.Text, "{}"):
			out[i] = unknownWord("the name of a file that find finds", w.Text == "{}")
		}
	}
	return out
}
