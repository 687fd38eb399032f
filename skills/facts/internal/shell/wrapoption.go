package shell

import (
	"slices"
	"strconv"
	"strings"
)

// option is one option of a wrapper as it was found.
type option struct {
	name  string // "u" or "user"
	value Word
}

// options reads a wrapper's own words: its options, then what they stand before.
// It reports false, and everything from there on, at a word it cannot read.
func (spec wrapper) options(ws []Word) (opts []option, rest []Word, ok bool) {
	for len(ws) > 0 {
		w := ws[0]
		if !w.Known || w.Pattern {
			return opts, ws, false
		}
		t := w.Text
		if t == "--" {
			ws = ws[1:]
			break
		}
		if len(t) < 2 || t[0] != '-' && !(spec.numbers && t[0] == '+') {
			if t != "-" || !strings.Contains(spec.flags, "i") {
				break
			}
			ws = ws[1:]
			continue
		}
		var o []option
		if o, ws, ok = spec.option(t, ws[1:]); !ok {
			return opts, append([]Word{w}, ws...), false
		}
		opts = append(opts, o...)
	}
	if len(ws) < spec.skip {
		return opts, nil, true
	}
	for _, w := range ws[:spec.skip] {
		if w.Pattern || w.Many {
			return opts, ws, false
		}
	}
	return opts, ws[spec.skip:], true
}

// option reads one word with options, and the value after it if there is one.
func (spec wrapper) option(t string, ws []Word) ([]option, []Word, bool) {
	if strings.HasPrefix(t, "--") {
		return spec.longOption(t[2:], ws)
	}
	if spec.numbers && isInteger(t) {
		return nil, ws, true
	}
	var opts []option
	for i := 1; i < len(t); i++ {
		c := t[i : i+1]
		switch at := strings.Index(spec.flags, c); {
		case c != "?" && strings.Contains(spec.values, c):
			if i+1 < len(t) {
				return append(opts, option{c, Known(t[i+1:])}), ws, true
			}
			if len(ws) == 0 || ws[0].Many {
				return opts, ws, false
			}
			return append(opts, option{c, ws[0]}), ws[1:], true
		case slices.Contains(strings.Fields(spec.prints), c):
			opts = append(opts, option{name: c})
		case c == "?" || at < 0:
			return opts, ws, false
		case strings.HasPrefix(spec.flags[at+1:], "?"):
			return append(opts, option{c, Known(t[i+1:])}), ws, true
		default:
			opts = append(opts, option{name: c})
		}
	}
	return opts, ws, true
}

// longOption reads --name, --name=value and --name value. GNU programs take any
// beginning of a name that fits one option only.
func (spec wrapper) longOption(t string, ws []Word) ([]option, []Word, bool) {
	name, value, attached := strings.Cut(t, "=")
	var fits []string
	withValue := strings.Fields(spec.long)
	for _, n := range slices.Concat(withValue, strings.Fields(spec.bools), strings.Fields(spec.prints),
		[]string{"help", "version"}) {
		if n == name {
			fits = []string{n}
			break
		}
		if strings.HasPrefix(n, name) && len(n) > 1 && !slices.Contains(fits, n) {
			fits = append(fits, n)
		}
	}
	switch {
	case len(fits) != 1:
		return nil, ws, false
	case attached:
		return []option{{fits[0], Known(value)}}, ws, true
	case fits[0] == "replace" || fits[0] == "eof" || fits[0] == "max-lines":
		return []option{{fits[0], Word{}}}, ws, true // their value is optional
	case slices.Contains(withValue, fits[0]):
		if len(ws) == 0 || ws[0].Many {
			return nil, ws, false
		}
		return []option{{fits[0], ws[0]}}, ws[1:], true
	}
	return []option{{name: fits[0]}}, ws, true
}

func isInteger(s string) bool {
	_, err := strconv.ParseInt(s, 10, 64)
	return err == nil
}
