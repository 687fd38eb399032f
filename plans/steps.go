package plans

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/plans/source"
	"github.com/opencortex-go/cortex/sexpr"
)

// steps compiles all steps of the workflow, loops with their bodies.
func (c *compiler) steps() {
	bodies := map[string]bool{} // steps that are the body of a loop
	for _, s := range c.w.Steps {
		bodies[s.Body.Ref.S] = true
	}
	for i := range c.w.Steps {
		s := &c.w.Steps[i]
		switch {
		case s.Type.S == "loop" || s.Loop != nil:
			c.out.Steps = append(c.out.Steps, c.place(s))
		case !bodies[s.ID.S]:
			c.out.Steps = append(c.out.Steps, c.step(s)...)
		}
	}
	for s := range c.out.AllSteps() {
		for _, id := range s.Needs {
			if !c.ids[id] {
				c.Add(c.w.At, nil, "step %s needs %q, which names no step", s.ID, id)
			}
		}
	}
}

// taken sees that no id stands twice.
func (c *compiler) taken(id string, at sexpr.Pos) {
	if c.ids[id] {
		c.Add(at, nil, "the step %q stands here a second time", id)
	}
	c.ids[id] = true
}

// step compiles a step, or the steps that its template puts in its place.
func (c *compiler) step(s *source.Step) []Step {
	if s.Template == nil {
		return []Step{c.one(s, s.ID.S, Origin{Source: SourceAuthored})}
	}
	t, ok := c.reg.templates[s.Template.ID.S]
	if !ok {
		unknown(c.Faults, s.Template.ID.At, "template", s.Template.ID.S, c.reg.templates)
		return nil
	}
	if s.Prompt.S != "" || s.Blocks != nil {
		c.Add(s.At, nil, "step %s has a prompt and a template: one of them", s.ID.S)
	}
	var out []Step
	for _, inner := range t.Steps {
		inner.Prompt.S = c.filled(inner.Prompt.S, s.Template)
		inner.Prompt.At, inner.At = s.Template.ID.At, s.At
		inner.Guidance = slices.Concat(inner.Guidance, t.MetaGuidance)
		if inner.When.Form == nil {
			inner.When = s.When
		}
		out = append(out, c.one(&inner, s.ID.S+"."+inner.ID.S, Origin{SourceTemplate, s.Template.ID.S}))
	}
	c.ids[s.ID.S] = true // others may need it
	return out
}

var argument = regexp.MustCompile(`(^|[^{])\{([a-zA-Z_][a-zA-Z0-9_]*)\}`)

// filled puts the arguments of a call into a prompt of its template.
func (c *compiler) filled(text string, t *source.Template) string {
	return argument.ReplaceAllStringFunc(text, func(slot string) string {
		m := argument.FindStringSubmatch(slot)
		if t.Args != nil {
			if v, ok := t.Args.V.Get(m[2]); ok {
				if v.Kind() == sexpr.String {
					return m[1] + v.Text()
				}
				if v.Len() == 0 && !v.IsNil() {
					return m[1] + v.String()
				}
			}
		}
		c.Add(t.ID.At, nil, "the template %s takes an argument %q: a text, a number or a truth value", t.ID.S, m[2])
		return slot
	})
}

// one compiles one step.
func (c *compiler) one(s *source.Step, id string, origin Origin) Step {
	c.taken(id, s.ID.At)
	out := Step{ID: id, Title: c.bound(s.Title.S, s.Title.At), By: ByPrompt, When: conditionOf(s.When),
		Needs:  texts(s.Needs),
		OnFail: OnFail(s.OnFail.S), Uses: texts(s.Uses), Gives: texts(s.Gives), Trusted: s.Trusted.B,
		AgentRole: s.AgentRole.S, Guidance: texts(s.Guidance), NotesOptional: s.NotesOptional.B, AskForFiles: s.AskForFiles.B,
		Functions: functions(s.Functions), Origin: origin, Output: c.output(s.Output)}
	if s.Confirm.Kind != "" {
		out.Confirm = &Confirmation{Kind: s.Confirm.Kind, When: conditionOf(s.Confirm.When)}
	}
	if !s.Criteria.IsZero() {
		out.Criteria = c.criteria(&s.Criteria)
	}
	for _, f := range s.Calls {
		out.Calls = append(out.Calls, FunctionCall{f.Name.S, Data{&f.Args.V}})
	}
	for _, f := range s.FunctionRefs {
		out.FunctionRefs = append(out.FunctionRefs, strings.TrimSuffix(f.S, "()"))
	}
	c.does(s, &out)
	c.judged(s, &out)
	return out
}

