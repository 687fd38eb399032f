package facts

import (
	"errors"
	"fmt"
	"math"

	"github.com/opencortex-go/cortex/skills"
)

// CallType is what the elements of (calls tool) are, and what order conditions see of an
// earlier call: the fields of session.calls and more.
func CallType() Type {
	text := Type{Kind: String}
	return Type{Kind: Record, Name: "call", Fields: []Field{
		{"tool", "its tool", text},
		{"args", "its arguments", Type{Kind: Any}},
		{"decision", "\"allow\", \"ask\" or \"deny\"", text},
		{"result", "what the tool returned", Type{Kind: Any}},
		{"error", "why it failed, or \"\"", text},
		{"happened", "whether it may have changed the world", Type{Kind: Bool}},
		{"at", "when, in Unix seconds", Type{Kind: Int}},
	}}
}

func callCalls(c *skills.Case, args []any) (any, error) {
	return callsOf(c, args[0].(string), math.MinInt64)
}

func callCallsSince(c *skills.Case, args []any) (any, error) {
	seconds, _ := args[1].(int64)
	if seconds < 0 {
		return nil, errors.New("calls-since takes how many seconds to look back, which is not negative")
	}
	since := int64(math.MinInt64)
	if seconds < c.Facts().Now || c.Facts().Now >= 0 {
		since = c.Facts().Now - seconds
	}
	return callsOf(c, args[0].(string), since)
}

// callsOf lists the calls of a tool that are not older than since.
func callsOf(c *skills.Case, tool string, since int64) (any, error) {
	calls, err := c.Calls(tool, since, maxList+1)
	if err != nil {
		return nil, fmt.Errorf("the calls of the session cannot be looked up: %w", err)
	}
	if len(calls) > maxList {
		return nil, fmt.Errorf("the session has more than %d calls of %s in that time", maxList, tool)
	}
	out := make([]any, len(calls))
	for i, k := range calls {
		out[i] = CallRecord(k)
	}
	return out, nil
}

// CallRecord is an earlier call as a value of [CallType].
func CallRecord(k *skills.Call) map[string]any {
	args := skills.Native(k.Args)
	if k.Args.IsNil() {
		args = map[string]any{}
	}
	return map[string]any{
		"tool": k.Tool, "args": args, "decision": k.Decision, "result": skills.Native(k.Result),
		"error": k.Error, "happened": k.Happened, "at": k.At,
	}
}

// periods are those that a budget is added up over, in seconds; 0 is the session.
var periods = map[string]int64{"hour": 3600, "day": 86400, "session": 0}

// callSpent adds up a budget.
func callSpent(c *skills.Case, args []any) (any, error) {
	budget, period := args[0].(string), args[1].(string)
	length, ok := periods[period]
	if !ok {
		return nil, fmt.Errorf("spent takes :hour, :day or :session, not %q", period)
	}
	of := skills.Sum{Budget: budget, Session: length == 0}
	if length > 0 {
		of.Since = skills.PeriodStart(c.Facts().Now, length)
	}
	sum, err := c.Spent(of)
	switch {
	case err != nil:
		return nil, fmt.Errorf("what was spent cannot be looked up: %w", err)
	case math.IsNaN(sum):
		return nil, fmt.Errorf("the record of budget %s holds an amount that is not a finite number from 0 up", budget)
	case math.IsInf(sum, 0):
		return nil, fmt.Errorf("what was spent of %s is too large to count", budget)
	}
	return sum, nil
}
