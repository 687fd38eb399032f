package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// review is what a person says of one program: review/<program>.txt. A line is a
// keyword and words; # begins a comment; [git clone] begins what is said of one
// section alone. Keywords are the kinds of values, which are followed by options,
// and those in directives.
type review struct {
	all      notes            // of every section
	sections map[string]notes // of one
	order    []string
}

// notes are the words behind each keyword.
type notes map[string][]string

// kinds are what a value can be; each is a constant of the options package.
var kinds = []string{
	"plain", "host", "place", "remote", "image", "package", "module", "path", "data", "dsn", "opaque", "list",
	"hides", "setting", "variable", "address", "looks", "listens", "rest", "command", "ends",
}

// directives are the other keywords: how words are read (style, posix, again), what
// stands in operands, what the help leaves out or says wrongly (takes, optional,
// none, more, skip), and the subcommands that name no host (local).
var directives = []string{"style",
	"posix", "again", "inherits", "operands", "takes", "optional", "none", "more", "skip", "local"}

// readReview reads a program's review.
func readReview(files fs.FS, name string) (*review, error) {
	data, err := fs.ReadFile(files, "review/"+name+".txt")
	if err != nil {
		return nil, err
	}
	r := &review{all: notes{}, sections: map[string]notes{}}
	at := r.all
	for i, line := range bytes.Split(data, []byte("\n")) {
		text, _, _ := strings.Cut(string(line), "# ")
		text = strings.TrimSpace(text)
		if text == "" || text == "#" {
			continue
		}
		if strings.HasPrefix(text, "[") {
			section := strings.Trim(text, "[]")
			at = notes{}
			r.sections[section] = at
			r.order = append(r.order, section)
			continue
		}
		words := strings.Fields(text)
		if !slices.Contains(kinds, words[0]) && !slices.Contains(directives, words[0]) {
			return nil, fmt.Errorf("review/%s.txt:%d: unknown keyword %q", name, i+1, words[0])
		}
		at[words[0]] = append(at[words[0]], words[1:]...)
	}
	return r, nil
}

// has reports whether a keyword is given, for a section or for all.
func (r *review) has(section, keyword string) bool {
	_, own := r.sections[section][keyword]
	_, all := r.all[keyword]
	return own || all
}

// words are the words of a keyword: the section's own, else those for all.
func (r *review) words(section, keyword string) []string {
	if own, ok := r.sections[section][keyword]; ok {
		return own
	}
	return r.all[keyword]
}

// lists reports whether a keyword names one of the spellings, for the section or
// for all sections.
func (r *review) lists(section, keyword string, names []string) bool {
	in := func(n notes) bool {
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(n[keyword], name) })
	}
	return in(r.sections[section]) || in(r.all)
}

// kind is what the value of an option is: as the section says, else as said for
// all. It is empty where the review does not say.
func (r *review) kind(section string, names []string) string {
	for _, n := range []notes{r.sections[section], r.all} {
		for _, k := range kinds {
			if slices.ContainsFunc(names, func(name string) bool { return slices.Contains(n[k], name) }) {
				return k
			}
		}
	}
	return ""
}

// correct applies what the review says of a section's options where the help is
// silent or wrong.
func (r *review) correct(s section) section {
	for i := range s.options {
		names := slices.Clone(s.options[i].names)
		s.options[i].names = slices.DeleteFunc(names, func(n string) bool { return r.lists(s.name, "skip", []string{n}) })
	}
	for _, n := range []notes{r.all, r.sections[s.name]} {
		for _, name := range n["more"] {
			if !slices.ContainsFunc(s.options, func(o option) bool { return slices.Contains(o.names, name) }) {
				s.options = append(s.options, option{names: []string{name}, text: "review: more " + name})
			}
		}
	}
	var kept []option
	for _, o := range s.options {
		switch {
		case len(o.names) == 0:
			continue
		case r.lists(s.name, "takes", o.names):
			o.takes = required
		case r.lists(s.name, "optional", o.names):
			o.takes = optional
		case r.lists(s.name, "none", o.names):
			o.takes = none
		}
		kept = append(kept, o)
	}
	s.options = kept
	return s
}

// strangers are the names in a review that no section of its program has: the
// help has changed, or they are misspelt.
func (r *review) strangers(sections []section) []string {
	known := map[string]bool{}
	for _, s := range sections {
		for _, o := range s.options {
			for _, n := range o.names {
				known[n] = true
			}
		}
	}
	var out []string
	for _, n := range append([]notes{r.all}, sectionNotes(r)...) {
		for keyword, words := range n {
			switch keyword {
			case "operands", "style", "posix", "again", "inherits", "local", "skip":
				continue
			}
			for _, w := range words {
				if !known[w] {
					out = append(out, keyword+" "+w)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func sectionNotes(r *review) []notes {
	var out []notes
	for _, name := range r.order {
		out = append(out, r.sections[name])
	}
	return out
}
