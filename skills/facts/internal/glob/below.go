package glob

import "strings"

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

// MustCompile reads an escaped glob of ours, in which nothing can be wrong.
func MustCompile(glob string) Rows {
	out, err := Compile(glob)
	if err != nil {
		panic(err)
	}
	return out
}
