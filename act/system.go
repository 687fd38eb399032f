package act

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// SystemTool is the name of the tool that [System] makes.
const SystemTool = "system"

// Query is one question about the engine that the system tool answers. It must
// not have side effects.
type Query struct {
	Name string // what :action says
	Doc  string // one line, for the model
	Ask  func(ctx context.Context) (sexpr.Value, error)
}

// System returns the tool that answers a closed set of questions about the
// engine, chosen by the word in :action. It never evaluates code: it does not
// support the ancestor's :eval and :create-skill (weakness W4). It returns an error
// for a query without name or function, or with a repeated name, and for no queries.
func System(queries ...Query) (Tool, error) {
	var names, docs []string
	for _, q := range queries {
		if q.Name == "" || q.Ask == nil {
			return Tool{}, fmt.Errorf("act: system query %q needs a name and a function", q.Name)
		}
		if slices.Contains(names, q.Name) {
			return Tool{}, fmt.Errorf("act: system query %q stands twice", q.Name)
		}
		names, docs = append(names, q.Name), append(docs, q.Name+": "+q.Doc)
	}
	if len(names) == 0 {
		return Tool{}, errors.New("act: the system tool needs at least one query")
	}
	schema := &skills.Tool{
		Name:       SystemTool,
		Doc:        "Ask about the engine. " + strings.Join(docs, "; ") + ".",
		Params:     []skills.Param{{Name: "action", Type: skills.Type{Kind: skills.KindEnum, Enum: names}}},
		Required:   []string{"action"},
		Tier:       skills.TierAllow,
		Effect:     skills.EffectNone,
		Idempotent: true,
	}
	queries = slices.Clone(queries)
	return Tool{Schema: schema, Actuator: Func(func(ctx context.Context, call Call) (Receipt, error) {
		args, err := only(call.Action, "action")
		if err != nil {
			return refused(err), nil
		}
		name, err := textArg(args, "action")
		if err != nil {
			return refused(err), nil
		}
		i := slices.Index(names, name)
		if i < 0 {
			return refused(fmt.Errorf(":action is one of %s", strings.Join(names, " "))), nil
		}
		v, err := queries[i].Ask(ctx)
		if err != nil {
			return Receipt{State: Failed}, err
		}
		return Receipt{State: Done, Result: v}, nil
	})}, nil
}
