package secrets

import (
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// costRedact is the static cost of one call: it looks through the text and through
// what it made of it.
const costRedact = 2 * cost

// maxRedacted bounds what redact gives, in bytes: [KIND] may be longer than what it
// stands for.
const maxRedacted = 1 << 20

func redactFunction(scanner func() (*scanner, error)) facts.Function {
	text := facts.Type{Kind: facts.String}
	return facts.Function{
		Name: "redact", Cost: costRedact,
		Doc: "The text with every credential that secrets finds replaced by its kind, such as [github-token]; also " +
			"base64 that holds one. If one is left, the kind stands instead of the whole text.",
		Params: []facts.Param{{Name: "text", Type: text}},
		Result: text,
		Call: func(_ *skills.Case, args []any) (any, error) {
			s, err := scanner()
			if err != nil {
				return nil, errors.New("the rules for secrets cannot be read")
			}
			t, ok := args[0].(string)
			if !ok {
				return nil, errors.New("redact takes a string")
			}
			return s.redact(t)
		},
	}
}

// redact masks a text, within bounds.
func (s *scanner) redact(text string) (any, error) {
	masked := s.mask(text)
	if len(masked) > maxRedacted {
		return nil, fmt.Errorf("the result of redact is longer than %d bytes", maxRedacted)
	}
	return masked, nil
}
