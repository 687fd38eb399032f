package repl

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts"
)

// converter turns what a condition computes into what is printed. What the rules
// cannot know is shown as (:unknown "why"). A small list may hold a large one many
// times, so it stops where there is no room left, at about that many bytes.
type converter struct{ room int }

func (c *converter) value(x any) (sexpr.Value, error) {
	c.room -= 2
	if c.room < 0 {
		return sexpr.Value{}, nil
	}
	switch x := x.(type) {
	case nil:
		return sexpr.Nil(), nil
	case string:
		return c.text(x), nil
	case bool:
		if x {
			return sexpr.T(), nil
		}
		return sexpr.Sym("false"), nil
	case int:
		return sexpr.Int64(int64(x)), nil
	case int64:
		return sexpr.Int64(x), nil
	case float64:
		return sexpr.Float64(x), nil
	case skills.Null:
		return sexpr.Sym("null"), nil
	case facts.Unknown:
		return sexpr.Plist("unknown", c.text(x.Why)), nil
	case facts.Word:
		return c.text(x.Text), nil
	case facts.Pattern:
		return sexpr.Plist("pattern", c.text(x.Text)), nil
	case []any:
		var items []sexpr.Value
		for i := 0; i < len(x) && c.room >= 0; i++ {
			v, err := c.value(x[i])
			if err != nil {
				return sexpr.Value{}, err
			}
			items = append(items, v)
		}
		return sexpr.ListOf(items...), nil
	case map[string]any:
		return c.object(x)
	}
	return sexpr.Value{}, fmt.Errorf("a result of kind %T cannot be shown", x)
}

func (c *converter) text(s string) sexpr.Value {
	c.room -= len(s)
	return sexpr.Str(s)
}

func (c *converter) object(x map[string]any) (sexpr.Value, error) {
	if len(x) == 0 {
		return sexpr.EmptyObject(), nil
	}
	var items []sexpr.Value
	for _, k := range slices.Sorted(maps.Keys(x)) {
		if _, hidden := x[k].(interface{ Hidden() }); hidden {
			continue // a command in a record of its own, which only functions read
		}
		c.room -= len(k)
		v, err := c.value(x[k])
		if err != nil {
			return sexpr.Value{}, err
		}
		items = append(items, sexpr.Key(k), v)
	}
	return sexpr.ListOf(items...), nil
}

// over reports whether a value has more than so many bytes, about: it looks no
// further than that.
func over(v sexpr.Value, most int) bool { return weigh(v, most) < 0 }

// weigh returns what is left of room.
func weigh(v sexpr.Value, room int) int {
	room -= len(v.Text()) + 2
	for i := 0; i < v.Len() && room >= 0; i++ {
		room = weigh(v.Items()[i], room)
	}
	return room
}

func listOf[T any](xs []T, f func(T) sexpr.Value) sexpr.Value {
	out := make([]sexpr.Value, len(xs))
	for i, x := range xs {
		out[i] = f(x)
	}
	return sexpr.ListOf(out...)
}

func number(n uint64) sexpr.Value { return sexpr.Int64(int64(n)) }

func reasonValue(r skills.Reason) sexpr.Value {
	return sexpr.Plist("key", sexpr.Str(r.Key), "text", sexpr.Str(r.Text), "pos", sexpr.Str(r.Place()),
		"retryable", sexpr.Bool(r.Retryable))
}

// decisionValue is a decision for programs; its trace is (explain ID)'s.
func decisionValue(d *cortex.Decision) sexpr.Value {
	v := sexpr.Plist("id", number(d.ID), "decision", sexpr.Key(d.Kind.String()), "key", sexpr.Str(d.Key),
		"reasons", listOf(d.Reasons, reasonValue), "policy", sexpr.Str(d.Policy.String()))
	if d.Action != nil {
		v = v.With("action", actionValue(d.Action)).With("digest", sexpr.Str(d.Action.Digest().String()))
	}
	if d.Hint != nil && !d.Hint.Edit.IsNil() {
		v = v.With("hint", d.Hint.Edit)
	}
	if d.Approval != "" {
		v = v.With("approval", sexpr.Str(d.Approval))
	}
	if d.Would {
		v = v.With("would", sexpr.T())
	}
	return v
}

