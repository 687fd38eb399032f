package glob

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Subject is one glob that a path may be, read once, when that is first needed,
// however many patterns it is held against.
type Subject struct {
	Text  string // as a glob
	read  bool
	plain string // the one text that it matches, if ...
	one   bool   // ... there is no other
	rows  []row  // otherwise
	wild  bool   // nobody can read it: it may match anything
}

// New is what a path that is known as a glob may be.
func New(glob string) *Subject { return &Subject{Text: glob} }

// Subjects are globs that one path may be.
func Subjects(globs []string) []Subject {
	out := make([]Subject, len(globs))
	for i, g := range globs {
		out[i].Text = g
	}
	return out
}

// ready reads the glob.
func (s *Subject) ready() *Subject {
	if s.read {
		return s
	}
	s.read = true
	if s.plain, s.one = Unescape(s.Text); s.one {
		return s
	}
	var err error
	s.rows, err = Compile(s.Text)
	s.wild = err != nil
	return s
}

// Matches reports whether a path that the subject may be matches pattern.
func (s *Subject) Matches(pattern string) (bool, error) {
	if s.ready().one {
		return doublestar.Match(pattern, s.plain)
	}
	if s.wild {
		return true, nil
	}
	rows, err := Compile(pattern)
	return err == nil && s.Meets(rows), err
}

// Meets reports whether a path that the subject may be matches one of rows.
func (s *Subject) Meets(rows Rows) bool {
	own := s.ready().rows
	if s.one {
		own = []row{rowOf(s.plain)}
	}
	for _, x := range own {
		for _, y := range rows {
			if meet(x, y) {
				return true
			}
		}
	}
	return s.wild
}

// Below reports whether every path that the subject may be is root or below it;
// ok is false if some are and some are not. root is an escaped path, and under,
// unless it is nil, what is below it.
func (s *Subject) Below(root string, under Rows) (in, ok bool) {
	glob, fixed, live := s.Text, s.Text, Live(s.Text)
	if live >= 0 {
		fixed = glob[:live]
		fixed = fixed[:strings.LastIndexByte(fixed, '/')+1]
	}
	if root == "/" {
		return strings.HasPrefix(glob, "/"), true
	}
	if fixed == root || strings.HasPrefix(fixed, root+"/") {
		return true, true
	}
	if live < 0 {
		return false, true
	}
	if under != nil {
		return false, !s.Meets(under)
	}
	meets, err := s.Matches(root + "/**")
	return false, err == nil && !meets
}

// StartsAnywhere reports whether the subject may be below any folder, and so below
// each place.
func (s *Subject) StartsAnywhere() bool {
	return strings.HasPrefix(s.Text, Anywhere) || s.Text == "/**"
}
