package facts

import (
	"regexp"
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
)

// names refuses a search for names that is after a file to avoid.
func (m *match) names(text string) {
	globs := glob.Subjects(glob.Search(text, m.cmd.Dirs, environment(m.c).Home))
	if m.avoid == nil || len(globs) == 0 || m.no {
		return
	}
	hit, err := sought(Pattern{Text: text, globs: globs}, m.avoid, environment(m.c).Home, true)
	m.no = err != nil || hit
}

// basic are the operators of a regular expression as find's own syntax has them.
var basic = strings.NewReplacer(`\(`, "(", `\)`, ")", `\|`, "|")

// regexp does so for a regular expression that a part of a path matches.
func (m *match) regexp(text string) {
	set, ok := m.avoid.(*glob.Set)
	if !ok {
		if set, ok = glob.Prepare(m.avoid).(*glob.Set); !ok {
			m.no = m.no || m.avoid != nil
			return
		}
	}
	for _, spelling := range []string{text, basic.Replace(text)} {
		r, err := regexp.Compile("(?i)" + spelling)
		if err != nil && spelling == text {
			continue // the other syntax
		}
		m.no = m.no || err != nil || set.SeeksRegexp(r)
	}
}

// spec judges what git reads in a word besides the name of a file: a pattern, what stands behind
// :(icase) and the like, and the file of a commit, as in HEAD:notes.txt.
func (m *match) spec(text string) {
	if m.cmd.Name.Text != "git" {
		return
	}
	switch {
	case strings.HasPrefix(text, ":!"), strings.HasPrefix(text, ":^"), strings.HasPrefix(text, ":(exclude"):
		return
	case strings.HasPrefix(text, ":("):
		_, text, _ = strings.Cut(text, ")")
	case strings.Contains(text, ":"):
		text = text[strings.LastIndexByte(text, ':')+1:]
	}
	m.names(strings.TrimPrefix(text, "/"))
}
