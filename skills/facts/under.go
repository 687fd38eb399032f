package facts

import (
	"errors"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/skills"
)

// pathGlobs returns the places a path may be, as globs.
func pathGlobs(c *skills.Case, v any) ([]subject, error) {
	switch v := v.(type) {
	case Word:
		return subjects(v.globs), nil
	case Pattern:
		return v.globs, nil
	case string:
		if v == "" {
			return nil, errors.New("the empty string is no path")
		}
		e := environment(c)
		return subjects(places(v, e.dirs(), e.home)), nil
	}
	return nil, fmt.Errorf("a path is a string, not %T", v)
}

// callUnder answers under?. Where a path may be in several places, they must
// agree.
func callUnder(c *skills.Case, args []any) (any, error) {
	globs, err := pathGlobs(c, args[0])
	if err != nil {
		return nil, err
	}
	rootText, _ := args[1].(string)
	roots := places(rootText, nil, environment(c).home)
	if len(roots) != 1 || strings.HasPrefix(roots[0], anywhere) || rootText == "" {
		return nil, fmt.Errorf("under? takes an absolute folder or one below ~ as its second argument, not %q", rootText)
	}
	yes, no := 0, 0
	for i := range globs {
		in, ok := globs[i].below(roots[0], nil)
		switch {
		case !ok:
			return Unknown{"where the path " + shown(args[0]) + " leads"}, nil
		case in:
			yes++
		default:
			no++
		}
	}
	if yes > 0 && no > 0 {
		return Unknown{"from which folder the path " + shown(args[0]) + " starts"}, nil
	}
	return yes > 0, nil
}

// below reports whether every path that the subject may be is root or below it;
// ok is false if some are and some are not. root is an escaped path, and under,
// unless it is nil, what is below it.
func (s *subject) below(root string, under []row) (in, ok bool) {
	glob, fixed, live := s.glob, s.glob, metaAt(s.glob)
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
		return false, !s.meets(under)
	}
	meets, err := s.matches(root + "/**")
	return false, err == nil && !meets
}

func shown(v any) string {
	switch v := v.(type) {
	case Word:
		return v.Text
	case Pattern:
		return v.Text
	case string:
		return v
	}
	return "given"
}

// callGlobAny answers glob-any?. It is true if what the path may be could match
// a pattern: what may be a protected file counts as one. From a folder that is
// not known, any folder counts.
func callGlobAny(c *skills.Case, args []any) (any, error) {
	globs, err := pathGlobs(c, args[0])
	if err != nil {
		return nil, err
	}
	fold := len(args) > 2
	home := environment(c).home
	if ready, ok := args[1].(*Globs); ok {
		return ready.any(globs, home, fold)
	}
	patterns, _ := args[1].([]any)
	for _, p := range patterns {
		pattern, ok := p.(string)
		if !ok {
			return nil, errors.New("a path pattern is a string")
		}
		if home != "" && (pattern == "~" || strings.HasPrefix(pattern, "~/")) {
			pattern = escape(home) + pattern[1:]
		}
		for i := range globs {
			g := &globs[i]
			if fold {
				g, pattern = newSubject(strings.ToLower(g.glob)), strings.ToLower(pattern)
			}
			yes, err := g.matches(pattern)
			if yes || err != nil {
				return yes, err
			}
		}
	}
	return false, nil
}
