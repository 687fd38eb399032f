package plugins

import (
	"slices"

	"github.com/opencortex-go/cortex/skills"
)

// seesSecrets is the sight of a skill that is told secret arguments.
const seesSecrets = "secrets"

// covered hides the secret arguments of these tools from a skill; nil hides none.
type covered struct {
	tools skills.ToolSet
	own   skills.Secrets // of the action that is judged
}

// covered is what an entry is not to see of an action, if there is one, and of earlier calls.
func (e *Entry) covered(tools skills.ToolSet, a *skills.Action) covered {
	if e.grants(seesSecrets) {
		return covered{}
	}
	x := covered{tools: tools}
	if a != nil {
		if t, ok := x.tool(a.Tool()); ok {
			x.own = t.SecretsIn(a.Args())
		}
	}
	return x
}

// action is the action as the skill is shown it, with a digest of its own: that of the
// real one would let a skill guess a short secret.
func (x covered) action(a *skills.Action) (*skills.Action, error) {
	t, ok := x.tool(a.Tool())
	if !ok {
		return a, nil
	}
	return skills.NewAction(a.Tool(), t.WithoutSecrets(a.Args()), x.own.Redact(a.Explanation()))
}

// tool returns a tool that has secrets to hide.
func (x covered) tool(name string) (*skills.Tool, bool) {
	if x.tools == nil {
		return nil, false
	}
	t, ok := x.tools.Tool(name)
	return t, ok && len(t.Secret) > 0
}

// turns are those of a session without its secrets.
func (x covered) turns(turns []skills.Turn) []skills.Turn {
	secrets := x.own
	for _, t := range turns {
		if t.Call != nil {
			if tool, ok := x.tool(t.Call.Tool); ok {
				secrets = secrets.Join(tool.SecretsIn(t.Call.Args))
			}
		}
	}
	out := slices.Clone(turns)
	for i, t := range turns {
		if out[i].User = secrets.Redact(t.User); t.Call == nil {
			continue
		}
		call := *t.Call
		if tool, ok := x.tool(call.Tool); ok {
			call.Args = tool.WithoutSecrets(call.Args)
		}
		call.Args, call.Result, call.Error = secrets.Cover(call.Args), secrets.Cover(call.Result), secrets.Redact(call.Error)
		out[i].Call = &call
	}
	return out
}
