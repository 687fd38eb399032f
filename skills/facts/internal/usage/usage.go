// Package usage reads the words of network and package programs by the table of
// their options: which word is the value of which option, and what it is.
package usage

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/options"
	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
)

// Reader reads the words of one command by the table of its program's options,
// and tells Visit every value and operand: what it is, of which option ("" for
// an operand), and the word.
type Reader struct {
	Program *options.Program
	Section *options.Section
	Visit   func(kind options.Kind, option string, w shell.Word)
	Bundle  func(text string) // a word of short flags without any value; nil if nobody asks
	Why     string            // why there may be more than was told; ""
	Stray   bool              // Why is an option that the table does not have
	Local   bool              // a subcommand that names no host, and whose words were not read
	listens bool
	place   int // how many operands there were
}

// Read reads the words of a command.
func (u *Reader) Read(args []shell.Word) {
	ended := false
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case !w.Known:
			u.Unsure(w.Why)
			u.place++
		case ended || len(w.Text) < 2 || w.Text[0] != '-':
			if w.Pattern && !ended && w.Begins('-') {
				u.Unsure("whether a file that " + w.Text + " matches is an option")
			}
			if u.enter(w) {
				ended = false
				continue
			}
			if u.Local {
				return
			}
			kind := u.Section.Operand(u.place)
			if u.listens {
				kind = options.Plain
			}
			if kind == options.Rest || kind == options.Command {
				u.rest(kind, args[i:])
				return
			}
			u.Visit(kind, "", w)
			u.place++
			ended = ended || u.Section.Posix
		case w.Text == "--":
			ended = !u.Section.Again
		case w.Pattern:
			u.Unsure("which option " + w.Text + " matches")
		default:
			var over bool
			if i, over = u.option(args, i); over {
				return
			}
		}
	}
}

// Unsure notes why there may be more. The first reason counts.
func (u *Reader) Unsure(why string) {
	if u.Why == "" {
		u.Why = why
	}
}

// enter takes a word for a subcommand, and reports whether it is one.
func (u *Reader) enter(w shell.Word) bool {
	root := u.Section.Name == u.Program.Name
	if u.place > 0 {
		return false
	}
	if root && u.Program.Name == "cargo" && strings.HasPrefix(w.Text, "+") {
		return true // the toolchain
	}
	if sub := u.Program.Sub(u.Section, w.Text); sub != nil && !w.Pattern {
		u.Section = sub
		return true
	}
	switch commands := root && len(u.Program.Sections) > 1; {
	case commands && u.Program.IsLocal(w.Text):
		u.Local = true
	case commands, len(u.Section.Operands) == 0:
		u.Unsure("what " + u.Section.Name + " " + w.Text + " does")
	}
	return false
}

// rest tells the words behind which no option counts.
func (u *Reader) rest(kind options.Kind, words []shell.Word) {
	if kind == options.Command {
		u.Visit(kind, "", shell.Word{}) // the words follow, the first is the name
	}
	for _, w := range words {
		u.Visit(options.Rest, "", w)
	}
}

// option reads the option at args[i] and returns the place of its last word, and
// whether everything behind it is for something else.
func (u *Reader) option(args []shell.Word, i int) (last int, over bool) {
	text := args[i].Text
	switch {
	case u.Program.Style == options.Dash:
		return u.long(strings.TrimPrefix(text[1:], "-"), args, i)
	case strings.HasPrefix(text, "--"):
		return u.long(text[2:], args, i)
	case u.Program.Style == options.Nopt && !u.bundled(text[1:]):
		return u.long(text[1:], args, i)
	}
	return u.short(args, i)
}

// bundled reports whether all letters are short options; npm takes a word that
// is not for a long one.
func (u *Reader) bundled(letters string) bool {
	if name, _, _ := strings.Cut(letters, "="); len(name) > 1 {
		if _, ok := u.Program.Exact(u.Section, name); ok {
			return false
		}
	}
	for i := range len(letters) {
		if _, ok := u.Program.Short(u.Section, letters[i:i+1]); !ok {
			return false
		}
	}
	return true
}

// long reads name, or name=value.
func (u *Reader) long(text string, args []shell.Word, i int) (last int, over bool) {
	name, value, attached := strings.Cut(text, "=")
	o, ok := u.Program.Long(u.Section, name)
	if !ok {
		if positive, no := strings.CutPrefix(name, "no-"); no {
			if o, ok = u.Program.Exact(u.Section, positive); ok && o.Takes != options.Needs && !attached {
				return i, false
			}
		}
		u.unlisted(args[i].Text)
		return i, false
	}
	if attached {
		if o.Takes != options.None || o.Value != options.Plain {
			u.Visit(o.Value, o.Name, shell.Known(value))
		}
		return i, false
	}
	return u.value(o, args, i)
}

// short reads a word of short options.
func (u *Reader) short(args []shell.Word, i int) (last int, over bool) {
	text, plain := args[i].Text, true
	for j := 1; j < len(text); j++ {
		o, ok := u.Program.Short(u.Section, text[j:j+1])
		if !ok {
			u.unlisted(text)
			return i, false
		}
		if o.Takes != options.None {
			if j+1 < len(text) {
				u.Visit(o.Value, o.Name, shell.Known(text[j+1:]))
				return i, false
			}
			if plain && u.Bundle != nil {
				u.Bundle(text)
			}
			return u.value(o, args, i)
		}
		plain = plain && o.Value == options.Plain
		if last, over = u.value(o, args, i); over {
			return last, over
		}
	}
	if plain && u.Bundle != nil {
		u.Bundle(text)
	}
	return i, false
}

// value reads the value of an option whose word is over.
func (u *Reader) value(o options.Option, args []shell.Word, i int) (last int, over bool) {
	switch {
	case o.Takes == options.None:
		switch o.Value {
		case options.Plain:
		case options.Listens:
			u.listens = true
		case options.Ends:
			return i, true
		default:
			u.Visit(o.Value, o.Name, shell.Word{Known: true})
		}
		return i, false
	case i+1 == len(args):
		return i, false
	}
	next := args[i+1]
	if o.Takes == options.Maybe {
		// Some programs take the next word for the value, others do not.
		if next.Known && !strings.HasPrefix(next.Text, "-") && o.Value != options.Plain {
			u.Visit(o.Value, o.Name, next)
		}
		return i, false
	}
	switch {
	case !next.Known && next.Many, next.Pattern:
		u.Unsure("how many words stand behind " + args[i].Text)
	case u.Program.Style == options.Nopt && strings.HasPrefix(next.Text, "-"):
		u.Unsure("which value " + args[i].Text + " has")
	}
	u.Visit(o.Value, o.Name, next)
	return i + 1, false
}

// unlisted notes an option that the table does not have.
func (u *Reader) unlisted(text string) {
	u.Unsure("what the option " + text + " of " + u.Program.Name + " does")
	u.Stray = true
}

// Opens names what hides hosts, for the reason.
func Opens(u *Reader, option string, w shell.Word) string {
	if option == "" {
		return u.Program.Name + " " + w.Text
	}
	dash := "--"
	if len(option) == 1 || u.Program.Style == options.Dash {
		dash = "-"
	}
	return strings.TrimSpace(u.Program.Name + " " + dash + option + " " + w.Text)
}
