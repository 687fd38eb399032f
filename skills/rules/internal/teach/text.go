package teach

import (
	"regexp"
	"strconv"
	"strings"
)

// token is how expr's parser names what it did not expect.
var token = regexp.MustCompile(`^unexpected token ([A-Z][A-Za-z]*)(?:\((.*)\))?$`)

// Text says in our words what is wrong with a condition in expr's syntax, by what expr's
// parser says of it. asForm reports that a name begins forms.
func Text(message, text string, asForm func(name string) bool) string {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "an empty text, expected a condition such as \"action.tool == 'shell'\""
	case isForm(text, asForm):
		return "this is a form in quotes: leave the quotes away"
	}
	if m := token.FindStringSubmatch(message); m != nil {
		return unexpected(m[1], m[2])
	}
	for _, known := range []struct{ says, means string }{
		{"unexpected end of expression", "the text ends where a value is due"},
		{"literal not terminated", "a string is never closed: '...'"},
		{"expected at least", "too few arguments: a loop takes a list and what it asks of each element"},
		{"invalid char escape", `an escape that is none; \n \t \\ \" and \u0041 are`},
		{"unable to unescape", `an escape that is none; \n \t \\ \" and \u0041 are`},
		{"too large string", "a string that is too long"},
		{"integer literal is too large", "an integer beyond 64 bits"},
		{"float literal is too large", "a number that is too large"},
		{"literal: ", "a number that cannot be read"}, // "invalid hex literal: strconv ..."
		{"bad number syntax", "a number that cannot be read"},
		{"unclosed comment", "a comment is never closed: /* */"},
		{"cannot be mixed", "?? is not part of rule conditions; use get"},
		{"a map key must be", "an object with members cannot be written in a condition"},
		{"expected name", "a dot with no name after it"},
		{"wrap predicate", "what a loop asks of each element cannot be read; write it in { }"},
		{"maximum allowed nodes", "it is too long"},
	} {
		if strings.Contains(message, known.says) {
			return known.means
		}
	}
	if _, c, ok := strings.Cut(message, "unrecognized character: "); ok { // U+0040 '@'
		_, c, _ = strings.Cut(c, " ")
		return "found " + c + ", which means nothing here"
	}
	return "this text cannot be read as a condition"
}

// unexpected is what is wrong with a token, by its kind and text.
func unexpected(kind, value string) string {
	if s, err := strconv.Unquote(value); err == nil {
		value = s
	}
	if len(value) > 40 {
		value = value[:40]
	}
	switch {
	case kind == "EOF":
		return "the text ends where a value is due"
	case value == "=":
		return "found =, expected == to compare"
	case value == "&":
		return "found &, expected && or and"
	case value == "|":
		return "found |, expected || or or"
	case value == "#":
		return "# stands for an element inside any, all, none, count, filter, map and sum alone; elsewhere, write it"
	case kind == "String":
		return "found a string, expected an operator before it"
	case kind == "Operator", kind == "Bracket":
		return "found " + value + ", which cannot stand here"
	}
	return "found " + strconv.Quote(value) + ", expected an operator such as == or and before it"
}

// isForm reports whether a text is a form: ( and a name that begins one.
func isForm(text string, asForm func(string) bool) bool {
	inner, ok := strings.CutPrefix(text, "(")
	if !ok {
		return false
	}
	name, _, ok := strings.Cut(inner, " ")
	return ok && asForm(name)
}
