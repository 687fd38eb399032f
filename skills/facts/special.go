package facts

import (
	"path"
	"slices"
	"strings"
)

// special reads commands that read shell text, change the shell itself, or run
// commands from the middle of their words. handled is false for all others.
func (r *reader) special(base string, in invocation, at scope) (end ends, handled bool, err error) {
	args := in.words[1:]
	note := func(why string) (ends, bool, error) {
		if why != "" {
			r.unsure(why)
		}
		return same(at.dirs), true, r.note(in.plain(base), at)
	}
	switch base {
	case "cd":
		end = ends{ok: r.chdir(args, in.more, at), bad: at.dirs}
		return end, true, r.note(in.plain(base), at)
	case "pushd", "popd":
		return ends{}, true, r.note(in.plain(base), at)
	case "eval":
		return r.eval(in, at)
	case "source", ".":
		r.unsure("what a sourced file runs")
		return ends{}, true, r.note(in.plain(base), at)
	case "trap":
		err = r.trap(in, at)
		return same(at.dirs), true, err
	case "sh", "bash", "dash", "ash", "rbash":
		err = r.shell(base, in, at)
		return same(at.dirs), true, err
	case "su", "runuser":
		err = r.su(base, in, at)
		return same(at.dirs), true, err
	case "find":
		err = r.find(in, at)
		return same(at.dirs), true, err
	case "zsh", "ksh", "mksh", "csh", "tcsh", "fish", "yash", "pwsh", "parallel", "watch", "script", "at", "batch", "entr",
		"tmux", "screen", "compgen", "fc", "bind", "let", "declare", "typeset", "local", "readonly", "export":
		return note("what " + base + " runs")
	}
	if why := changesShell(base, args); why != "" {
		return note(why)
	}
	if strings.HasPrefix(path.Base(base), "ld-") || strings.HasPrefix(path.Base(base), "ld.so") {
		return note("what the loader runs")
	}
	return ends{}, false, nil
}

// changesShell returns what cannot be told after a builtin that gives names
// another meaning, or evaluates the index in a variable's name.
func changesShell(base string, args []word) string {
	has := func(f func(string) bool) bool {
		return slices.ContainsFunc(args, func(w word) bool { return !w.known || w.pattern || f(w.text) })
	}
	option := func(letters string) func(string) bool {
		return func(t string) bool { return strings.HasPrefix(t, "-") && strings.ContainsAny(t, letters) }
	}
	index := func(t string) bool { return strings.Contains(t, "[") }
	switch base {
	case "alias", "enable":
		if len(args) > 0 {
			return "what names mean after " + base
		}
	case "hash":
		if has(option("p")) {
			return "what names mean after hash -p"
		}
	case "jobs":
		if has(option("x")) {
			return "what jobs -x runs"
		}
	case "mapfile", "readarray":
		if has(option("C")) || has(index) {
			return "what " + base + " runs"
		}
	case "fd", "fdfind":
		if has(option("xX")) {
			return "what " + base + " runs"
		}
	case "read", "unset", "getopts", "wait":
		if has(index) {
			return evaluated
		}
	case "printf":
		if len(args) > 1 && (!args[0].known || strings.HasPrefix(args[0].text, "-v")) && has(index) {
			return evaluated
		}
	case "test", "[":
		for i, w := range args {
			last := i+1 == len(args) || args[i+1].known && !index(args[i+1].text)
			if (!w.known || w.text == "-v" || w.text == "-R") && !last {
				return evaluated
			}
		}
	case "shopt":
		if has(func(t string) bool { return !safeShopt[t] }) {
			return "what names mean after shopt"
		}
	case "set":
		return setOptions(args)
	}
	return ""
}

// safeShopt are the options of shopt that change no command beyond what
// patterns already allow for.
var safeShopt = words("-s -u -q -p -o nullglob failglob dotglob globstar extglob lastpipe inherit_errexit")

