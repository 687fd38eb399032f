package advance

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/sexpr"
)

// checkContract sees that the artifact is there which the step's contract asks for. Its message
// names what was handed in and what is required; its fix is the least valid artifact.
func checkContract(plan *plans.Plan, step *plans.Step, artifacts []sexpr.Value) []state.Reason {
	if step.Output == nil {
		return nil
	}
	r := state.Reason{Code: state.MissingOutput,
		Pointer: state.Pointer{Kind: state.AtContract, ContractRef: step.Output.ContractRef},
		Fix:     "Send output.artifacts: [" + example(plan, step.Output.ContractRef) + "]."}
	if len(r.Fix) > state.MaxFix {
		r.Fix = "Send an artifact of the contract " + step.Output.ContractRef + "."
	}
	c, ok := plan.Contract(step.Output.ContractRef)
	if !ok {
		r.Code, r.Message = state.InvariantViolation, "The plan does not hold the contract that its step names."
		return []state.Reason{r}
	}
	var fits, kinds []string
	for _, a := range artifacts {
		if a.GetText("kind") != c.Kind {
			kinds = append(kinds, fmt.Sprintf("%q", a.GetText("kind")))
			continue
		}
		if err := valid(c.Schema, a); err != nil {
			r.Code, r.Message = state.InvalidOutput, cut(fmt.Sprintf("The artifact of kind %q is not valid: %v", c.Kind, err))
			return []state.Reason{r}
		}
		fits = append(fits, a.GetText("decision"))
	}
	switch {
	case len(fits) > 1 && c.Kind == controlKind && strings.Count(strings.Join(fits, " "), fits[0]) != len(fits):
		r.Code, r.Message = state.InvalidOutput, "The artifacts decide both to continue and to stop; hand in one decision."
	case len(fits) > 0 || !step.Output.Required && len(artifacts) == 0:
		return nil
	case len(artifacts) == 0:
		r.Message = fmt.Sprintf("Step %s requires an artifact of kind %q, and none was handed in. Notes do not replace it.",
			step.ID, c.Kind)
	default:
		r.Message = cut(fmt.Sprintf("Step %s requires an artifact of kind %q; handed in were artifacts of kind %s.",
			step.ID, c.Kind, strings.Join(kinds, ", ")))
	}
	return []state.Reason{r}
}

const controlKind = "wr.loop_control"

// ControlOf is the decision in a valid output of a step. The id of a loop in it means nothing:
// the decision is that of the loop that the step stands in.
func ControlOf(plan *plans.Plan, step *plans.Step, artifacts []sexpr.Value) (Control, bool) {
	if step.Output == nil || len(checkContract(plan, step, artifacts)) > 0 {
		return "", false
	}
	for _, a := range artifacts {
		c := Control(a.GetText("decision"))
		if a.GetText("kind") == controlKind && (c == Continue || c == Stop) {
			return c, true
		}
	}
	return "", false
}

// valid checks a value against a JSON schema.
func valid(schema plans.Data, v sexpr.Value) error {
	text, err := sexpr.ToJSON(schema.Value())
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{}) // a schema reads no file and no address
	if err := compiler.AddResource("contract.json", doc); err != nil {
		return err
	}
	compiled, err := compiler.Compile("contract.json")
	if err != nil {
		return err
	}
	if text, err = sexpr.ToJSON(v); err != nil {
		return err
	}
	if doc, err = jsonschema.UnmarshalJSON(bytes.NewReader(text)); err != nil {
		return err
	}
	if err := compiled.Validate(doc); err != nil {
		lines := strings.Split(err.Error(), "\n")
		return errors.New(strings.Join(lines[1:], "; ")) // the first line names the schema's address
	}
	return nil
}

// checkCriteria judges the notes of a step that has no contract: a contract wins.
func checkCriteria(step *plans.Step, out Output) []state.Reason {
	if step.Criteria == nil || step.Output != nil || strings.TrimSpace(out.Notes) == "" && NotesRequired(step) {
		return nil // missing notes are said once
	}
	r := state.Reason{Code: state.InvalidOutput, Pointer: state.Pointer{Kind: state.AtStep, StepID: step.ID},
		Fix: "Change output.notesMarkdown so that it meets the requirements of the step."}
	why, err := judge(step.Criteria, out)
	if err != nil {
		r = Unjudged(nil, step.ID, err)
	} else if why == "" {
		return nil
	} else {
		r.Message = cut("The notes do not pass: " + why)
	}
	return []state.Reason{r}
}

// judge says why the notes do not meet criteria, "" if they do.
func judge(c *plans.Criteria, out Output) (string, error) {
	switch {
	case c.Rule != nil:
		return judgeRule(c.Rule, out)
	case c.Not != nil:
		why, err := judge(c.Not, out)
		if err == nil && why == "" {
			return "they meet what they must not", nil
		}
		return "", err
	}
	var first string
	for _, all := range [][]plans.Criteria{c.And, c.Or} {
		for i := range all {
			why, err := judge(&all[i], out)
			if err != nil {
				return "", err
			}
			if why == "" && c.And == nil {
				return "", nil
			}
			if why != "" && c.And != nil {
				return why, nil
			}
			first = why
		}
	}
	return first, nil
}

func judgeRule(r *plans.Rule, out Output) (string, error) {
	if applies, err := r.When.Holds(out.Work); err != nil || !applies {
		return "", err
	}
	var ok bool
	switch r.Type {
	case "contains":
		ok = strings.Contains(out.Notes, r.Value)
	case "regex":
		pattern, err := regexp.Compile(r.Pattern)
		if err != nil {
			return "", err
		}
		ok = pattern.MatchString(out.Notes)
	case "length":
		n := utf8.RuneCountInString(out.Notes)
		ok = (r.Min == nil || n >= *r.Min) && (r.Max == nil || n <= *r.Max)
	case "schema":
		v, err := sexpr.FromJSON([]byte(out.Notes))
		ok = err == nil && valid(r.Schema, v) == nil
	default:
		return "", fmt.Errorf("a check of type %q is not known", r.Type)
	}
	if ok {
		return "", nil
	}
	if r.Message == "" {
		return "the check " + r.Type + " fails", nil
	}
	return r.Message, nil
}