// does fills in who does the step: exactly one of a prompt, a tool and a person.
func (c *compiler) does(s *source.Step, out *Step) {
	ways := 0
	for _, has := range []bool{s.Prompt.S != "", s.Blocks != nil, s.Tool.S != "", s.Person != nil, s.Role.S != ""} {
		if has {
			ways++
		}
	}
	switch {
	case s.Prompt.S != "" && s.Blocks != nil:
		c.Add(s.At, nil, "step %s has a prompt and prompt blocks: one of them", s.ID.S)
	case s.Role.S != "":
		c.Add(s.Role.At, nil, "step %s: steps of a role are reserved, and nothing does them yet", s.ID.S)
	case ways != 1 && !(ways == 0 && s.Delegations != nil):
		c.Add(s.At, nil, "step %s has %d of prompt, promptBlocks, tool and person, expected one", s.ID.S, ways)
	}
	out.Prompt = c.bound(s.Prompt.S, s.Prompt.At)
	if s.Blocks != nil {
		out.Blocks = c.blocks(s.Blocks, &out.Refs)
		out.Prompt = out.Blocks.render()
	}
	c.more(s, out)
	for _, f := range s.Fragments {
		out.Fragments = append(out.Fragments, Fragment{f.ID.S, conditionOf(f.When), c.bound(f.Text.S, f.Text.At)})
	}
	if s.Tool.S != "" {
		empty := sexpr.EmptyObject()
		out.By, out.Tool = ByTool, &ToolCall{s.Tool.S, Data{&empty}}
		if s.Args != nil {
			out.Tool.Args = Data{&s.Args.V}
		}
		if !out.Tool.Args.Value().IsObject() {
			c.Add(s.At, nil, "step %s: the arguments of a tool are an object", s.ID.S)
		}
		arguments{c, out.ID, s.At, out.Origin.Source == SourceAuthored}.check("", out.Tool.Args.Value())
	} else if s.Args != nil {
		c.Add(s.At, nil, "step %s has arguments and no tool", s.ID.S)
	}
	if p := s.Person; p != nil {
		out.By = ByPerson
		out.Person = &Question{p.Kind.S, p.Question.S, texts(p.Choices), p.NonAssumable.S}
		if choice := p.Kind.S == "choice"; choice != (len(p.Choices) > 1) || choice != (p.NonAssumable.S != "") {
			c.Add(p.At, nil, "step %s: a choice has two choices or more, and says why it cannot be assumed (nonAssumable); "+
				"other questions have neither", s.ID.S)
		}
	}
}

// more adds to a prompt what parallel work, audits and trials ask for.
func (c *compiler) more(s *source.Step, out *Step) {
	add := func(title string, lines ...string) {
		lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" })
		if len(lines) > 0 {
			out.Prompt = strings.TrimPrefix(out.Prompt+"\n\n## "+title+"\n"+strings.Join(lines, "\n"), "\n\n")
		}
	}
	if (s.Type.S == "parallel") != (s.Delegations != nil) {
		c.Add(s.At, nil, "step %s: type parallel and parallelDelegations go together", s.ID.S)
	}
	for i, d := range s.Delegations {
		kv := []any{"workflow-id", d.WorkflowID.S}
		put := func(key, text string) {
			if text != "" {
				kv = append(kv, key, text)
			}
		}
		put("goal", d.Goal.S)
		put("model-tier", d.ModelTier.S)
		v := sexpr.Plist(kv...)
		v = withTexts(withTexts(v, "context-mapping", d.Mapping), "args", d.Args)
		if len(d.AllowedTools) > 0 {
			tools := make([]sexpr.Value, len(d.AllowedTools))
			for j, tool := range d.AllowedTools {
				tools[j] = sexpr.Str(tool.S)
			}
			v = v.With("allowed-tools", sexpr.ListOf(tools...))
		}
		out.Parallel = append(out.Parallel, Delegation{fmt.Sprintf("%s-%d", s.ID.S, i+1), conditionOf(d.When), Data{&v}})
	}
	if s.Synthesis != nil {
		add("Synthesis", s.Synthesis.Prompt.S)
		if out.Output == nil {
			out.Output = c.output(s.Synthesis.Output)
		}
	}
	if s.Audit != nil {
		rubric := []string{s.Audit.Prompt.S}
		for _, r := range s.Audit.Rubric {
			rubric = append(rubric, "- "+r.S)
		}
		add("Audit", rubric...)
	}
	if s.Verification != nil {
		add("Verification", s.Verification.Prompt.S, s.Verification.Command.S)
	}
}

