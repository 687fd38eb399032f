package facts

import (
	"errors"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
)

// placeFunctions are what a path means besides its text.
func placeFunctions() []Function {
	text := Type{Kind: String}
	return []Function{
		{
			Name: "leads", Cost: costLeads, Call: callLeads,
			Doc: "The places that a path, or each of a list of paths, names: as it is written, and where its links lead, if " +
				"the host looks that up. Of a path that does not exist, the part that does is followed. A rule about a " +
				"place asks about each.",
			Params: []Param{{Name: "path", Type: Type{Kind: Any}, Pattern: true}},
			Result: ListOf(text, maxLeads),
		},
		{
			Name: "redirected", Cost: costLeads, Call: callRedirected,
			Doc: "The places, as leads gives them, that the redirections of a command :read or :write, or both. " +
				"/dev/null and here-documents are none.",
			Params: []Param{{Name: "command", Type: commandType()},
				{Name: "way", Type: text, Words: []string{"read", "write"}, Literal: true}},
			Optional: 1,
			Result:   ListOf(text, maxRedirected),
		},
		{
			Name: "search", Cost: costTest, Call: callSearch,
			Doc: "What a search pattern, such as \"*.{ts,tsx}\" or \"!*.log\", may match below a folder, as under? and " +
				"glob-any? judge it: glob-any? is true if the pattern spells a part of a name that is listed, as .e* and *env " +
				"spell one of .env, and false for a search over everything, such as * and *.json.",
			Params: []Param{{Name: "pattern", Type: text}, {Name: "folder", Type: text, Pattern: true}},
			Result: text,
		},
	}
}

// How many places the paths of one question, and the redirections of one command, may be.
const (
	maxLeads      = 64
	maxRedirected = 20
)

// callLeads answers leads.
func callLeads(c *skills.Case, args []any) (any, error) {
	if many, ok := args[0].([]any); ok {
		return leadsOf(c, many, maxLeads)
	}
	return leadsOf(c, args, maxLeads)
}

// callRedirected answers redirected.
func callRedirected(c *skills.Case, args []any) (any, error) {
	rec, _ := args[0].(map[string]any)
	mine, ok := rec[ownKey].(own)
	if !ok {
		return nil, errors.New("redirected takes a command, such as it in (some (shell cmd) ...)")
	}
	var targets []any
	for _, r := range mine.Redirects {
		reads, writes := r.Op == "<" || r.Op == "<>", r.Op != "<"
		if strings.HasPrefix(r.Op, "<<") || r.Target.Known && !r.Target.Pattern && r.Target.Text == "/dev/null" ||
			len(args) > 1 && (args[1] == "read" && !reads || args[1] == "write" && !writes) {
			continue
		}
		targets = append(targets, value(mine.Opener(r), r.Target))
	}
	return leadsOf(c, targets, maxRedirected)
}

// leadsOf are the places of paths. One that cannot be told stands at the end.
func leadsOf(c *skills.Case, paths []any, most int) ([]any, error) {
	p := &pathList{env: environment(c), seen: map[string]bool{}}
	for _, v := range paths {
		switch v := v.(type) {
		case Unknown:
			p.unknown = v.Why
		case Pattern:
			p.pattern(v)
		case Word:
			p.add(v.Text, v.globs, v.dirs)
		case string:
			if v == "" {
				return nil, errors.New("the empty string is not a path")
			}
			p.text(v)
		default:
			return nil, fmt.Errorf("a path is a string, not %T", v)
		}
	}
	if len(p.list) <= most {
		p.follow(c.Lookup())
	}
	if len(p.list) > most {
		return nil, fmt.Errorf("the paths may be in more than %d places", most)
	}
	return p.done()
}

// callSearch answers search.
func callSearch(c *skills.Case, args []any) (any, error) {
	text, _ := args[0].(string)
	folders, err := pathGlobs(c, args[1])
	if err != nil {
		return nil, err
	}
	home := environment(c).Home
	dirs := make([]string, 0, len(folders))
	for i := range folders {
		dir, plain := glob.Unescape(folders[i].Text)
		if !plain {
			return Unknown{"in which folder the search for " + text + " begins"}, nil
		}
		dirs = append(dirs, dir)
	}
	globs := glob.Search(text, dirs, home)
	if len(globs) == 0 { // it leaves files out, or is empty: the search is over everything
		globs = glob.Search("**", dirs, home)
	}
	return Pattern{Text: text, globs: glob.Subjects(globs), search: true}, nil
}

// sought answers glob-any? of a search pattern.
func sought(p Pattern, patterns any, home string, fold bool) (bool, error) {
	set, ready := patterns.(*glob.Set)
	if !ready {
		if set, ready = glob.Prepare(patterns).(*glob.Set); !ready {
			return false, errors.New("a path pattern is a string")
		}
	}
	return set.Seeks(p.globs, home, fold), nil
}
