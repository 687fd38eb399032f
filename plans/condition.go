package plans

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Condition is a condition over the work of a run, compiled to a form of the rule language. Its
// JSON is the text of the form, such as (= (work "dryRun") t).
type Condition struct {
	form     sexpr.Value
	compiled *rules.Condition
}

// Form is what the condition asks, as rules would write it.
func (c *Condition) Form() sexpr.Value { return c.form }

// Holds answers whether the condition holds for work, an object. A key that is not set is null,
// which equals only null. Comparing values of different kinds is an error, which names the key.
// The nil Condition holds.
func (c *Condition) Holds(work sexpr.Value) (bool, error) {
	if c == nil {
		return true, nil
	}
	if c.compiled == nil {
		return false, errors.New("the condition was not compiled")
	}
	holds, err := c.compiled.Holds(skills.NewCase(nil, nil, &skills.Facts{Work: work}))
	if err != nil {
		return false, fmt.Errorf("the condition %v cannot be judged: %w", c.form, err)
	}
	return holds, nil
}

// MarshalJSON writes the text of the form.
func (c *Condition) MarshalJSON() ([]byte, error) {
	text, err := sexpr.Print(c.form)
	if err != nil {
		return nil, fmt.Errorf("a condition: %w", err)
	}
	return json.Marshal(text)
}

// UnmarshalJSON reads what MarshalJSON wrote. [Load] compiles it.
func (c *Condition) UnmarshalJSON(text []byte) error {
	var form string
	if err := json.Unmarshal(text, &form); err != nil {
		return fmt.Errorf("a condition: %w", err)
	}
	v, err := sexpr.Read("", form)
	if err != nil {
		return fmt.Errorf("a condition: %w", err)
	}
	c.form = v
	return nil
}

// workFunctions are what conditions of plans may call beside the functions of rules.
func workFunctions() []facts.Function {
	key := facts.Param{Name: "key", Type: facts.Type{Kind: facts.String}, Literal: true}
	of := func(name, doc string, result facts.Kind, more []facts.Param,
		call func(v any, args []any) (any, error),
	) facts.Function {
		return facts.Function{Name: name, Doc: doc, Params: append([]facts.Param{key}, more...), Cost: 4,
			Result: facts.Type{Kind: result},
			Call: func(c *skills.Case, args []any) (any, error) {
				path, ok := args[0].(string)
				if !ok {
					return nil, errors.New("a key of work is a string")
				}
				return call(skills.Native(Lookup(c.Facts().Work, path)), args[1:])
			}}
	}
	return []facts.Function{
		of("work", "The value of a key of the run's work, such as \"scope\" or \"review.level\"; null if it is not set.",
			facts.Any, nil, func(v any, _ []any) (any, error) { return v, nil }),
		of("work-truthy?", "Whether a key of the run's work is set, and neither null, false, 0 nor \"\".",
			facts.Bool, nil, func(v any, _ []any) (any, error) { return truthy(v), nil }),
		of("work-contains?", "Whether a text, or a list, that is the value of a key of the run's work holds a text. "+
			"Not if the key is not set.", facts.Bool,
			[]facts.Param{{Name: "part", Type: facts.Type{Kind: facts.String}}}, holds),
	}
}

func truthy(v any) bool {
	switch v := v.(type) {
	case skills.Null:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case int64:
		return v != 0
	case float64:
		return v != 0
	}
	return true
}

func holds(v any, args []any) (any, error) {
	part, ok := args[0].(string)
	if !ok {
		return nil, errors.New("contains asks for a text")
	}
	switch v := v.(type) {
	case skills.Null:
		return false, nil
	case string:
		return strings.Contains(v, part), nil
	case []any:
		return slices.Contains(v, any(part)), nil
	}
	return nil, errors.New("contains asks of a text or a list")
}

// Lookup returns what stands in work, an object, at a path of keys with dots between them. A key
// that is written with its dots comes before the path. It is null where nothing stands.
func Lookup(work sexpr.Value, path string) sexpr.Value {
	if v, ok := work.Get(path); ok {
		return v
	}
	for key := range strings.SplitSeq(path, ".") {
		v, ok := work.Get(key)
		if !ok {
			return sexpr.Null()
		}
		work = v
	}
	return work
}

// ready compiles conditions that were read or made.
func ready(name, text string, all []*Condition) error {
	forms := make([]sexpr.Value, len(all))
	for i, c := range all {
		forms[i] = c.form
	}
	compiled, err := rules.Loader{Functions: workFunctions()}.Conditions(name, text, forms...)
	if err != nil {
		return err
	}
	for i, c := range all {
		c.compiled = &compiled[i]
	}
	return nil
}
