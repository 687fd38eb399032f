package facts

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Some builtins evaluate their words: a shell that expects a number takes
// a[$(rm x)] for an expression, and runs what stands in it. What follows tells
// the words of which that cannot happen in any shell; each function returns what
// is unknown otherwise.

const evaluated = "what a shell runs that takes a word for an expression"

// number reports whether a word is a plain number.
func number(w word) bool {
	if len(w.alts) == 1 && w.alts[0] == digits {
		return true // $? or $$
	}
	return w.known && !w.pattern && w.text != "" && len(w.text) < 10 && strings.Trim(w.text, "0123456789") == ""
}

// counting looks at builtins that take numbers.
func counting(base string, args []word) string {
	for _, w := range args {
		switch {
		case number(w):
		case !w.known || w.pattern || strings.ContainsAny(w.text, "[]($`"):
			return evaluated
		case base == "kill" || base == "ulimit" || base == "wait": // names and flags
			if base == "ulimit" && w.text[:1] != "-" && w.text != "unlimited" {
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
	unary   = words("-b -c -d -e -f -g -h -k -L -n -p -r -s -S -u -w -x -z")
	binary  = words("= != -nt -ot -ef")
	numeric = words("-eq -ne -lt -le -gt -ge")
)

// comparing looks at test and [: of the forms with up to four words, in which a
// word is an operator only by its place.
func comparing(args []word) string {
	if n := len(args); n > 0 && args[n-1].known && args[n-1].text == "]" {
		args = args[:n-1]
	}
	is := func(w word, set map[string]bool) bool { return w.known && !w.pattern && set[w.text] }
	if len(args) > 1 && args[0].known && args[0].text == "!" {
		args = args[1:]
	}
	if slices.ContainsFunc(args, func(w word) bool { return w.many || w.pattern && !w.one }) {
		return evaluated
	}
	switch {
	case len(args) < 2:
		return ""
	case len(args) == 2 && is(args[0], unary):
		return ""
	case len(args) == 3 && is(args[1], binary) &&
		(args[0].known && !strings.HasPrefix(args[0].text, "-") || is(args[1], words("= !="))):
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
func printing(args []word) string {
	if len(args) == 0 {
		return ""
	}
	format, rest := args[0], args[1:]
	if format.known && format.text == "--" && len(rest) > 0 {
		format, rest = rest[0], rest[1:]
	}
	if !format.known || format.pattern || strings.HasPrefix(format.text, "-") {
		return "what printf sets"
	}
	if plainFormat.MatchString(format.text) || !slices.ContainsFunc(rest, func(w word) bool { return !number(w) }) {
		return ""
	}
	return evaluated
}

// sets looks at read and unset: harmless where they set variables that no shell
// and no program uses.
func (r *reader) sets(base string, args []word) string {
	for _, w := range args {
		if base == "read" && w.known && w.text == "-r" {
			continue
		}
		_, inherited := r.env.vars[w.text]
		if !w.known || w.pattern || !syntax.ValidName(w.text) || inherited || specialVariable(w.text) ||
			programVariable(w.text) {
			return "what " + base + " sets"
		}
	}
	return ""
}

// setOptions returns what is unknown after set: most options change how a line is
// read.
func setOptions(args []word) string {
	for i, w := range args {
		switch {
		case !w.known || w.pattern:
			return "how the shell reads a line after set"
		case w.text == "--":
			return ""
		case i > 0 && strings.HasSuffix(args[i-1].text, "o") &&
			slices.Contains([]string{"pipefail", "errexit", "nounset", "xtrace"}, w.text):
		case len(w.text) > 1 && w.text[0] == '-' && strings.Trim(w.text[1:], "euxo") == "":
		default:
			return "how the shell reads a line after set"
		}
	}
	return ""
}
