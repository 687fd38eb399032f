package facts

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call reads a simple command: its words are resolved and its wrappers peeled.
func (r *reader) call(call *syntax.CallExpr, redirs []redirect, at scope) (ends, error) {
	inner := at
	for _, a := range call.Assigns {
		w, err := r.assignment(a, at)
		if err != nil {
			return ends{}, err
		}
		if len(call.Args) > 0 {
			inner.change().own = append(inner.own[:len(inner.own):len(inner.own)], w)
		} else if r.exports {
			r.set = append(r.set, w)
		}
	}
	if len(call.Args) == 0 {
		return same(at.dirs), nil
	}
	all := r.room(len(call.Args))
	for _, arg := range call.Args {
		w, err := r.word(arg, &at)
		if err != nil {
			return ends{}, err
		}
		if all = append(all, w); len(all) > maxWords {
			return ends{}, fmt.Errorf("a command has more than %d words", maxWords)
		}
	}
	if len(call.Assigns) > 0 {
		inner = inner.through("env")
	}
	return r.run(invocation{words: all, redirects: redirs}, inner)
}

// room is where the words of a command go: those of a line lie one behind the other.
func (r *reader) room(n int) []word {
	if len(r.free) < n {
		r.free = make([]word, max(n, r.words))
	}
	out := r.free[:0:n]
	r.free, r.words = r.free[n:], max(0, r.words-n)
	return out
}

// assignment is NAME=value as a word, of which a rule may read the name at least:
// a proxy in it is a host that the command talks to.
func (r *reader) assignment(a *syntax.Assign, at scope) (word, error) {
	if a.Value == nil {
		return known(a.Name.Value + "="), nil
	}
	got, err := r.word(a.Value, &at)
	if err != nil {
		return word{}, err
	}
	if !got.known || got.tilde {
		return unknownWord("the value of "+a.Name.Value, false), nil
	}
	return known(a.Name.Value + "=" + got.text), nil
}

// declare notes export, declare and the like as the commands they are. Only what
// export does is known: it sets variables, and hands them to the commands.
func (r *reader) declare(d *syntax.DeclClause, redirs []redirect, at scope) error {
	cmd := command{name: known(d.Variant.Value), redirects: redirs}
	for _, a := range d.Args {
		var w word
		var err error
		switch {
		case a.Name == nil:
			w, err = r.word(a.Value, &at)
		case a.Naked:
			w = known(a.Name.Value)
		default:
			w, err = r.assignment(a, at)
			if !w.known || a.Value != nil && len(a.Value.Parts) > 0 && splits(a.Value) {
				r.unsure("what " + d.Variant.Value + " sets")
			}
		}
		if err != nil {
			return err
		}
		cmd.args = append(cmd.args, w)
	}
	r.set = append(r.set, cmd.args...)
	if d.Variant.Value != "export" {
		r.unsure("what " + d.Variant.Value + " sets")
	}
	return r.note(cmd, at)
}

// splits reports whether dash may split a value behind export into words.
func splits(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		switch p.(type) {
		case *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted:
			return false
		}
		return true
	})
}

// invocation is a command with its wrappers still around it.
type invocation struct {
	words     []word
	more      string // why unknown words follow; xargs adds them
	redirects []redirect
}

// run peels one wrapper after the other off an invocation and notes the command
// that remains. It returns where the shell stands afterwards.
func (r *reader) run(in invocation, at scope) (ends, error) {
	start, outside := at.dirs, false
	for {
		if len(at.via) > maxVia {
			return ends{}, fmt.Errorf("a command stands in more than %d wrappers", maxVia)
		}
		name := in.words[0]
		if !name.known || name.pattern {
			return r.unnamed(in, at)
		}
		base := programName(name.text, at.dirs)
		if spec, ok := wrappers[base]; ok {
			inner, next, done := r.peel(base, spec, in, at)
			if done {
				return same(start), r.note(in.plain(base), at)
			}
			in, at = inner, next
			outside = outside || !spec.inside
			continue
		}
		end, handled, err := r.special(base, in, at)
		if !handled {
			end, err = same(start), r.note(in.plain(base), at)
		}
		if outside || strings.Contains(name.text, "/") {
			end = same(start) // another process moves nobody but itself
		}
		return end, err
	}
}

// plain is the command that an invocation is when nothing wraps it. An empty
// base is a program that cannot be told: bin/x from a folder that is unknown.
func (in invocation) plain(base string) command {
	name := in.words[0]
	if base == "" && name.text != "" {
		name = unknownWord("which program "+name.text+" is", false)
	} else if name.known {
		name.text = base
	}
	return command{name: name, args: in.words[1:], more: in.more, redirects: in.redirects}
}

// unnamed notes a command whose name is unknown. It may be cd, or anything.
func (r *reader) unnamed(in invocation, at scope) (ends, error) {
	cmd := command{name: in.words[0], args: in.words[1:], more: in.more, redirects: in.redirects}
	if cmd.name.known {
		cmd.name = unknownWord("what "+cmd.name.text+" matches", false)
	}
	if err := r.note(cmd, at); err != nil {
		return ends{}, err
	}
	r.unsure("what a command does whose name is " + cmd.name.why)
	return ends{}, nil
}

// note adds a command to the line.
func (r *reader) note(cmd command, at scope) error {
	if len(r.line.commands) == maxCommands {
		return fmt.Errorf("it runs more than %d commands", maxCommands)
	}
	if r.exports && !slices.Contains(at.via, "env") {
		at = at.through("env") // it sees what the line assigned elsewhere
	}
	if len(at.via) > maxVia {
		return fmt.Errorf("a command stands in more than %d wrappers", maxVia)
	}
	if len(r.set) > 0 {
		at.change().own = slices.Concat(at.own, r.set)
	}
	cmd.dirs, cmd.around, cmd.home = at.dirs, at.around, slices.Equal(at.dirs, r.env.dirs())
	r.out = prints(&cmd, at.feed)
	r.line.commands = append(r.line.commands, cmd)
	return nil
}

// systemDirs are where programs of a system live: there, /bin/rm is rm.
var systemDirs = words("/bin /sbin /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin")

// programName returns the name that rules compare: without its folder if that is
// one of the system's, as written otherwise, since ./ls is anybody's program.
// It is empty if a relative path starts who knows where.
func programName(text string, dirs []string) string {
	if !strings.Contains(text, "/") {
		return text
	}
	full := text
	if text[0] != '/' {
		if len(dirs) != 1 {
			return ""
		}
		full = dirs[0] + "/" + text
	}
	full = path.Clean(full)
	if systemDirs[path.Dir(full)] {
		return path.Base(full)
	}
	return text
}
