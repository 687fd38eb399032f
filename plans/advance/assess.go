package advance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/plans/work"
	"github.com/opencortex-go/cortex/sexpr"
)

// AssessmentKind is the kind of an artifact that assesses.
const AssessmentKind = "wr.assessment"

// checkAssessments sees that every assessment of the step is there with levels that it has, and
// that no level asks for a follow-up.
func checkAssessments(plan *plans.Plan, step *plans.Step, artifacts []sexpr.Value) []state.Reason {
	var reasons []state.Reason
	at := state.Pointer{Kind: state.AtStep, StepID: step.ID}
	for _, id := range step.Assessments {
		i := slices.IndexFunc(plan.Assessments, func(a plans.Assessment) bool { return a.ID == id })
		if i < 0 {
			continue
		}
		levels, why := assess(&plan.Assessments[i], artifacts, len(step.Assessments) == 1)
		if why != "" {
			reasons = append(reasons, state.Reason{Code: state.InvalidOutput, Pointer: at,
				Message: cut(fmt.Sprintf("The assessment %s: %s", id, why)), Fix: AssessmentExample(&plan.Assessments[i])})
			continue
		}
		for _, c := range step.Consequences {
			if (c.ForAssessment == "" || c.ForAssessment == id) && slices.Contains(levels, c.AnyLevel) {
				reasons = append(reasons, state.Reason{Code: state.FollowUp, Pointer: at,
					Message: cut(fmt.Sprintf("The assessment %s is at level %s, which asks for a follow-up.", id, c.AnyLevel)),
					Fix:     cutFix(c.Guidance)})
			}
		}
	}
	return reasons
}

// assess reads the levels of an assessment, or says why they cannot be read. A lone assessment
// needs no id.
func assess(a *plans.Assessment, artifacts []sexpr.Value, lone bool) (levels []string, why string) {
	i := slices.IndexFunc(artifacts, func(v sexpr.Value) bool {
		id := v.GetText("assessmentId")
		return v.GetText("kind") == AssessmentKind && (id == a.ID || id == "" && lone)
	})
	if i < 0 {
		return nil, fmt.Sprintf("no artifact of kind %q was handed in for it.", AssessmentKind)
	}
	given, _ := artifacts[i].Get("dimensions")
	for key := range work.Members(given) {
		if !slices.ContainsFunc(a.Dimensions, func(d plans.Dimension) bool { return d.ID == key }) {
			return nil, fmt.Sprintf("it has no dimension %s.", key)
		}
	}
	for _, d := range a.Dimensions {
		v, ok := given.Get(d.ID)
		if !ok && !d.Required {
			continue
		}
		text := v.Text()
		if v.IsObject() {
			text = v.GetText("level")
		}
		level, ok := levelOf(d.Levels, text)
		if !ok {
			return nil, fmt.Sprintf("dimension %s is %q, expected one of %s.", d.ID, text, strings.Join(d.Levels, ", "))
		}
		levels = append(levels, level)
	}
	return levels, ""
}

// levelOf finds a level: exactly, or the only one that differs in case alone.
func levelOf(levels []string, text string) (string, bool) {
	if slices.Contains(levels, text) {
		return text, true
	}
	var found []string
	for _, l := range levels {
		if strings.EqualFold(l, text) {
			found = append(found, l)
		}
	}
	if len(found) != 1 {
		return "", false
	}
	return found[0], true
}

// AssessmentExample is the least valid artifact of an assessment.
func AssessmentExample(a *plans.Assessment) string {
	var parts []string
	for _, d := range a.Dimensions {
		if d.Required && len(d.Levels) > 0 {
			parts = append(parts, fmt.Sprintf("%q: %q", d.ID, d.Levels[0]))
		}
	}
	return cutFix(fmt.Sprintf(`Send output.artifacts: [{"kind": %q, "assessmentId": %q, "dimensions": {%s}}]`+
		", with the levels that apply.", AssessmentKind, a.ID, strings.Join(parts, ", ")))
}
