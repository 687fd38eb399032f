package look

import (
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/value"
)

// Member is one of the fixed names below action, signal, session and facts.
type Member struct {
	Root Root
	Type facts.Type
}

// Members are the fixed names, by the word before their dot.
func Members() map[string]map[string]Member {
	str, obj := facts.Type{Kind: facts.String}, facts.Type{Kind: facts.Record}
	call := facts.Type{Kind: facts.Record, Name: "call", Fields: []facts.Field{
		{Name: "tool", Type: str}, {Name: "args", Type: obj}, {Name: "decision", Type: str}, {Name: "result"},
	}}
	return map[string]map[string]Member{
		"action": {
			"tool": {Tool, str}, "args": {Args, obj}, "text": {Text, str}, "explanation": {Explanation, str},
		},
		"signal": {
			"sensor": {Sensor, str}, "source": {Source, str}, "session": {SignalSession, str},
			"text": {SignalText, str}, "from": {From, str},
		},
		"session": {
			"principal": {Principal, str}, "roles": {Roles, facts.ListOf(str, value.MaxList)},
			"user-text": {UserText, str}, "calls": {Calls, facts.ListOf(call, value.MaxList)},
			"whole": {Whole, facts.Type{Kind: facts.Bool}},
		},
		"facts": {
			"ctx": {Ctx, obj}, "env": {Env, obj}, "work": {Work, obj}, "step": {Step, obj}, "policy": {Policy, obj},
		},
	}
}
