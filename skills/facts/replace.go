package facts

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/opencortex-go/cortex/skills"
)

// costReplace is the static cost of one replace.
const costReplace = 100

// The bounds of replace.
const (
	maxReplacePattern = 1 << 10 // bytes of a pattern
	maxReplaceCode    = 2000    // instructions of a pattern
	maxReplaced       = 1 << 20 // bytes of a result
	// maxReplaceWork bounds instructions times bytes times matches: a pattern may look
	// through the rest of the text for each match that it finds.
	maxReplaceWork = 1 << 26
)

func replaceFunction() Function {
	text := Type{Kind: String}
	return Function{
		Name: "replace", Cost: costReplace, Call: callReplace,
		Doc: "The text with every match of an RE2 pattern replaced. In what stands instead, $1 to $9 are the groups of " +
			"the pattern, and $$ is a dollar sign. A text with too many matches to go through is an error.",
		Params: []Param{
			{Name: "text", Type: text},
			{Name: "pattern", Type: text, Literal: true, Check: checkPattern, Prepare: preparePattern},
			{Name: "with", Type: text, Literal: true, Check: checkTemplate, Prepare: prepareTemplate},
		},
		Result: text,
	}
}

// matcher is a pattern and what a step of it costs.
type matcher struct {
	re   *regexp.Regexp
	code int // instructions
}

func newMatcher(v any) (*matcher, error) {
	text, ok := v.(string)
	switch {
	case !ok:
		return nil, errors.New("a pattern is a string")
	case len(text) > maxReplacePattern:
		return nil, fmt.Errorf("a pattern of %d bytes, expected at most %d", len(text), maxReplacePattern)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("the pattern cannot be read: %w", err)
	}
	code, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, fmt.Errorf("the pattern cannot be read: %w", err)
	}
	if len(code.Inst) > maxReplaceCode {
		return nil, fmt.Errorf("the pattern comes to %d instructions, expected at most %d", len(code.Inst), maxReplaceCode)
	}
	re, err := regexp.Compile(text)
	return &matcher{re, len(code.Inst)}, err
}

func checkPattern(v any) error {
	_, err := newMatcher(v)
	return err
}

func preparePattern(v any) any {
	m, err := newMatcher(v)
	if err != nil {
		return v // checkPattern has told
	}
	return m
}

// template is what stands instead of a match: texts, and the numbers of groups
// between them.
type template struct {
	texts  []string // one more than groups
	groups []int
}

func newTemplate(v any) (*template, error) {
	text, ok := v.(string)
	if !ok {
		return nil, errors.New("what stands instead is a string")
	}
	t, literal := &template{}, ""
	for {
		before, after, found := strings.Cut(text, "$")
		literal += before
		switch {
		case !found:
			t.texts = append(t.texts, literal)
			return t, nil
		case strings.HasPrefix(after, "$"):
			literal += "$"
		case after != "" && '1' <= after[0] && after[0] <= '9':
			t.texts, t.groups = append(t.texts, literal), append(t.groups, int(after[0]-'0'))
			literal = ""
		default:
			return nil, errors.New("after $ there is the number of a group, 1 to 9, or another $ for the sign itself")
		}
		text = after[1:]
	}
}

func checkTemplate(v any) error {
	_, err := newTemplate(v)
	return err
}

func prepareTemplate(v any) any {
	t, err := newTemplate(v)
	if err != nil {
		return v // checkTemplate has told
	}
	return t
}

// callReplace answers replace.
func callReplace(_ *skills.Case, args []any) (any, error) {
	text, ok := args[0].(string)
	if !ok {
		return nil, errors.New("replace takes a string")
	}
	var err error
	m, ready := args[1].(*matcher)
	if !ready {
		if m, err = newMatcher(args[1]); err != nil {
			return nil, err
		}
	}
	with, ready := args[2].(*template)
	if !ready {
		if with, err = newTemplate(args[2]); err != nil {
			return nil, err
		}
	}
	for _, g := range with.groups {
		if g > m.re.NumSubexp() {
			return nil, fmt.Errorf("replace has $%d, and its pattern has %d groups", g, m.re.NumSubexp())
		}
	}
	return m.replace(text, with)
}

func (m *matcher) replace(text string, with *template) (any, error) {
	most := maxReplaceWork / (m.code * (len(text) + 1))
	found := m.re.FindAllStringSubmatchIndex(text, most+1)
	if len(found) > most {
		return nil, fmt.Errorf("a text of %d bytes with more than %d matches is too much to replace", len(text), most)
	}
	var out strings.Builder
	end := 0
	for _, at := range found {
		out.WriteString(text[end:at[0]])
		for i, s := range with.texts {
			if i > 0 {
				if g := 2 * with.groups[i-1]; at[g] >= 0 {
					out.WriteString(text[at[g]:at[g+1]])
				}
			}
			out.WriteString(s)
		}
		end = at[1]
		if out.Len() > maxReplaced {
			return nil, fmt.Errorf("the result of replace is longer than %d bytes", maxReplaced)
		}
	}
	if out.Len()+len(text)-end > maxReplaced {
		return nil, fmt.Errorf("the result of replace is longer than %d bytes", maxReplaced)
	}
	return out.String() + text[end:], nil
}
