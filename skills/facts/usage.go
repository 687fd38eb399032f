package facts

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/options"
)

// usage reads the words of one command by the table of its program's options,
// and tells visit every value and operand: what it is, of which option ("" for
// an operand), and the word.
type usage struct {
	program *options.Program
	section *options.Section
	visit   func(kind options.Kind, option string, w word)
	bundle  func(text string) // a word of short flags without any value; nil if nobody asks
	why     string            // why there may be more than was told; ""
	stray   bool              // why is an option that the table does not have
	local   bool              // a subcommand that names no host, and whose words were not read
	listens bool
	place   int // how many operands there were
}

// use is a program of the table and where its words begin.
type use struct {
	program *options.Program
	section *options.Section
	args    []word
}

// read reads the words of a command.
func (u *usage) read(args []word) {
	ended := false
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case !w.known:
			u.unsure(w.why)
			u.place++
		case ended || len(w.text) < 2 || w.text[0] != '-':
			if w.pattern && !ended && strings.IndexByte("*?[", w.glob[0]) >= 0 {
				u.unsure("whether a file that " + w.text + " matches is an option")
			}
			if u.enter(w) {
				ended = false
				continue
			}
			if u.local {
				return
			}
			kind := u.section.Operand(u.place)
			if u.listens {
				kind = options.Plain
			}
			if kind == options.Rest || kind == options.Command {
				u.rest(kind, args[i:])
				return
			}
			u.visit(kind, "", w)
			u.place++
			ended = ended || u.section.Posix
		case w.text == "--":
			ended = !u.section.Again
		case w.pattern:
			u.unsure("which option " + w.text + " matches")
		default:
			var over bool
			if i, over = u.option(args, i); over {
				return
			}
		}
	}
}

func (u *usage) unsure(why string) {
	if u.why == "" {
		u.why = why
	}
}

// enter takes a word for a subcommand, and reports whether it is one.
func (u *usage) enter(w word) bool {
	root := u.section.Name == u.program.Name
	if u.place > 0 {
		return false
	}
	if root && u.program.Name == "cargo" && strings.HasPrefix(w.text, "+") {
		return true // the toolchain
	}
	if sub := u.program.Sub(u.section, w.text); sub != nil && !w.pattern {
		u.section = sub
		return true
	}
	switch commands := root && len(u.program.Sections) > 1; {
	case commands && u.program.IsLocal(w.text):
		u.local = true
	case commands, len(u.section.Operands) == 0:
		u.unsure("what " + u.section.Name + " " + w.text + " does")
	}
	return false
}

// rest tells the words behind which no option counts.
func (u *usage) rest(kind options.Kind, words []word) {
	if kind == options.Command {
		u.visit(kind, "", word{}) // the words follow, the first is the name
	}
	for _, w := range words {
		u.visit(options.Rest, "", w)
	}
}

// option reads the option at args[i] and returns the place of its last word, and
// whether everything behind it is for something else.
func (u *usage) option(args []word, i int) (last int, over bool) {
	text := args[i].text
	switch {
	case u.program.Style == options.Dash:
		return u.long(strings.TrimPrefix(text[1:], "-"), args, i)
	case strings.HasPrefix(text, "--"):
		return u.long(text[2:], args, i)
	case u.program.Style == options.Nopt && !u.bundled(text[1:]):
		return u.long(text[1:], args, i)
	}
	return u.short(args, i)
}

// bundled reports whether all letters are short options; npm takes a word that
// is not for a long one.
func (u *usage) bundled(letters string) bool {
	if name, _, _ := strings.Cut(letters, "="); len(name) > 1 {
		if _, ok := u.program.Exact(u.section, name); ok {
			return false
		}
	}
	for i := range len(letters) {
		if _, ok := u.program.Short(u.section, letters[i:i+1]); !ok {
			return false
		}
	}
	return true
}

// long reads name, or name=value.
func (u *usage) long(text string, args []word, i int) (last int, over bool) {
	name, value, attached := strings.Cut(text, "=")
	o, ok := u.program.Long(u.section, name)
	if !ok {
		if positive, no := strings.CutPrefix(name, "no-"); no {
			if o, ok = u.program.Exact(u.section, positive); ok && o.Takes != options.Needs && !attached {
				return i, false
			}
		}
		u.unlisted(args[i].text)
		return i, false
	}
	if attached {
		if o.Takes != options.None || o.Value != options.Plain {
			u.visit(o.Value, o.Name, known(value))
		}
		return i, false
	}
	return u.value(o, args, i)
}

// short reads a word of short options.
func (u *usage) short(args []word, i int) (last int, over bool) {
	text, plain := args[i].text, true
	for j := 1; j < len(text); j++ {
		o, ok := u.program.Short(u.section, text[j:j+1])
		if !ok {
			u.unlisted(text)
			return i, false
		}
		if o.Takes != options.None {
			if j+1 < len(text) {
				u.visit(o.Value, o.Name, known(text[j+1:]))
				return i, false
			}
			if plain && u.bundle != nil {
				u.bundle(text)
			}
			return u.value(o, args, i)
		}
		plain = plain && o.Value == options.Plain
		if last, over = u.value(o, args, i); over {
			return last, over
		}
	}
	if plain && u.bundle != nil {
		u.bundle(text)
	}
	return i, false
}

// value reads the value of an option whose word is over.
func (u *usage) value(o options.Option, args []word, i int) (last int, over bool) {
	switch {
	case o.Takes == options.None:
		switch o.Value {
		case options.Plain:
		case options.Listens:
			u.listens = true
		case options.Ends:
			return i, true
		default:
			u.visit(o.Value, o.Name, word{known: true})
		}
		return i, false
	case i+1 == len(args):
		return i, false
	}
	next := args[i+1]
	if o.Takes == options.Maybe {
		// Some programs take the next word for the value, others do not.
		if next.known && !strings.HasPrefix(next.text, "-") && o.Value != options.Plain {
			u.visit(o.Value, o.Name, next)
		}
		return i, false
	}
	switch {
	case !next.known && next.many, next.pattern:
		u.unsure("how many words stand behind " + args[i].text)
	case u.program.Style == options.Nopt && strings.HasPrefix(next.text, "-"):
		u.unsure("which value " + args[i].text + " has")
	}
	u.visit(o.Value, o.Name, next)
	return i + 1, false
}

// unlisted notes an option that the table does not have.
func (u *usage) unlisted(text string) {
	u.unsure("what the option " + text + " of " + u.program.Name + " does")
	u.stray = true
}
