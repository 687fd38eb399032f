package main

import (
	"regexp"
	"strings"
)

// value is what follows the name of an option on its line: whether it takes one,
// and how much of the line that was.
type value func(rest string) (takes, int)

var (
	spelling = regexp.MustCompile(`^--?(\[no-\])?[A-Za-z0-9#?:@][-A-Za-z0-9_.]*`)
	angle    = regexp.MustCompile(
		`^(?: |=)?(?:<[^>]*>|\((?:[a-z-]+\|)+[a-z-]+\))(?:\.\.\.)?(?:\[:?[^\]]*\])?|^ \S*<[^>]*>\S*|^ \[\S+\]\S+`)
	angleOpt = regexp.MustCompile(`^\[=?[<(][^\]]*\]| \[(?:<[^>]*>(?:\.\.\.)?|bool|prod)\]`)
	equals   = regexp.MustCompile(`^=\S+`)
	equalOpt = regexp.MustCompile(`^\[=[^\]]*\]`)
	bare     = regexp.MustCompile(`^ [^ (-]\S*( \S+)*(  |$)`)
	bareOpt  = regexp.MustCompile(`^ ?\[[^\]]*\]|^ string\[="[^"]*"\]`)
)

func angleValue(rest string) (takes, int) {
	if m := angleOpt.FindStringIndex(rest); m != nil && m[0] == 0 {
		return optional, m[1]
	}
	if m := angle.FindString(rest); m != "" {
		return required, len(m)
	}
	return none, 0
}

func equalsValue(rest string) (takes, int) {
	if m := equalOpt.FindString(rest); m != "" {
		return optional, len(m)
	}
	if m := equals.FindString(rest); m != "" {
		return required, len(strings.TrimSuffix(m, ","))
	}
	return none, 0
}

func bareValue(rest string) (takes, int) {
	if m := bareOpt.FindString(rest); m != "" {
		return optional, len(m)
	}
	if m := bare.FindString(rest); m != "" {
		return required, len(strings.TrimRight(m, " "))
	}
	return none, 0
}

// columns reads lines that begin with an option's spellings. A text without any
// shows its options in brackets, behind "usage:".
func columns(read value) func(string) []option {
	return func(text string) []option {
		var out []option
		for line := range strings.Lines(text) {
			if o, ok := entry(strings.TrimRight(line, "\n"), read); ok {
				out = append(out, o)
			}
		}
		if len(out) == 0 {
			for _, m := range bracketed.FindAllString(text, -1) {
				if o, ok := entry(m, read); ok {
					out = append(out, o)
				}
			}
		}
		return out
	}
}

// bracketed is an option as a usage line shows it: [-C <path>], [-f|--force].
var bracketed = regexp.MustCompile(
	`--?[A-Za-z][-A-Za-z]*((?: \| |\|)--?[A-Za-z][-A-Za-z]*)*(?:\[=<[^>]*>\]|[= ]<[^>]*>(?:=<[^>]*>)?)?`)

// maxIndent is how far in the help texts an option may begin.
const maxIndent = 20

// between are what stands between two spellings of one option.
var between = regexp.MustCompile(`^(, +|,| \| |\|| / )-`)

// entry reads one line of columns.
func entry(line string, read value) (option, bool) {
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > maxIndent {
		return option{}, false // a sentence that goes on
	}
	o := option{text: strings.TrimSpace(line)}
	for {
		m := spelling.FindString(rest)
		if m == "" {
			return o, len(o.names) > 0
		}
		rest = rest[len(m):]
		m = strings.TrimRight(m, ".") // --verbose... may be given more than once
		if long, ok := strings.CutPrefix(m, "--[no-]"); ok {
			o.names = append(o.names, "--"+long, "--no-"+long)
		} else {
			o.names = append(o.names, m)
		}
		t, n := read(rest)
		o.takes, rest = max(o.takes, t), rest[n:]
		sep := between.FindString(rest)
		if sep == "" {
			return o, true
		}
		rest = rest[len(sep)-1:]
	}
}