// setOptions returns what is unknown after set: -k and -B change how a line is
// read, and computed options may be any.
func setOptions(args []word) string {
	const why = "how the shell reads a line after set"
	for i, w := range args {
		switch {
		case !w.known:
			return why
		case w.text == "--" || w.text == "-":
			return ""
		case i > 0 && strings.HasSuffix(args[i-1].text, "o"):
			if !slices.Contains([]string{"pipefail", "errexit", "nounset", "xtrace", "noglob"}, w.text) {
				return why
			}
		case strings.Trim(w.text, "-+euxfov") != "":
			if w.text[0] == '-' || w.text[0] == '+' {
				return why
			}
		}
	}
	return ""
}

// chdir returns the folders after cd.
func (r *reader) chdir(args []word, more string, at scope) []string {
	for len(args) > 0 && args[0].known && len(args[0].text) > 1 && args[0].text[0] == '-' {
		stop := args[0].text == "--"
		if !stop && strings.Trim(args[0].text, "-L") != "" {
			return nil // -P asks where links lead
		}
		if args = args[1:]; stop {
			break
		}
	}
	_, cdpath := at.vars.known["CDPATH"]
	_, assigned := at.vars.assigned["CDPATH"]
	switch {
	case len(args) > 1 || more != "" || cdpath || assigned || at.vars.all && len(args) == 0:
		return nil
	case len(args) == 0:
		home, ok := at.vars.value("HOME")
		if home = absolute(home); !ok || home == "" {
			return nil
		}
		return []string{home}
	case args[0].text == "-":
		return nil
	}
	return into(args[0], at.dirs)
}

// joined returns the text that eval and its kin make of words.
func joined(ws []word) (string, bool) {
	texts := make([]string, 0, len(ws))
	for _, w := range ws {
		if !w.known || w.pattern || w.tilde {
			return "", false
		}
		texts = append(texts, w.text)
	}
	return strings.Join(texts, " "), true
}

func (r *reader) eval(in invocation, at scope) (ends, bool, error) {
	args := in.words[1:]
	if len(args) > 0 && args[0].known && args[0].text == "--" {
		args = args[1:]
	}
	text, ok := joined(args)
	if !ok || in.more != "" {
		r.unsure("what eval runs")
		return ends{}, true, r.note(in.plain("eval"), at)
	}
	before := len(r.line.commands)
	at.input = word{}
	end, err := r.script(text, at.through("eval"))
	if err == nil && len(r.line.commands) == before {
		err = r.note(in.plain("eval"), at)
	}
	return end, true, err
}

// trap reads the text that runs when a signal comes or the shell ends: nobody
// can tell in which folder.
func (r *reader) trap(in invocation, at scope) error {
	args := in.words[1:]
	if len(args) > 0 && args[0].known && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return r.note(in.plain("trap"), at)
	}
	action := args[0]
	if !action.known || action.pattern || in.more != "" {
		r.unsure("what trap runs")
		return r.note(in.plain("trap"), at)
	}
	if len(args) == 1 && !action.many || action.text == "-" || action.text == "" || action.text == "-p" || action.text == "-l" {
		return r.note(in.plain("trap"), at)
	}
	inner := at.through("trap")
	inner.dirs, inner.input = nil, word{}
	return r.inside(action.text, "trap", in, at, inner)
}

// inside reads the text that another command runs, and notes that command itself
// if the text runs none.
func (r *reader) inside(text, base string, in invocation, at, inner scope) error {
	before := len(r.line.commands)
	if _, err := r.script(text, inner); err != nil {
		return err
	}
	if len(r.line.commands) == before || len(in.redirects) > 0 {
		return r.note(in.plain(base), at)
	}
	return nil
}

