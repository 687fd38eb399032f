package shell

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/opencortex-go/cortex/skills/facts/internal/words"
)

// call reads a simple command: its words are resolved and its wrappers peeled.
func (r *reader) call(call *syntax.CallExpr, redirs []Redirect, at scope) (ends, error) {
	inner := at
	for _, a := range call.Assigns {
		w, err := r.assignment(a, at)
		if err != nil {
			return ends{}, err
		}
		if len(call.Args) > 0 {
			inner.change().Own = append(inner.Own[:len(inner.Own):len(inner.Own)], w)
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
func (r *reader) room(n int) []Word {
	if len(r.free) < n {
		r.free = make([]Word, max(n, r.words))
	}
	out := r.free[:0:n]
	r.free, r.words = r.free[n:], max(0, r.words-n)
	return out
}

// assignment is NAME=value as a word, of which a rule may read the name at least:
// a proxy in it is a host that the command talks to.
func (r *reader) assignment(a *syntax.Assign, at scope) (Word, error) {
	if a.Value == nil {
		return Known(a.Name.Value + "="), nil
	}
	got, err := r.word(a.Value, &at)
	if err != nil {
		return Word{}, err
	}
	if !got.Known || got.Tilde {
		return unknownWord("the value of "+a.Name.Value, false), nil
	}
	return Known(a.Name.Value + "=" + got.Text), nil
}

// declare notes export, declare and the like as the commands they are. Only what
// export does is known: it sets variables, and hands them to the commands.
func (r *reader) declare(d *syntax.DeclClause, redirs []Redirect, at scope) error {
	cmd := Command{Name: Known(d.Variant.Value), Redirects: redirs}
	for _, a := range d.Args {
		var w Word
		var err error
		switch {
		case a.Name == nil:
			w, err = r.word(a.Value, &at)
		case a.Naked:
			w = Known(a.Name.Value)
		default:
			w, err = r.assignment(a, at)
			if !w.Known || a.Value != nil && len(a.Value.Parts) > 0 && splits(a.Value) {
				r.unsure("what " + d.Variant.Value + " sets")
			}
		}
		if err != nil {
			return err
		}
		cmd.Args = append(cmd.Args, w)
	}
	r.set = append(r.set, cmd.Args...)
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
	words     []Word
	more      string // why unknown words follow; xargs adds them
	redirects []Redirect
}

// run peels one wrapper after the other off an invocation and notes the command
// that remains. It returns where the shell stands afterwards.
func (r *reader) run(in invocation, at scope) (ends, error) {
	start, outside := at.dirs, false
	for {
		if len(at.Via) > MaxVia {
			return ends{}, fmt.Errorf("a command stands in more than %d wrappers", MaxVia)
		}
		name := in.words[0]
		if !name.Known || name.Pattern {
			return r.unnamed(in, at)
		}
		base := programName(name.Text, at.dirs)
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
		if outside || strings.Contains(name.Text, "/") {
			end = same(start) // another process moves nobody but itself
		}
		return end, err
	}
}

// plain is the command that an invocation is when nothing wraps it. An empty
// base is a program that cannot be told: bin/x from a folder that is unknown.
func (in invocation) plain(base string) Command {
	name := in.words[0]
	if base == "" && name.Text != "" {
		name = unknownWord("which program "+name.Text+" is", false)
	} else if name.Known {
		name.Text = base
	}
	return Command{Name: name, Args: in.words[1:], More: in.more, Redirects: in.redirects}
}

// unnamed notes a command whose name is unknown. It may be cd, or anything.
func (r *reader) unnamed(in invocation, at scope) (ends, error) {
	cmd := Command{Name: in.words[0], Args: in.words[1:], More: in.more, Redirects: in.redirects}
	if cmd.Name.Known {
		cmd.Name = unknownWord("what "+cmd.Name.Text+" matches", false)
	}
	if err := r.note(cmd, at); err != nil {
		return ends{}, err
	}
	r.unsure("what a command does whose name is " + cmd.Name.Why)
	return ends{}, nil
}

// note adds a command to the line.
func (r *reader) note(cmd Command, at scope) error {
	if len(r.line.Commands) == MaxCommands {
		return fmt.Errorf("it runs more than %d commands", MaxCommands)
	}
	if r.exports && !slices.Contains(at.Via, "env") {
		at = at.through("env") // it sees what the line assigned elsewhere
	}
	if len(at.Via) > MaxVia {
		return fmt.Errorf("a command stands in more than %d wrappers", MaxVia)
	}
	if len(r.set) > 0 {
		at.change().Own = slices.Concat(at.Own, r.set)
	}
	cmd.Dirs, cmd.around, cmd.Home = at.dirs, at.around, slices.Equal(at.dirs, r.env.Dirs())
	r.out = prints(&cmd, at.feed)
	r.line.Commands = append(r.line.Commands, cmd)
	return nil
}

// systemDirs are where programs of a system live: there, /bin/rm is rm.
var systemDirs = words.Of("/bin /sbin /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin")

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
