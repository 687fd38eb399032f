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
	for _, a := range call.Assigns {
		if err := r.look(a, at); err != nil {
			return ends{}, err
		}
		if len(call.Args) > 0 {
			at.own = append(at.own[:len(at.own):len(at.own)], r.assignment(a, at)...)
		}
	}
	var all []word
	for _, arg := range call.Args {
		if err := r.look(arg, at); err != nil {
			return ends{}, err
		}
		got, err := r.expand(arg, at)
		if err != nil {
			return ends{}, err
		}
		if all = append(all, got...); len(all) > maxWords {
			return ends{}, fmt.Errorf("a command has more than %d words", maxWords)
		}
	}
	if len(all) == 0 {
		if len(redirs) == 0 {
			return same(at.dirs), nil
		}
		return same(at.dirs), r.note(command{name: known(""), redirects: redirs}, at)
	}
	if len(call.Assigns) > 0 {
		at = at.through("env")
	}
	return r.run(invocation{words: all, redirects: redirs}, at)
}

// assignment is NAME=value as a word, where the value can be told: a proxy in it
// is a host that the command talks to.
func (r *reader) assignment(a *syntax.Assign, at scope) []word {
	if a.Name == nil || a.Value == nil {
		return nil
	}
	if got := r.resolver(at).word(a.Value); got.known && !got.pattern {
		return []word{known(a.Name.Value + "=" + got.text)}
	} else if strings.HasSuffix(strings.ToLower(a.Name.Value), "_proxy") {
		return []word{unknownWord("the value of "+a.Name.Value, false)}
	}
	return nil
}

// declare notes export, declare and the like as the commands they are.
func (r *reader) declare(d *syntax.DeclClause, redirs []redirect, at scope) error {
	if err := r.look(d, at); err != nil {
		return err
	}
	cmd := command{name: known(d.Variant.Value), redirects: redirs}
	for _, a := range d.Args {
		switch {
		case a.Name == nil && a.Value != nil:
			cmd.args = append(cmd.args, r.resolver(at).word(a.Value))
		case a.Name != nil && a.Naked:
			cmd.args = append(cmd.args, known(a.Name.Value))
		case a.Name != nil:
			got := r.assignment(a, at)
			if got == nil {
				got = []word{unknownWord("the value of "+a.Name.Value, false)}
			}
			cmd.args = append(cmd.args, got...)
		}
	}
	return r.note(cmd, at)
}

// expand resolves one word of a command to the words that it becomes.
func (r *reader) expand(w *syntax.Word, at scope) ([]word, error) {
	parts, err := braces(w)
	if err != nil {
		return nil, err
	}
	if at.posix && len(parts) > 1 {
		return []word{unknownWord("what braces mean to a shell that may not be bash", true)}, nil
	}
	res := r.resolver(at)
	out := make([]word, 0, len(parts))
	for _, p := range parts {
		if got := res.word(p); got.known || got.why != "" {
			out = append(out, got)
		}
	}
	return out, nil
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
	if at.vars.exported && !slices.Contains(at.via, "env") {
		at = at.through("env") // it sees what the line assigned elsewhere
	}
	if len(at.via) > maxVia {
		return fmt.Errorf("a command stands in more than %d wrappers", maxVia)
	}
	cmd.dirs, cmd.via, cmd.wrapper = at.dirs, at.via, at.own
	cmd.home = slices.Equal(at.dirs, r.env.dirs())
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