// withTexts is v with an object of texts under key, if there are any.
func withTexts(v sexpr.Value, key string, all source.Texts) sexpr.Value {
	if len(all) == 0 {
		return v
	}
	kv := make([]any, 0, 2*len(all))
	for _, t := range all {
		kv = append(kv, t.Name.S, t.Is.S)
	}
	return v.With(key, sexpr.Plist(kv...))
}

func (c *compiler) output(o *source.Output) *Output {
	if o == nil {
		return nil
	}
	if _, ok := c.reg.contracts[o.ContractRef.S]; !ok {
		unknown(c.Faults, o.ContractRef.At, "contract", o.ContractRef.S, c.reg.contracts)
		return nil
	}
	c.used[o.ContractRef.S] = true
	return &Output{o.ContractRef.S, o.Required == nil || o.Required.B}
}

// judged checks assessments and what follows from them.
func (c *compiler) judged(s *source.Step, out *Step) {
	var levels []string
	for _, r := range s.Assessments {
		i := slices.IndexFunc(c.out.Assessments, func(a Assessment) bool { return a.ID == r.S })
		if i < 0 {
			c.Add(r.At, nil, "unknown assessment %q: declare it under assessments", r.S)
			continue
		}
		c.used["wr.contracts.assessment"] = true
		for _, d := range c.out.Assessments[i].Dimensions {
			levels = append(levels, d.Levels...)
		}
		out.Assessments = append(out.Assessments, r.S)
	}
	for _, q := range s.Consequences {
		switch {
		case q.When.ForAssessment.S != "" && !slices.Contains(out.Assessments, q.When.ForAssessment.S):
			c.Add(q.At, nil, "step %s does not ask for the assessment %q", s.ID.S, q.When.ForAssessment.S)
		case !slices.Contains(levels, q.When.AnyLevel.S):
			c.Add(q.At, nil, "no assessment of step %s has the level %q", s.ID.S, q.When.AnyLevel.S)
		}
		out.Consequences = append(out.Consequences,
			Consequence{q.When.AnyLevel.S, q.When.ForAssessment.S, q.Effect.Guidance.S})
	}
}

// criteria compiles checks of notes.
func (c *compiler) criteria(x *source.Criteria) *Criteria {
	out := &Criteria{}
	for i := range x.And {
		out.And = append(out.And, *c.criteria(&x.And[i]))
	}
	for i := range x.Or {
		out.Or = append(out.Or, *c.criteria(&x.Or[i]))
	}
	if x.Not != nil {
		out.Not = c.criteria(x.Not)
	}
	if r := x.Rule; r != nil {
		out.Rule = &Rule{Type: r.Type.S, Value: r.Value.S, Pattern: r.Pattern.S, Schema: dataOf(r.Schema),
			Message: r.Message.S, When: conditionOf(r.When)}
		if r.Min != nil {
			out.Rule.Min = &r.Min.N
		}
		if r.Max != nil {
			out.Rule.Max = &r.Max.N
		}
		if r.Pattern.S != "" {
			if f := re2Flags(r.Flags.S); f != "" {
				out.Rule.Pattern = "(?" + f + ")" + r.Pattern.S
			}
			if _, err := regexp.Compile(out.Rule.Pattern); err != nil {
				c.Add(r.Pattern.At, err, "the pattern does not compile: %s", err)
			}
		}
	}
	return out
}

// re2Flags are the flags that RE2 has too: the others say how often to match.
func re2Flags(flags string) string {
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune("ims", c) {
			return c
		}
		return -1
	}, flags)
}

