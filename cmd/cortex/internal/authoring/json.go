package authoring

import (
	"encoding/json"

	"github.com/opencortex-go/cortex/reason/author"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Object is a report as programs read it.
type Object = map[string]any

// ExamplesJSON is a run of examples.
func ExamplesJSON(r *author.Report) Object {
	results, gaps := []Object{}, []Object{}
	for _, x := range r.Results {
		wrong := []Object{}
		for _, w := range x.Wrong {
			wrong = append(wrong, Object{"what": w.What, "found": w.Found, "expected": w.Expected})
		}
		o := Object{"file": x.Example.File, "line": x.Example.Pos.Line, "name": x.Example.Name, "ok": len(wrong) == 0}
		if len(wrong) > 0 {
			o["differences"], o["values"] = wrong, valuesJSON(x.Values)
			o["because"], o["notes"] = x.Because, append([]string{}, x.Notes...)
		}
		results = append(results, o)
	}
	for _, m := range r.Coverage.Missing {
		o := placeJSON(m.Rule)
		o["missing"] = "passes"
		if m.Applies {
			o["missing"] = "applies"
		}
		gaps = append(gaps, o)
	}
	c := r.Coverage
	return Object{"ok": r.Failed == 0, "examples": results, "failed": r.Failed, "coverage": Object{
		"clauses": c.Clauses, "applied": c.Applied, "outcomes": c.Outcomes, "shown": c.Shown, "missing": gaps}}
}

func placeJSON(r rules.Rule) Object {
	return Object{"rule": r.ID, "file": r.File, "line": r.Pos.Line, "col": r.Pos.Col}
}

func valuesJSON(values []author.Seen) []Object {
	out := []Object{}
	for _, v := range values {
		out = append(out, Object{"rule": v.Rule, "form": v.Form, "value": v.Value})
	}
	return out
}

// text is a form in JSON, where it has any.
func text(v sexpr.Value) any {
	raw, err := sexpr.ToJSON(v)
	if err != nil {
		return v.String()
	}
	return json.RawMessage(raw)
}
