package look

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/rules/internal/value"
)

// allText joins every string in arguments, in canonical order, by newlines.
// Their depth is bounded by the reader.
func allText(args sexpr.Value) string {
	var b strings.Builder
	first := true
	var walk func(v sexpr.Value)
	walk = func(v sexpr.Value) {
		if v.Kind() == sexpr.String {
			if !first {
				b.WriteByte('\n')
			}
			first = false
			b.WriteString(v.Text())
		}
		for _, x := range v.Items() {
			walk(x)
		}
	}
	walk(args)
	return b.String()
}

// userText joins the messages of the user so far by newlines.
func userText(turns []skills.Turn) string {
	var texts []string
	for _, t := range turns {
		if t.IsUser() {
			texts = append(texts, t.User)
		}
	}
	return strings.Join(texts, "\n")
}

// calls are the earlier calls, oldest first. What has no result yet has none
// here either.
func calls(turns []skills.Turn) []any {
	out := []any{}
	for _, t := range turns {
		if t.Call == nil {
			continue
		}
		args := t.Call.Args
		if args.IsNil() {
			args = sexpr.EmptyObject()
		}
		c := map[string]any{"tool": t.Call.Tool, "args": skills.Native(args), "decision": t.Call.Decision}
		if !t.Call.Result.IsNil() {
			c["result"] = skills.Native(t.Call.Result)
		}
		out = append(out, c)
	}
	return out
}

func strings2any(ss []string) []any {
	out := make([]any, len(ss))
	for i, s := range ss {
		out[i] = s
	}
	return out
}

// MaxCalls is how many calls order conditions look back.
const MaxCalls = value.MaxList

// Latest is the session's last calls, the latest first. If there are more than [MaxCalls],
// what was before them is unknown. base is the *[View].
func Latest(base any) any {
	w := base.(*View)
	return w.memo("rules/latest", func() any {
		out := []any{}
		for _, t := range slices.Backward(w.turns()) {
			switch {
			case t.Call == nil:
			case len(out) == MaxCalls:
				return append(out, facts.Unknown{Why: fmt.Sprintf("what was called before the last %d calls", MaxCalls)})
			default:
				out = append(out, facts.CallRecord(t.Call))
			}
		}
		return out
	})
}
