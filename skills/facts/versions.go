package facts

import (
	"errors"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/internal/version"
)

func versionFunction() Function {
	text := Type{Kind: String}
	return Function{
		Name: "semver?", Cost: costTest, Call: callSemver,
		Doc: "Whether a semantic version lies in a range such as \">=1.2 <2\" or \"^1.4.0 || 3.x\". A pre-release comes " +
			"before its release, and is left out of no range. A version that lacks a part, such as \"1.2\", is an error.",
		Params: []Param{
			{Name: "version", Type: text},
			{Name: "range", Type: text, Literal: true, Check: checkRange, Prepare: prepareRange},
		},
		Result: Type{Kind: Bool},
	}
}

func readRange(v any) (*version.Range, error) {
	text, ok := v.(string)
	if !ok {
		return nil, errors.New("a range of versions is a string")
	}
	return version.NewRange(text)
}

func checkRange(v any) error {
	_, err := readRange(v)
	return err
}

func prepareRange(v any) any {
	r, err := readRange(v)
	if err != nil {
		return v // checkRange has told
	}
	return r
}

// callSemver answers semver?.
func callSemver(_ *skills.Case, args []any) (any, error) {
	text, ok := args[0].(string)
	if !ok {
		return nil, errors.New("semver? takes a version, a string")
	}
	r, ready := args[1].(*version.Range)
	if !ready {
		var err error
		if r, err = readRange(args[1]); err != nil {
			return nil, err
		}
	}
	yes, err := r.Has(text)
	if err != nil {
		return nil, err
	}
	return yes, nil
}