// shell reads sh and bash: the text after -c, or what they read from their
// input. A script file is a program like any other.
func (r *reader) shell(base string, in invocation, at scope) error {
	text, rest, fromInput, ok := shellArgs(in)
	if !ok {
		r.unsure("what " + base + " runs")
		return r.note(in.plain(base), at)
	}
	inner := at.through(base)
	inner.posix = inner.posix || base != "bash"
	inner.own = append(inner.own[:len(inner.own):len(inner.own)], rest...)
	inner.input = word{}
	switch {
	case text != nil:
		return r.inside(text.text, base, in, at, inner)
	case !fromInput:
		return r.note(in.plain(base), at) // sh script.sh
	}
	// What it reads is the line's own text only if a here-document is its
	// whole input. With several lines, its own commands may eat some.
	if !at.input.known || at.input.pattern || strings.Contains(strings.TrimSpace(at.input.text), "\n") {
		r.unsure("what " + base + " reads as commands")
	}
	if at.input.known && !at.input.pattern {
		return r.inside(at.input.text, base, in, at, inner)
	}
	return r.note(in.plain(base), at)
}

// shellArgs finds the command text of a shell, the operands behind it, and
// whether it reads commands from its input instead. It reports false where that
// depends on a word it cannot read.
func shellArgs(in invocation) (text *word, rest []word, fromInput, ok bool) {
	args := in.words[1:]
	command := false
	for len(args) > 0 {
		w := args[0]
		if !w.known || w.pattern {
			return nil, nil, false, false
		}
		t := w.text
		if t == "--" || t == "-" {
			args = args[1:]
			break
		}
		if len(t) < 2 || t[0] != '-' && t[0] != '+' {
			break
		}
		args = args[1:]
		switch {
		case t == "--rcfile" || t == "--init-file":
			return nil, nil, false, false // what it holds runs first
		case strings.HasPrefix(t, "--"):
		case strings.ContainsAny(t[1:], "oO"):
			if len(args) == 0 || !args[0].known {
				return nil, nil, false, false
			}
			args = args[1:]
			command = command || t[0] == '-' && strings.Contains(t, "c")
		default:
			command = command || t[0] == '-' && strings.Contains(t, "c")
			fromInput = fromInput || strings.Contains(t, "s")
		}
	}
	if len(args) == 0 {
		return nil, nil, true, !command && in.more == ""
	}
	first := args[0]
	if !first.known || first.pattern || first.tilde {
		return nil, nil, false, false
	}
	if command {
		return &first, args[1:], false, true
	}
	if fromInput {
		return nil, args, true, true
	}
	return nil, args, false, !readsInput(first.text)
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
	inner.vars, inner.dirs, inner.posix, inner.input = &vars{all: true}, nil, true, word{}
	inner.own = append(inner.own[:len(inner.own):len(inner.own)], args...)
	for i, w := range args {
		if !w.known || w.pattern {
			break
		}
		text, attached := strings.CutPrefix(w.text, "--command=")
		if (w.text == "-c" || w.text == "--command") && i+1 < len(args) && args[i+1].known && !args[i+1].pattern {
			text, attached = args[i+1].text, true
		}
		if attached && !slices.ContainsFunc(args, func(w word) bool { return !w.known }) {
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
	self.words = []word{in.words[0]}
	unread := in.more != ""
	for i := 0; i < len(args); i++ {
		w := args[i]
		if !w.known {
			unread = unread || w.many || slices.ContainsFunc(args[i:], func(w word) bool { return w.text == ";" || w.text == "+" })
		}
		if !w.known || w.pattern || !findExec[w.text] {
			self.words = append(self.words, w)
			continue
		}
		end := execEnd(args[i+1:])
		inner := at.through("find")
		inner.input = word{}
		if strings.HasSuffix(w.text, "dir") {
			inner.dirs = nil
		}
		self.words = append(self.words, w)
		if ws := foundNames(args[i+1 : i+1+end]); len(ws) > 0 {
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

var findExec = words("-exec -execdir -ok -okdir")

// execEnd returns how many words belong to a command of find.
func execEnd(ws []word) int {
	for i, w := range ws {
		if w.known && (w.text == ";" || w.text == "+" && i > 0 && ws[i-1].text == "{}") {
			return i
		}
	}
	return len(ws)
}

// foundNames replaces the words that find fills in.
func foundNames(ws []word) []word {
	out := slices.Clone(ws)
	for i, w := range out {
		if strings.Contains(w.text, "{}") {
			out[i] = unknownWord("the name of a file that find finds", w.text == "{}")
		}
	}
	return out
}
