package policy

import (
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// Credential returns an error if the host's function secrets finds a credential in a text,
// or cannot say. Without that function nothing is looked for.
func (k *Keeper) Credential(text string) error {
	i := slices.IndexFunc(k.Opt.Functions, func(f facts.Function) bool { return f.Name == "secrets" })
	if i < 0 {
		return nil
	}
	found, err := k.Opt.Functions[i].Call(skills.NewCase(nil, nil, nil), []any{text})
	if err != nil {
		return fmt.Errorf("whether it holds a credential could not be told: %w", err)
	}
	kinds, ok := found.([]any)
	if !ok || len(kinds) > 0 {
		return fmt.Errorf("it holds a credential (%v): put that where a tool finds it, and do not write it here", found)
	}
	return nil
}
