package act

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills"
)

// Actuator performs effects. It gets exactly the action that was allowed, with secrets in
// place of references to the [Vault], and an idempotency key that is the same for every try
// of an intent.
//
// An error without a receipt counts as [Failed], unless the actuator sets the
// receipt's State. When ctx ends it should stop and return. It must be safe for
// concurrent use.
type Actuator interface {
	Act(ctx context.Context, call Call) (Receipt, error)
}

// Call is a request to an actuator.
type Call struct {
	Action   *skills.Action
	Key      string // idempotency key
	Session  string
	Approval string // the approval that the intent consumed; "" for none
	Asker    Asker
	Decision uint64 // the record of the allow that it rests on

	secrets skills.Secrets // of the vault, in Action
}

// Func is an [Actuator] made of a function.
type Func func(ctx context.Context, call Call) (Receipt, error)

// Act calls f.
func (f Func) Act(ctx context.Context, call Call) (Receipt, error) { return f(ctx, call) }

// Tool is something the engine can do: a schema for its callers and the actuator
// behind it. A rule file's declaration of the same tool overrides the schema.
type Tool struct {
	Schema   *skills.Tool // must not be changed afterwards
	Actuator Actuator
	Silent   bool // gives no feedback: its effect is that the user sees something (row 77)
}

// Registry is an immutable set of tools. It is a [skills.ToolSet], so proposals
// can be checked against it. The zero Registry has no tools.
type Registry struct {
	tools   []Tool // by name
	schemas []*skills.Tool
}

var _ skills.ToolSet = (*Registry)(nil)

// NewRegistry returns the registry of these tools. It returns an error that lists
// every tool without a name or an actuator, and every name that occurs twice, also
// in another case.
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{tools: slices.Clone(tools)}
	seen := map[string]string{}
	var errs []error
	for i, t := range r.tools {
		if t.Schema == nil || t.Schema.Name == "" {
			errs = append(errs, fmt.Errorf("act: tool %d has no schema with a name", i+1))
			continue
		}
		name := t.Schema.Name
		if t.Actuator == nil {
			errs = append(errs, fmt.Errorf("act: tool %q has no actuator", name))
		}
		if other, twice := seen[strings.ToLower(name)]; twice {
			errs = append(errs, fmt.Errorf("act: tools %q and %q have one name, case aside", other, name))
		}
		seen[strings.ToLower(name)] = name
		r.schemas = append(r.schemas, t.Schema)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	slices.SortFunc(r.tools, func(a, b Tool) int { return strings.Compare(a.Schema.Name, b.Schema.Name) })
	slices.SortFunc(r.schemas, func(a, b *skills.Tool) int { return strings.Compare(a.Name, b.Name) })
	return r, nil
}

// NotFoundError says that no actuator has this name (row 73).
type NotFoundError struct{ Name string }

func (e *NotFoundError) Error() string { return fmt.Sprintf("Tool '%s' not found", e.Name) }

// Find returns the tool of exactly this name, or a [*NotFoundError]. It does not
// fold case: the judged name is the one that is looked up.
func (r *Registry) Find(name string) (Tool, error) {
	if r != nil {
		i, ok := slices.BinarySearchFunc(r.tools, name,
			func(t Tool, name string) int { return strings.Compare(t.Schema.Name, name) })
		if ok {
			return r.tools[i], nil
		}
	}
	return Tool{}, &NotFoundError{name}
}

// Tool returns the schema of exactly this name.
func (r *Registry) Tool(name string) (*skills.Tool, bool) {
	t, err := r.Find(name)
	return t.Schema, err == nil
}

// Tools returns the schemas of all tools, sorted by name.
func (r *Registry) Tools() []*skills.Tool {
	if r == nil {
		return nil
	}
	return slices.Clone(r.schemas)
}
