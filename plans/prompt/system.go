package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/sexpr"
)

// maxRequirements bounds the lines made of checks of the notes.
const maxRequirements = 5

func section(title string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "**" + title + ":**\n- " + strings.Join(lines, "\n- ")
}

// requirements are what the output must have. A contract wins over checks of the notes.
func requirements(plan *plans.Plan, step *plans.Step) string {
	if step.Output == nil {
		lines := criteria(step.Criteria)
		return section("OUTPUT REQUIREMENTS", lines[:min(len(lines), maxRequirements)])
	}
	c, ok := plan.Contract(step.Output.ContractRef)
	if !ok {
		return ""
	}
	lines := append([]string{fmt.Sprintf("Hand in an artifact of kind %q (contract %s).", c.Kind, c.ID)}, c.Required...)
	if text, err := sexpr.ToJSON(c.Example.Value()); err == nil {
		lines = append(lines, "The least that is valid: `{\"artifacts\": ["+string(text)+"]}`")
	}
	return section("OUTPUT REQUIREMENTS (System)", lines)
}

// criteria are the lines of rules that hold together; alternatives and negations make none.
func criteria(c *plans.Criteria) []string {
	if c == nil {
		return nil
	}
	var lines []string
	if r := c.Rule; r != nil {
		switch {
		case r.Type == "contains":
			lines = append(lines, fmt.Sprintf("Notes must contain: %q", r.Value))
		case r.Type == "regex":
			lines = append(lines, "Notes must match the pattern: `"+r.Pattern+"`")
		case r.Type == "length" && r.Min != nil && r.Max != nil:
			lines = append(lines, fmt.Sprintf("Notes must have %d to %d characters", *r.Min, *r.Max))
		case r.Type == "length" && r.Min != nil:
			lines = append(lines, fmt.Sprintf("Notes must have at least %d characters", *r.Min))
		case r.Type == "length" && r.Max != nil:
			lines = append(lines, fmt.Sprintf("Notes must have at most %d characters", *r.Max))
		}
	}
	for i := range c.And {
		lines = append(lines, criteria(&c.And[i])...)
	}
	return lines
}

func assessments(plan *plans.Plan, step *plans.Step) string {
	var lines []string
	for i := range plan.Assessments {
		a := &plan.Assessments[i]
		if !slices.Contains(step.Assessments, a.ID) {
			continue
		}
		lines = append(lines, fmt.Sprintf("Assess %s: %s", a.ID, a.Purpose))
		for _, d := range a.Dimensions {
			lines = append(lines, fmt.Sprintf("  %s (%s): %s", d.ID, strings.Join(d.Levels, " | "), d.Purpose))
		}
		lines = append(lines, advance.AssessmentExample(a))
	}
	return section("ASSESSMENT REQUIREMENTS (System)", lines)
}

func notes(step *plans.Step) string {
	if !advance.NotesRequired(step) {
		return ""
	}
	return "**NOTES REQUIRED (System):** Hand in `output.notesMarkdown` with this step: what you did or decided, " +
		"what you produced, what is notable. Write 10 to 30 lines about this step alone. Without notes the step is blocked."
}

// Functions are the definitions of the functions of these names that hold at a step: those of the first
// names, then of the next, each once. The closest definition of a name wins; those of the step come
// first, then those of its loop and of the plan, each by name. The text has at most 8,192 bytes beside
// a line that says how many are left out.
func Functions(plan *plans.Plan, loop *plans.Loop, step *plans.Step, names ...[]string) string {
	type definition struct {
		group, scope int
		plans.Function
	}
	var all []definition
	scopes := [][]plans.Function{step.Functions, nil, plan.Functions}
	if loop != nil {
		scopes[1] = loop.Functions
	}
	for scope, list := range scopes {
		for _, f := range list {
			shadowed := slices.ContainsFunc(all, func(d definition) bool { return d.Name == f.Name && d.scope < scope })
			group := slices.IndexFunc(names, func(list []string) bool { return slices.Contains(list, f.Name) })
			if group >= 0 && !shadowed {
				all = append(all, definition{group, scope, f})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b definition) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.scope, b.scope), cmp.Compare(a.Name, b.Name))
	})
	text, shown := "", 0
	for _, d := range all {
		next := fmt.Sprintf("\n- `%s`: %s", d.Name, d.Definition)
		if shown > 0 && len(text)+len(next) > maxFunctions {
			break
		}
		text += next
		shown++
	}
	if shown == 0 {
		return ""
	}
	text = canon.Truncate("**FUNCTIONS:**"+text, maxFunctions)
	if omitted := len(all) - shown; omitted > 0 {
		text += fmt.Sprintf("%s\nomitted %d", canon.Marker, omitted)
	}
	return text
}
