package secrets

import (
	"errors"
	"sync"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// cost is the static cost of one call, in language.md.
const cost = 5000

// Functions returns the functions secrets and redact, to be registered with a rule
// loader. The functions of one call share their compiled rules, and are safe for
// concurrent use.
func Functions() []facts.Function {
	scanner := sync.OnceValues(load)
	text := facts.Type{Kind: facts.String}
	return []facts.Function{{
		Name: "secrets",
		Doc: "The kinds of credential found in a text, sorted, such as \"github-pat\" or \"private-key\"; also inside " +
			"base64, one level deep. Never the values.",
		Params: []facts.Param{{Name: "text", Type: text}},
		Result: facts.ListOf(text, 0),
		Cost:   cost,
		Call: func(_ *skills.Case, args []any) (any, error) {
			s, err := scanner()
			if err != nil {
				return nil, errors.New("the rules for secrets cannot be read")
			}
			t, ok := args[0].(string)
			if !ok {
				return nil, errors.New("secrets takes a string")
			}
			kinds := s.Kinds(t)
			out := make([]any, 0, len(kinds))
			for _, k := range kinds {
				out = append(out, k)
			}
			return out, nil
		},
	}, redactFunction(scanner)}
}
