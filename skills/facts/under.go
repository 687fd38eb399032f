package facts

import (
	"errors"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
)

// pathGlobs returns the places a path may be, as globs.
func pathGlobs(c *skills.Case, v any) ([]glob.Subject, error) {
	switch v := v.(type) {
	case Word:
		return glob.Subjects(v.globs), nil
	case Pattern:
		return v.globs, nil
	case string:
		if v == "" {
			return nil, errors.New("the empty string is not a path")
		}
		e := environment(c)
		return glob.Subjects(glob.Places(v, e.Dirs(), e.Home)), nil
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
	roots, err := rootsOf(c, args[1])
	if err != nil {
		return nil, err
	}
	yes, no := 0, 0
	for i := range globs {
		in, ok := belowAny(&globs[i], roots)
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

// rootsOf reads a folder or a list of folders, as escaped paths.
func rootsOf(c *skills.Case, v any) ([]string, error) {
	texts, err := rootTexts(v)
	if err != nil {
		return nil, err
	}
	out := make([]string, 0, len(texts))
	for _, text := range texts {
		at := glob.Places(text, nil, environment(c).Home)
		if len(at) != 1 || strings.HasPrefix(at[0], glob.Anywhere) || text == "" {
			return nil, fmt.Errorf("a root is an absolute folder or one below ~, not %q", text)
		}
		out = append(out, at[0])
	}
	return out, nil
}

func rootTexts(v any) ([]string, error) {
	if one, ok := v.(string); ok {
		return []string{one}, nil
	}
	if many, ok := texts(v); ok {
		return many, nil
	}
	return nil, errors.New("a root is a folder, or a list of folders")
}

// checkRoot says at load what is wrong with a root.
func checkRoot(v any) error {
	_, err := rootTexts(v)
	return err
}

// belowAny reports whether every path that the subject may be lies at or below one of the roots; ok is
// false if some do and some do not.
func belowAny(g *glob.Subject, roots []string) (in, ok bool) {
	ok = true
	for _, root := range roots {
		yes, sure := g.Below(root, nil)
		if yes && sure {
			return true, true
		}
		ok = ok && sure
	}
	return false, ok
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
	home := environment(c).Home
	if p, ok := args[0].(Pattern); ok && p.search {
		return sought(p, args[1], home, fold)
	}
	if ready, ok := args[1].(*glob.Set); ok {
		return ready.Any(globs, home, fold)
	}
	patterns, _ := args[1].([]any)
	for _, p := range patterns {
		pattern, ok := p.(string)
		if !ok {
			return nil, errors.New("a path pattern is a string")
		}
		if home != "" && (pattern == "~" || strings.HasPrefix(pattern, "~/")) {
			pattern = glob.Escape(home) + pattern[1:]
		}
		for i := range globs {
			g := &globs[i]
			if fold {
				g, pattern = glob.New(strings.ToLower(g.Text)), strings.ToLower(pattern)
			}
			yes, err := g.Matches(pattern)
			if yes || err != nil {
				return yes, err
			}
		}
	}
	return false, nil
}
