package act

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Reply returns the built-in tool that sends text to the user. send delivers the
// text to the session's connection. The tool is silent: the text does not come back
// as output.
func Reply(send func(ctx context.Context, session, text string) error) Tool {
	return Tool{
		Schema: builtin(skills.ReplyTool),
		Silent: true,
		Actuator: Func(func(ctx context.Context, call Call) (Receipt, error) {
			args, err := only(call.Action, "text")
			if err != nil {
				return refused(err), nil
			}
			text, err := textArg(args, "text")
			if err != nil {
				return refused(err), nil
			}
			if err := send(ctx, call.Session, text); err != nil {
				return Receipt{}, fmt.Errorf("not delivered: %w", err)
			}
			return Receipt{State: Done}, nil
		}),
	}
}

func builtin(name string) *skills.Tool {
	all := skills.BuiltinTools()
	return all[slices.IndexFunc(all, func(t *skills.Tool) bool { return t.Name == name })]
}

// refused is the receipt of a call that did not run.
func refused(err error) Receipt { return Receipt{State: Nothing, Error: err.Error()} }

// only returns the arguments, and an error if one of them is not among names: the
// actuator would ignore an argument that the gates have judged.
func only(a *skills.Action, names ...string) (sexpr.Value, error) {
	args := a.Args()
	for i := 0; i+1 < args.Len(); i += 2 {
		if k := args.Items()[i]; !slices.Contains(names, k.Text()) {
			return args, fmt.Errorf("%s takes :%s and no other argument", a.Tool(), strings.Join(names, " :"))
		}
	}
	return args, nil
}

func textArg(args sexpr.Value, name string) (string, error) {
	v, ok := args.Get(name)
	if !ok || v.Kind() != sexpr.String {
		return "", fmt.Errorf(":%s is missing or no string", name)
	}
	return v.Text(), nil
}

// countArg returns a whole number from 1 to most, or unset if there is none. A
// string or a float is an error: numbers are never spliced or rounded (row 82).
func countArg(args sexpr.Value, name string, unset, most int64) (int64, error) {
	v, ok := args.Get(name)
	if !ok {
		return unset, nil
	}
	if v.Kind() != sexpr.Int || v.Int() < 1 || v.Int() > most {
		return 0, fmt.Errorf(":%s is an integer from 1 to %d", name, most)
	}
	return v.Int(), nil
}
