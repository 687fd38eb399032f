package shell

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/opencortex-go/cortex/skills/facts/internal/words"
)

// Some builtins evaluate their words: a shell that expects a number takes
// a[$(rm x)] for an expression, and runs what stands in it. What follows tells
// the words of which that cannot happen in any shell; each function returns what
// is unknown otherwise.

const evaluated = "what a shell runs that takes a word for an expression"

// number reports whether a word is a plain number.
func number(w Word) bool {
	if len(w.alts) == 1 && w.alts[0] == digits {
		return true // $? or $$
	}
	return w.Known && !w.Pattern && w.Text != "" && len(w.Text) < 10 && strings.Trim(w.Text, "0123456789") == ""
}

// counting looks at builtins that take numbers.
func counting(base string, args []Word) string {
	for _, w := range args {
		switch {
		case number(w):
		case !w.Known || w.Pattern || strings.ContainsAny(w.Text, "[]($`"):
			return evaluated
		case base == "kill" || base == "ulimit" || base == "wait": // names and flags
			if base == "ulimit" && w.Text[:1] != "-" && w.Text != "unlimited" {
				return evaluated
			}
		default:
			return evaluated
		}
	}
	return ""
}

// unary are the tests of one word that mean the same to every shell, and binary
// those of two. Those that compare numbers stand apart.
var (
	unary   = words.Of("-b -c -d -e -f -g -h -k -L -n -p -r -s -S -u -w -x -z")
	binary  = words.Of("= != -nt -ot -ef")
	numeric = words.Of("-eq -ne -lt -le -gt -ge")
)

// comparing looks at test and [: of the forms with up to four words, in which a
// word is an operator only by its place.
func comparing(args []Word) string {
	if n := len(args); n > 0 && args[n-1].Known && args[n-1].Text == "]" {
		args = args[:n-1]
	}
	is := func(w Word, set map[string]bool) bool { return w.Known && !w.Pattern && set[w.Text] }
	if len(args) > 1 && args[0].Known && args[0].Text == "!" {
		args = args[1:]
	}
	if slices.ContainsFunc(args, func(w Word) bool { return w.Many || w.Pattern && !w.One }) {
		return evaluated
	}
	switch {
	case len(args) < 2:
		return ""
	case len(args) == 2 && is(args[0], unary):
		return ""
	case len(args) == 3 && is(args[1], binary) &&
		(args[0].Known && !strings.HasPrefix(args[0].Text, "-") || is(args[1], words.Of("= !="))):
		return ""
	case len(args) == 3 && is(args[1], numeric) && number(args[0]) && number(args[2]):
		return ""
	}
	return evaluated
}

// plainFormat are formats whose arguments are text.
var plainFormat = regexp.MustCompile(`^([^%]|%%|%-?[0-9]{0,4}(\.[0-9]{1,4})?[sbc])*$`)

// printing looks at printf: a number may be an expression to it, and -v sets a
// variable.
func printing(args []Word) string {
	if len(args) == 0 {
		return ""
	}
	format, rest := args[0], args[1:]
	if format.Known && format.Text == "--" && len(rest) > 0 {
		format, rest = rest[0], rest[1:]
	}
	if !format.Known || format.Pattern || strings.HasPrefix(format.Text, "-") {
		return "what printf sets"
	}
	if plainFormat.MatchString(format.Text) || !slices.ContainsFunc(rest, func(w Word) bool { return !number(w) }) {
		return ""
	}
	return evaluated
}

// sets looks at read and unset: harmless where they set variables that no shell
// and no program uses.
func (r *reader) sets(base string, args []Word) string {
	for _, w := range args {
		if base == "read" && w.Known && w.Text == "-r" {
			continue
		}
		_, inherited := r.env.Vars[w.Text]
		if !w.Known || w.Pattern || !syntax.ValidName(w.Text) || inherited || specialVariable(w.Text) ||
			programVariable(w.Text) {
			return "what " + base + " sets"
		}
	}
	return ""
}

// setOptions returns what is unknown after set: most options change how a line is
// read.
func setOptions(args []Word) string {
	for i, w := range args {
		switch {
		case !w.Known || w.Pattern:
			return "how the shell reads a line after set"
		case w.Text == "--":
			return ""
		case i > 0 && strings.HasSuffix(args[i-1].Text, "o") &&
			slices.Contains([]string{"pipefail", "errexit", "nounset", "xtrace"}, w.Text):
		case len(w.Text) > 1 && w.Text[0] == '-' && strings.Trim(w.Text[1:], "euxo") == "":
		default:
			return "how the shell reads a line after set"
		}
	}
	return ""
}