func actionValue(a *cortex.Action) sexpr.Value {
	v := sexpr.Plist("tool", sexpr.Str(a.Tool()), "args", a.Args())
	if a.Explanation() != "" {
		v = v.With("explanation", sexpr.Str(a.Explanation()))
	}
	return v
}

// outcomeValue is how a signal was answered.
func outcomeValue(out *cortex.Outcome) sexpr.Value {
	return sexpr.Plist("signal", number(out.Signal), "text", sexpr.Str(out.Text), "notice", sexpr.Str(out.Notice),
		"approval", sexpr.Str(out.Approval),
		"repeat", sexpr.Bool(out.Repeat), "dropped", sexpr.Bool(out.Dropped),
		"decisions", listOf(out.Decisions, decisionValue))
}

// approvalValue is a card for programs.
func (s *Session) approvalValue(a *cortex.Approval) (sexpr.Value, error) {
	code, err := s.r.opt.Engine.Approvals().Code(a)
	slots := listOf(a.Slots, func(x cortex.ApprovalSlot) sexpr.Value {
		return sexpr.Plist("key", sexpr.Str(x.Reason.Key), "text", sexpr.Str(x.Reason.Text), "class", sexpr.Str(x.Class),
			"quorum", sexpr.Int64(int64(x.Quorum)), "by", listOf(x.By, sexpr.Str), "bars", sexpr.Str(x.Bars),
			"also", listOf(x.Also, sexpr.Str), "step", sexpr.Str(stepOf(x)))
	})
	v := sexpr.Plist("token", sexpr.Str(a.Token), "code", sexpr.Str(code), "state", sexpr.Str(string(a.State)),
		"tool", sexpr.Str(a.Action.Tool()), "args", a.Action.Args(), "explanation", sexpr.Str(a.Action.Explanation()),
		"digest", sexpr.Str(a.Action.Digest().String()), "policy", sexpr.Str(a.Policy.String()),
		"session", sexpr.Str(a.Session),
		"requester", sexpr.Str(a.Requester), "decision", number(a.Decision), "created", sexpr.Int64(a.Created),
		"expires", sexpr.Int64(a.Expires),
		"slots", slots, "by", sexpr.Str(a.By), "why", sexpr.Str(a.Why))
	if len(a.Plan) > 0 {
		v = v.With("plan", listOf(a.Plan, planStepValue))
	}
	return v, err
}

// stepOf names the step of a plan that a slot is about; "" for a slot about the action itself.
func stepOf(x cortex.ApprovalSlot) string {
	if x.Of == nil {
		return ""
	}
	return x.Of.Step
}

// planStepValue is a step of a plan. One that is judged only when it is due has no tool.
func planStepValue(o skills.Of) sexpr.Value {
	v := sexpr.Plist("step", sexpr.Str(o.Step), "note", sexpr.Str(o.Note))
	if o.Action != nil {
		v = v.With("tool", sexpr.Str(o.Action.Tool())).With("args", o.Action.Args()).
			With("digest", sexpr.Str(o.Action.Digest().String()))
	}
	return v
}

// recordValue is a record for programs.
func recordValue(r cortex.Record) sexpr.Value {
	return sexpr.Plist("seq", number(r.Seq), "kind", sexpr.Str(r.Kind), "at", sexpr.Int64(r.At),
		"session", sexpr.Str(r.Session),
		"prev", sexpr.Str(r.Prev.String()), "hash", sexpr.Str(r.Hash.String()), "body", r.Body)
}

// stamp is a time as people read it.
func stamp(nanos int64) string { return time.Unix(0, nanos).UTC().Format("2006-01-02 15:04:05") }
