package facts

import (
	"fmt"
	"strings"
)

// maxAround bounds the words of wrappers that a command shows; what is beyond is
// unknown.
const maxAround = 16

// commandType is what the elements of (shell cmd) are.
func commandType() Type {
	text := Type{Kind: String}
	return Type{Kind: Record, Name: "command", Fields: []Field{
		{"name", "the program or builtin, without its folder if that is one of the system's; \"\" where a redirection " +
			"stands alone", text},
		{"operands", "the words that are no flags, in order", ListOf(text, maxOperands)},
		{"flags", "the words that begin with a dash, as written, up to --; see flag?", ListOf(text, maxFlags)},
		{"redirects", "redirections to and from files and here-documents",
			ListOf(Type{Kind: Record, Name: "redirect", Fields: []Field{
				{"op", "the operator, such as \">>\"", text},
				{"target", "the file, or the text of a here-document", text},
			}}, maxRedirects)},
		{"via", "the wrappers around it, outermost first: sudo, env, xargs, sh, eval, find, ...", ListOf(text, maxVia)},
		{"around", "the words of those wrappers, and the variables assigned before it, in order: FOO=1, -n, 5",
			ListOf(text, maxAround)},
	}}
}

// records turns a line into what conditions read: a list of maps, with Unknown
// at the end if the line may run more.
func (l *line) records() ([]any, error) {
	out := make([]any, 0, len(l.commands)+1)
	for i := range l.commands {
		rec, err := l.commands[i].record()
		if err != nil {
			return nil, err
		}
		out = append(out, rec)
	}
	if l.rest != "" {
		out = append(out, Unknown{l.rest})
	}
	return out, nil
}

func (c *command) record() (map[string]any, error) {
	flags, operands := c.split()
	if n := len(operands); n > maxOperands {
		return nil, fmt.Errorf("%s has %d operands, expected at most %d", c.name.text, n, maxOperands)
	}
	if n := len(flags); n > maxFlags {
		return nil, fmt.Errorf("%s has %d flags, expected at most %d", c.name.text, n, maxFlags)
	}
	redirects := make([]any, 0, len(c.redirects))
	for _, r := range c.redirects {
		redirects = append(redirects, map[string]any{"op": r.op, "target": c.opener(r).value(r.target)})
	}
	via := make([]any, 0, len(c.via))
	for _, v := range c.via {
		via = append(via, v)
	}
	around := make([]any, 0, min(len(c.own), maxAround))
	for _, w := range c.own {
		if len(around) == maxAround-1 && len(c.own) > maxAround {
			around = append(around, Unknown{"what else stands around " + c.name.text})
			break
		}
		around = append(around, c.value(w))
	}
	var name any = c.name.text
	if !c.name.known {
		name = Unknown{c.name.why}
	}
	return map[string]any{"name": name, "operands": operands, "flags": flags, "redirects": redirects, "via": via,
		"around": around, ownKey: own{c}}, nil
}

// split sorts a command's words. A word that is not known may be either; a
// pattern may match a file whose name begins with a dash.
func (c *command) split() (flags, operands []any) {
	flags, operands = []any{}, []any{}
	var openFlags, openOperands string
	ended := false
	for _, w := range c.args {
		switch {
		case !w.known:
			operands = append(operands, Unknown{w.why})
			if !ended {
				openFlags, openOperands = w.why, w.why
			}
			if w.many {
				openOperands = w.why
			}
		case w.pattern:
			operands = append(operands, c.value(w))
			if !ended && w.begins('-') {
				openFlags = fmt.Sprintf("whether a file that %q matches begins with a dash", w.text)
			}
		case ended || len(w.text) < 2 || w.text[0] != '-':
			operands = append(operands, c.value(w))
		case openFlags != "": // the word before may be --, and this one no flag
			openOperands = openFlags
		case w.text == "--":
			ended = true
		default:
			flags = append(flags, w.text)
		}
	}
	if c.more != "" {
		openOperands = c.more
		if !ended {
			openFlags = c.more
		}
	}
	if openFlags != "" {
		flags = append(flags, Unknown{openFlags})
	}
	if openOperands != "" {
		operands = append(operands, Unknown{openOperands})
	}
	return flags, operands
}

// value is a word as conditions see it: a plain string where its text says all.
func (c *command) value(w word) any {
	switch {
	case !w.known:
		return Unknown{w.why}
	case w.pattern:
		return Pattern{Text: w.text, globs: subjects(w.globs(c.dirs)), one: w.one && !w.begins('-')}
	case w.tilde || strings.HasPrefix(w.text, "/") || c.home && !strings.HasPrefix(w.text, "~"):
		return w.text
	}
	return Word{Text: w.text, globs: w.globs(c.dirs)}
}
