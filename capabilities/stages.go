package capabilities

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// stageGate is one stage of what judges a start.
type stageGate struct {
	book  *book
	id    string
	stage string
	judge func(*skills.Case, *version) (skills.Verdict, error)
}

// Key implements [skills.Gate].
func (g *stageGate) Key() string { return g.id + "/" + g.stage }

// Judge implements [skills.Gate].
func (g *stageGate) Judge(_ context.Context, c *skills.Case) (skills.Verdict, error) {
	v, ok := g.book.version(c.Action())
	if !ok {
		return refuse("this plan of %s may not be started; leave :plan out", g.id), nil
	}
	return g.judge(c, v)
}

// refuse denies a start. A model may fall back on a plan of its own (R42).
func refuse(text string, args ...any) skills.Verdict {
	return skills.Deny{Reason: skills.Reason{Text: fmt.Sprintf(text, args...), Retryable: true}}
}

// pinGate fills in what a start leaves open: the plan, and inputs that facts supply. So what is
// approved is what runs, also if another version comes into force before it does.
type pinGate struct {
	book *book
	id   string
}

// Key implements [skills.Gate].
func (g *pinGate) Key() string { return g.id + "/pin" }

// Judge implements [skills.Gate].
func (g *pinGate) Judge(_ context.Context, c *skills.Case) (skills.Verdict, error) {
	f, a := c.Facts(), c.Action()
	if f.Recall != nil && f.Session.Turns != nil {
		return refuse("%s runs in a recorded session, and this one is the caller's own", g.id), nil
	}
	set := sexpr.EmptyObject()
	v, ok := g.book.version(a)
	if _, named := a.Args().Get(planArg); !named {
		v, ok = g.book.of(g.id)[0], true
		set = set.With(planArg, sexpr.Str(v.hash))
	}
	if !ok {
		return skills.Pass{}, nil // the next stage says why
	}
	for i := range v.Inputs {
		in := &v.Inputs[i]
		if _, given := a.Args().Get(in.Name); given {
			continue
		}
		value, ok := sexpr.Nil(), false
		if in.From != "" {
			value, ok = fact(in.From, f)
		}
		if !ok {
			value, ok = g.book.parsed(c, v, in)
		}
		if ok {
			set = set.With(in.Name, value)
		}
	}
	if len(set.Items()) == 0 {
		c.Share(shared(g.id), &plan{version: v, inputs: inputsOf(a), past: &supposed{real: c}})
		return skills.Pass{}, nil
	}
	return skills.Rewrite{Set: sorted(set), Reason: skills.Reason{Text: "the plan and its inputs are pinned"}}, nil
}

// sorted is a plist by name, as the record gives it back.
func sorted(v sexpr.Value) sexpr.Value {
	pairs := slices.Collect(slices.Chunk(v.Items(), 2))
	slices.SortFunc(pairs, func(a, b []sexpr.Value) int { return cmp.Compare(a[0].Text(), b[0].Text()) })
	return sexpr.ListOf(slices.Concat(pairs...)...)
}

// compat is the first stage: where the capability may run at all (R2).
func compat(c *skills.Case, v *version) (skills.Verdict, error) {
	env := c.Facts().Env
	switch {
	case len(v.Compat.Env) > 0 && !slices.Contains(v.Compat.Env, env.GetText("env")):
		return refuse("%s is for the environment %s, and this is %q", v.ID, strings.Join(v.Compat.Env, " or "),
			env.GetText("env")), nil
	case v.Compat.Toolset != "" && v.Compat.Toolset != env.GetText("toolset"):
		return refuse("%s is for the tool set %s, and this is %q", v.ID, v.Compat.Toolset, env.GetText("toolset")), nil
	case v.Compat.Repo != "" && v.Compat.Repo != env.GetText("repo"):
		return refuse("%s is for the repository %s, and this is %q", v.ID, v.Compat.Repo, env.GetText("repo")), nil
	}
	return skills.Pass{}, nil
}

// needs is the second stage: preconditions (R4). Without them there is no score and no run.
func (b *book) needs(tools skills.ToolSet) func(*skills.Case, *version) (skills.Verdict, error) {
	fits := map[*version]error{}
	for _, v := range b.versions {
		fits[v] = v.Check(tools)
	}
	return func(c *skills.Case, v *version) (skills.Verdict, error) {
		for i := range v.Inputs {
			in := &v.Inputs[i]
			if _, given := c.Action().Args().Get(in.Name); in.Required && !given {
				return refuse("%s needs :%s", v.ID, in.Name), nil
			}
		}
		if err := fits[v]; err != nil {
			return refuse("%s cannot run here: %v", v.ID, err), nil
		}
		for _, cond := range v.Needs.When {
			holds, err := cond.Holds(c)
			if err != nil { // what it is about is not there, say
				return skills.Deny{Reason: skills.Reason{Text: fmt.Sprintf("a condition of %s cannot be judged: %v", v.ID,
					cond.Form()), Detail: err.Error(), Retryable: true}}, nil
			}
			if !holds {
				return refuse("a condition of %s does not hold: %v", v.ID, cond.Form()), nil
			}
		}
		return skills.Pass{}, nil
	}
}

// score is the third stage: how well the start fits what the user said (R17). It guards against a
// model that misfires.
func (b *book) score(c *skills.Case, v *version) (skills.Verdict, error) {
	if v.Offer.Tau == 0 {
		return skills.Pass{}, nil
	}
	s, err := b.scoreOf(c, v)
	if err != nil {
		return nil, err
	}
	note := fmt.Sprintf("score %.2f of %.2f", s, v.Offer.Tau)
	if s < v.Offer.Tau {
		return skills.Deny{Reason: skills.Reason{Text: v.ID + " does not fit what was asked for", Detail: note,
			Retryable: true}}, nil
	}
	return skills.Pass{Note: note}, nil
}

// clauseGate judges a start of one version by a clause of its own (R9).
type clauseGate struct {
	skills.Gate
	version *version
}

// Judge implements [skills.Gate].
func (g *clauseGate) Judge(ctx context.Context, c *skills.Case) (skills.Verdict, error) {
	if c.Action().Args().GetText(planArg) != g.version.hash {
		return skills.Pass{}, nil
	}
	return g.Gate.Judge(ctx, c)
}

// listed puts the whole plan on the card of what asks.
func listed(c *skills.Case, v *version) (skills.Verdict, error) {
	p := planOf(c, v)
	if p == nil {
		return skills.Pass{}, nil
	}
	return skills.Asks{Plan: p.steps}, nil
}

// onTrial asks for every start of a version on trial.
func onTrial(_ *skills.Case, v *version) (skills.Verdict, error) {
	if !v.trial {
		return skills.Pass{}, nil
	}
	return skills.Ask{Reason: skills.Reason{Text: fmt.Sprintf("%s %s is on trial, and every start asks", v.ID,
		v.Version)}}, nil
}
