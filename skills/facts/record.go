package facts

import (
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
)

// The bounds of one record. More operands or flags are an error; of the words of
// wrappers, what is beyond is unknown.
const (
	maxOperands = 64
	maxFlags    = 64
	maxAround   = 16
)

// ownKey is where the record of a command keeps the command itself, for functions
// that need its words in order. No condition can read it: it is no field.
const ownKey = ""

// own is what stands there.
type own struct{ *shell.Command }

// Hidden marks what a record holds for functions alone: it is not shown.
func (own) Hidden() {}

// String prints nothing: an address would differ from run to run.
func (own) String() string { return "" }

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
			}}, shell.MaxRedirects)},
		{"via", "the wrappers around it, outermost first: sudo, env, xargs, sh, eval, find, ...", ListOf(text, shell.MaxVia)},
		{"around", "the words of those wrappers, and the variables assigned before it, in order: FOO=1, -n, 5",
			ListOf(text, maxAround)},
	}}
}

// records turns a line into what conditions read: a list of maps, with Unknown
// at the end if the line may run more.
func records(l *shell.Line) ([]any, error) {
	out := make([]any, 0, len(l.Commands)+1)
	for i := range l.Commands {
		rec, err := record(&l.Commands[i])
		if err != nil {
			return nil, err
		}
		out = append(out, rec)
	}
	if l.Rest != "" {
		out = append(out, Unknown{l.Rest})
	}
	return out, nil
}

func record(c *shell.Command) (map[string]any, error) {
	flags, operands := split(c)
	if n := len(operands); n > maxOperands {
		return nil, fmt.Errorf("%s has %d operands, expected at most %d", c.Name.Text, n, maxOperands)
	}
	if n := len(flags); n > maxFlags {
		return nil, fmt.Errorf("%s has %d flags, expected at most %d", c.Name.Text, n, maxFlags)
	}
	redirects := make([]any, 0, len(c.Redirects))
	for _, r := range c.Redirects {
		redirects = append(redirects, map[string]any{"op": r.Op, "target": value(c.Opener(r), r.Target)})
	}
	via := make([]any, 0, len(c.Via))
	for _, v := range c.Via {
		via = append(via, v)
	}
	around := make([]any, 0, min(len(c.Own), maxAround))
	for _, w := range c.Own {
		if len(around) == maxAround-1 && len(c.Own) > maxAround {
			around = append(around, Unknown{"what else stands around " + c.Name.Text})
			break
		}
		around = append(around, value(c, w))
	}
	var name any = c.Name.Text
	if !c.Name.Known {
		name = Unknown{c.Name.Why}
	}
	return map[string]any{"name": name, "operands": operands, "flags": flags, "redirects": redirects, "via": via,
		"around": around, ownKey: own{c}}, nil
}

// split sorts a command's words. A word that is not known may be either; a
// pattern may match a file whose name begins with a dash.
func split(c *shell.Command) (flags, operands []any) {
	flags, operands = []any{}, []any{}
	var openFlags, openOperands string
	ended := false
	for _, w := range c.Args {
		switch {
		case !w.Known:
			operands = append(operands, Unknown{w.Why})
			if !ended {
				openFlags, openOperands = w.Why, w.Why
			}
			if w.Many {
				openOperands = w.Why
			}
		case w.Pattern:
			operands = append(operands, value(c, w))
			if !ended && w.Begins('-') {
				openFlags = fmt.Sprintf("whether a file that %q matches begins with a dash", w.Text)
			}
		case ended || len(w.Text) < 2 || w.Text[0] != '-':
			operands = append(operands, value(c, w))
		case openFlags != "": // the word before may be --, and this one no flag
			openOperands = openFlags
		case w.Text == "--":
			ended = true
		default:
			flags = append(flags, w.Text)
		}
	}
	if c.More != "" {
		openOperands = c.More
		if !ended {
			openFlags = c.More
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
func value(c *shell.Command, w shell.Word) any {
	switch {
	case !w.Known:
		return Unknown{w.Why}
	case w.Pattern:
		return Pattern{Text: w.Text, globs: glob.Subjects(c.Places(w)), one: w.One && !w.Begins('-')}
	case c.Moved(w):
		return Word{Text: w.Text, globs: c.Places(w), dirs: c.Dirs}
	case w.Tilde || strings.HasPrefix(w.Text, "/") || c.Home && !strings.HasPrefix(w.Text, "~"):
		return w.Text
	}
	return Word{Text: w.Text, globs: w.Globs(c.Dirs), dirs: c.Dirs}
}
