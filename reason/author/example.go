package author

import (
	"strings"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Example is a decision as a defexample: the proposal, what was known, and how it came
// out. mask takes credentials out of texts. The spending of other sessions, and where
// links led, stand in no example.
func Example(name string, d *reason.Decision, f *skills.Facts, mask func(string) string) string {
	var b strings.Builder
	line := func(key string, v sexpr.Value) { b.WriteString("\n  :" + key + " " + masked(v, mask).String()) }
	b.WriteString("(defexample " + sexpr.Str(mask(name)).String())
	a := d.Proposed
	if a == nil {
		a = d.Action
	}
	if a != nil {
		call := sexpr.Plist("tool", sexpr.Str(a.Tool()), "args", a.Args())
		if a.Explanation() != "" {
			call = call.With("explanation", sexpr.Str(a.Explanation()))
		}
		line("action", call)
	}
	if s := sessionOf(f.Session); !s.IsNil() {
		line("session", s)
	}
	if s := signalOf(f); !s.IsNil() {
		line("signal", s)
	}
	if s := factsOf(f); !s.IsNil() {
		line("facts", s)
	}
	line("now", sexpr.Int64(f.Now))
	if d.Kind != reason.Deny && d.Action != nil && d.Proposed != nil && d.Action.Digest() != d.Proposed.Digest() {
		line("args", d.Action.Args())
	}
	b.WriteString("\n  :expect (" + d.Kind.String() + " " + d.Key + "))\n")
	return b.String()
}

// masked is a form without credentials.
func masked(v sexpr.Value, mask func(string) string) sexpr.Value {
	if v.Kind() == sexpr.String {
		return sexpr.Str(mask(v.Text()))
	}
	if v.Len() == 0 {
		return v
	}
	items := make([]sexpr.Value, v.Len())
	for i, x := range v.Items() {
		items[i] = masked(x, mask)
	}
	return sexpr.ListOf(items...)
}

// object is a plist of what is not empty.
func object(kv ...any) sexpr.Value {
	var kept []any
	for i := 0; i+1 < len(kv); i += 2 {
		v, ok := kv[i+1].(sexpr.Value)
		if s, text := kv[i+1].(string); text {
			v, ok = sexpr.Str(s), s != ""
		}
		if ok && !v.IsNil() && !v.IsSym("{}") {
			kept = append(kept, kv[i], v)
		}
	}
	if len(kept) == 0 {
		return sexpr.Nil()
	}
	return sexpr.Plist(kept...)
}

func sessionOf(s skills.Session) sexpr.Value {
	var roles, calls []sexpr.Value
	for _, r := range s.Roles {
		roles = append(roles, sexpr.Str(r))
	}
	turns, user := s.Turns, ""
	if len(turns) > 0 && turns[0].Call == nil {
		turns, user = turns[1:], turns[0].User
	}
	for _, t := range turns {
		if t.Call == nil {
			calls = append(calls, object("user", t.User))
			continue
		}
		c := t.Call
		v := object("tool", c.Tool, "args", c.Args, "result", c.Result, "error", c.Error, "decision", c.Decision)
		calls = append(calls, v.With("at", sexpr.Int64(c.At)).With("happened", sexpr.Bool(c.Happened)))
	}
	return object("id", s.ID, "user", user, "system", s.System, "principal", s.Principal, "roles",
		sexpr.ListOf(roles...), "calls", sexpr.ListOf(calls...))
}

func signalOf(f *skills.Facts) sexpr.Value {
	s := f.Signal
	return object("sensor", s.Sensor, "source", s.Source, "session", s.Session, "text", s.Text, "from", s.Principal)
}

func factsOf(f *skills.Facts) sexpr.Value {
	return object("ctx", f.Ctx, "env", f.Env, "work", f.Work, "policy", f.Policy)
}
