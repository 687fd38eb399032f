package facts

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// maxPattern bounds the pattern of a kind, in bytes.
const maxPattern = 1 << 10

// formReader compiles the lines of one list.
type formReader struct {
	kinds  map[string]*wordKind
	macros map[string][]string
	out    *Forms
}

// compileForms reads lines of three sorts:
//
//	NAME ~ PATTERN      a kind of word, which matches as a whole; with !~ no part of it may match;
//	                    if the name ends in FILE, it is a path at or below the root besides
//	NAME = WORDS        a shorthand for the words of a form
//	WORDS               a form
func compileForms(lines []string) (*Forms, error) {
	r := &formReader{kinds: builtinKinds(), macros: map[string][]string{}, out: &Forms{byName: map[string][]*form{}}}
	for _, l := range lines {
		if err := r.line(l); err != nil {
			return nil, fmt.Errorf("in the form %q: %w", l, err)
		}
	}
	return r.out, nil
}

func (r *formReader) line(text string) error {
	words := strings.Fields(text)
	if len(words) == 0 {
		return errors.New("it is empty")
	}
	if len(words) > 2 && isKindName(words[0]) {
		_, rest, _ := strings.Cut(text, words[1])
		switch words[1] {
		case "~", "!~":
			return r.pattern(words[0], words[1] == "!~", strings.TrimSpace(rest))
		case "=":
			r.macros[words[0]] = words[2:]
			return nil
		}
	}
	return r.form(r.spelledOut(words, 0))
}

// spelledOut replaces shorthands, also in each other's words.
func (r *formReader) spelledOut(words []string, depth int) []string {
	var out []string
	for _, w := range words {
		if m, ok := r.macros[w]; ok && depth < 8 {
			out = append(out, r.spelledOut(m, depth+1)...)
		} else {
			out = append(out, w)
		}
	}
	return out
}

func (r *formReader) pattern(name string, not bool, pattern string) error {
	if len(pattern) > maxPattern {
		return fmt.Errorf("its pattern has %d bytes, expected at most %d", len(pattern), maxPattern)
	}
	if builtinKinds()[name] != nil {
		return fmt.Errorf("%s is built in", name)
	}
	k := r.kinds[name]
	if k == nil {
		k = &wordKind{name: name, file: strings.HasSuffix(name, "FILE")}
		r.kinds[name] = k
	}
	to := &k.is
	if not {
		to = &k.not
	} else {
		pattern = `^(?:` + pattern + `)$`
	}
	if *to != nil {
		return fmt.Errorf("%s has a pattern already", name)
	}
	var err error
	*to, err = regexp.Compile(pattern)
	return err
}

// isKindName reports whether a word of a form names a kind or a shorthand.
func isKindName(w string) bool {
	return len(w) > 1 && strings.Trim(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == "" && w[0] >= 'A' && w[0] <= 'Z'
}

func newStep(w string) formStep {
	words := strings.Split(w, "|")
	for i, x := range words {
		words[i] = strings.Trim(x, "'")
	}
	return formStep{words: words, options: map[string]formOption{}}
}

func (r *formReader) operand(to *[]formOperand, w, name string) error {
	k := r.kinds[name]
	if k == nil {
		return fmt.Errorf("%s is not a kind of word", name)
	}
	if n := len(*to); n > 0 && (*to)[n-1].many {
		return fmt.Errorf("nothing can follow %q", (*to)[n-1].kind.name+"...")
	}
	*to = append(*to, formOperand{k, strings.HasSuffix(w, "?"), strings.HasSuffix(w, "...")})
	return nil
}

// option reads -x, --name, -name, -[xyz], -NUM; =KIND asks for a value,
// =KIND,KIND for two, and [=KIND] allows one that is joined.
func (r *formReader) option(f *form, w string) error {
	at := &f.steps[len(f.steps)-1]
	if w == "-NUM" {
		at.number = true
		return nil
	}
	var o formOption
	name := w
	if head, ok := strings.CutSuffix(w, "]"); ok && strings.Contains(head, "[=") {
		o.optional, w = true, strings.Replace(head, "[=", "=", 1)
	}
	if head, value, ok := strings.Cut(w, "="); ok {
		name = head
		for v := range strings.SplitSeq(value, ",") {
			k := r.kinds[v]
			if k == nil {
				return fmt.Errorf("%s is not a kind of word", v)
			}
			o.values = append(o.values, k)
		}
	}
	if letters, ok := strings.CutPrefix(name, "-["); ok {
		letters, ok = strings.CutSuffix(letters, "]")
		if !ok || len(o.values) > 0 {
			return fmt.Errorf("found %s, expected letters in brackets", w)
		}
		for _, c := range letters {
			at.options["-"+string(c)] = formOption{}
		}
		return nil
	}
	f.whole = f.whole || name[1] != '-' && len(name) > 2
	at.options[name] = o
	return nil
}

// checkForms says at load what is wrong with a list of forms.
func checkForms(v any) error {
	lines, ok := texts(v)
	if !ok {
		return errors.New("a form is a string")
	}
	_, err := compileForms(lines)
	return err
}

// prepareForms makes a checked list of forms ready.
func prepareForms(v any) any {
	lines, ok := texts(v)
	if !ok {
		return v
	}
	f, err := compileForms(lines)
	if err != nil {
		return v
	}
	return f
}

// texts is a list of strings as conditions hold it.
func texts(v any) ([]string, bool) {
	items, ok := v.([]any)
	if !ok {
		return nil, false
	}
	out := make([]string, len(items))
	for i, x := range items {
		if out[i], ok = x.(string); !ok {
			return nil, false
		}
	}
	return out, true
}

func (r *formReader) form(words []string) error {
	f := &form{}
	to := &f.operands
	for i, w := range words {
		var err error
		name := strings.TrimSuffix(strings.TrimSuffix(w, "..."), "?")
		switch {
		case i == 0:
			if isKindName(w) || w[0] == '-' {
				return errors.New("it begins with the name of a program")
			}
			f.steps = append(f.steps, newStep(w))
		case w == "--":
			f.behind, to = []formOperand{}, &f.behind
		case len(w) > 1 && w[0] == '-':
			err = r.option(f, w)
		case isKindName(name):
			err = r.operand(to, w, name)
		case len(f.operands) > 0 || f.behind != nil:
			err = fmt.Errorf("found %s behind a kind of word, expected a kind", w)
		default:
			f.steps = append(f.steps, newStep(w))
		}
		if err != nil {
			return err
		}
	}
	for _, name := range f.steps[0].words {
		r.out.byName[name] = append(r.out.byName[name], f)
	}
	return nil
}