// place compiles a loop, and is the step that stands for it.
func (c *compiler) place(s *source.Step) Step {
	out := Step{
		ID:        s.ID.S,
		Title:     s.Title.S,
		LoopID:    s.ID.S,
		When:      conditionOf(s.When),
		Functions: functions(s.Functions),
		Origin:    Origin{Source: SourceAuthored},
	}
	if s.Confirm.Kind != "" {
		out.Confirm = &Confirmation{Kind: s.Confirm.Kind, When: conditionOf(s.Confirm.When)}
	}
	c.taken(s.ID.S, s.ID.At)
	if s.Loop == nil {
		c.Add(s.At, nil, "step %s is a loop and has no loop", s.ID.S)
		return out
	}
	l := s.Loop
	loop := Loop{ID: s.ID.S, Type: LoopType(l.Type.S), ItemVar: l.ItemVar.S, IndexVar: l.IndexVar.S,
		IterationVar: cmp.Or(l.IterationVar.S, "currentIteration"), Items: l.Items.S, CountKey: l.Count.Key.S,
		Functions: functions(s.Functions)}
	if l.MaxIterations != nil {
		loop.MaxIterations = l.MaxIterations.N
	}
	if l.Count.N != nil {
		loop.Count = l.Count.N.N
	}
	c.body(s, &loop)
	c.ends(s, &loop)
	c.out.Loops = append(c.out.Loops, loop)
	return out
}

func (c *compiler) body(s *source.Step, loop *Loop) {
	steps := s.Body.Steps
	if ref := s.Body.Ref; ref.S != "" {
		i := slices.IndexFunc(c.w.Steps, func(x source.Step) bool { return x.ID.S == ref.S })
		if i < 0 {
			c.Add(ref.At, nil, "the body of loop %s names %q, which names no step", s.ID.S, ref.S)
			return
		}
		steps = c.w.Steps[i : i+1]
	} else if len(steps) == 0 {
		c.Add(s.At, nil, "the loop %s has no body", s.ID.S)
	}
	for i := range steps {
		if steps[i].Loop != nil || steps[i].Type.S == "loop" {
			c.Add(steps[i].At, nil, "the loop %s stands in the loop %s: loops do not nest", steps[i].ID.S, s.ID.S)
			continue
		}
		loop.Body = append(loop.Body, c.step(&steps[i])...)
	}
}

// ends says what makes a loop end.
func (c *compiler) ends(s *source.Step, loop *Loop) {
	l := s.Loop
	switch loop.Type {
	case LoopFor:
		if l.Count.N == nil && l.Count.Key.S == "" {
			c.Add(l.At, nil, "the loop %s has no count", s.ID.S)
		}
	case LoopForEach:
		if l.Items.S == "" {
			c.Add(l.At, nil, "the loop %s has no items", s.ID.S)
		}
		loop.ItemVar, loop.IndexVar = cmp.Or(loop.ItemVar, "currentItem"), cmp.Or(loop.IndexVar, "currentIndex")
	case LoopWhile, LoopUntil:
		c.controlled(s, loop)
	}
}

const loopControl = "wr.contracts.loop_control"

// controlled finds what a while or until loop goes by: what it says, or else an artifact of a step
// of its body, or else its condition.
func (c *compiler) controlled(s *source.Step, loop *Loop) {
	l := s.Loop
	loop.When = conditionOf(l.Condition)
	handsIn := func(contract string) bool {
		return slices.ContainsFunc(loop.Body, func(b Step) bool {
			return b.Output != nil && b.Output.ContractRef == contract
		})
	}
	if l.Source == nil && handsIn(loopControl) {
		loop.Control = loopControl
	}
	if l.Source != nil && l.Source.Kind.S == "artifact_contract" {
		if o := c.output(&source.Output{ContractRef: l.Source.ContractRef}); o != nil {
			loop.Control = o.ContractRef
		}
		if loop.Control != "" && !handsIn(loop.Control) {
			c.Add(l.Source.At, nil, "no step of the loop %s hands in %s", s.ID.S, loop.Control)
		}
	} else if l.Source != nil {
		loop.When = conditionOf(l.Source.Condition)
	}
	switch {
	case loop.Control != "":
		loop.When = nil
	case loop.When == nil:
		c.Add(l.At, nil, "the loop %s has nothing that ends it: a conditionSource, a condition, or a step that hands in %s",
			s.ID.S, loopControl)
	default:
		c.out.Warnings = append(c.out.Warnings, Warning{"loop_by_condition", s.ID.S})
	}
}
