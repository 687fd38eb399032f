package facts

import (
	"errors"
	"fmt"
	"math"

	"github.com/opencortex-go/cortex/skills"
)

// callType is what the elements of (calls tool) are: the fields of
// session.calls.
func callType() Type {
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
	if seconds < c.Facts.Now || c.Facts.Now >= 0 {
		since = c.Facts.Now - seconds
	}
	return callsOf(c, args[0].(string), since)
}

// callsOf lists the calls of a tool that are not older than since. A call
// without a time may have been at any.
func callsOf(c *skills.Case, tool string, since int64) (any, error) {
	turns, err := c.Turns()
	if err != nil {
		return nil, fmt.Errorf("the calls of the session cannot be looked up: %w", err)
	}
	out := []any{}
	for _, t := range turns {
		if t.Call == nil || t.Call.Tool != tool || t.Call.At != 0 && t.Call.At < since {
			continue
		}
		if len(out) == maxList {
			return nil, fmt.Errorf("the session has more than %d calls of %s in that time", maxList, tool)
		}
		out = append(out, callRecord(t.Call))
	}
	return out, nil
}

func callRecord(k *skills.Call) map[string]any {
	args := skills.Native(k.Args)
	if k.Args.IsNil() {
		args = map[string]any{}
	}
	return map[string]any{
		"tool": k.Tool, "args": args, "decision": k.Decision, "result": skills.Native(k.Result),
		"error": k.Error, "happened": k.Happened, "at": k.At,
	}
}

// callSpent adds up a budget. A sum is exact enough to compare as long as the
// amounts are, and the same on every machine, since the order is recorded. A
// spend without a time may have been at any.
func callSpent(c *skills.Case, args []any) (any, error) {
	budget, period := args[0].(string), args[1].(string)
	f := c.Facts
	spends, err := c.Spends()
	if err != nil {
		return nil, fmt.Errorf("what was spent cannot be looked up: %w", err)
	}
	start, ok := periodStart(f.Now, period)
	if !ok {
		return nil, fmt.Errorf("spent takes :hour, :day or :session, not %q", period)
	}
	if period == "session" { // whoever spends in it
		c.Read(skills.SessionKey(f.Session.ID))
	}
	counts := func(s skills.Spend) bool {
		if period == "session" {
			return s.Session == f.Session.ID
		}
		return (s.Principal == "" || s.Principal == f.Session.Principal) && (s.At == 0 || s.At >= start)
	}
	sum := 0.0
	for _, s := range spends {
		if s.Budget != budget || !counts(s) {
			continue
		}
		if math.IsNaN(s.Amount) || math.IsInf(s.Amount, 0) || s.Amount < 0 {
			return nil, fmt.Errorf("the record of budget %s holds an amount that is not a finite number from 0 up", budget)
		}
		sum += s.Amount
	}
	if math.IsInf(sum, 0) {
		return nil, fmt.Errorf("what was spent of %s is too large to count", budget)
	}
	return sum, nil
}

// periodStart returns when the hour or day of now began, in UTC.
func periodStart(now int64, period string) (int64, bool) {
	length := map[string]int64{"hour": 3600, "day": 86400, "session": 1}[period]
	if length == 0 {
		return 0, false
	}
	start := now - now%length
	if start > now {
		start -= length // before 1970
	}
	return start, true
}
