package main

import (
	"context"
	"fmt"

	"github.com/cedar-policy/cedar-go"
	"github.com/expr-lang/expr/vm"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// decisions measures one decision beside expr's bare programs and two other
// engines: from a ready action, without a trace, one rule matching.
func decisions(r *report) error {
	for _, n := range []int{10, 100} {
		if err := onOneTool(r, n); err != nil {
			return err
		}
	}
	sizes := []int{10, 100, 1000, 10_000}
	if r.short {
		sizes = sizes[:3]
	}
	few, err := ourDecision(10, true)
	if err != nil {
		return err
	}
	for _, n := range sizes {
		if err := onTheirOwn(r, n, few); err != nil {
			return err
		}
	}
	return nil
}

// onOneTool: every rule has to be asked.
func onOneTool(r *report, n int) error {
	ours, err := ourDecision(n, false)
	if err != nil {
		return err
	}
	programs, err := exprRules(0, n, false)
	if err != nil {
		return err
	}
	cedar, err := cedarDecision(n, false)
	if err != nil {
		return err
	}
	cel, err := celDecision(n)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("one decision, %d rules of three clauses on one tool", n)
	for _, w := range []row{
		{what: what, ours: ours, theirs: exprDecision(programs, n/2, false), rival: fmt.Sprintf("%d bare expr programs", n),
			limit: 1.3},
		{what: what, ours: ours, theirs: cedar, rival: "cedar-go", limit: 0.5},
		{what: what, ours: ours, theirs: cel, rival: "cel-go"},
	} {
		if err := r.measure(w); err != nil {
			return err
		}
	}
	return nil
}

// onTheirOwn: each rule is about a tool of its own, so one has to be asked.
func onTheirOwn(r *report, n int, few series) error {
	ours, err := ourDecision(n, true)
	if err != nil {
		return err
	}
	programs, err := exprRules(n/2, n/2+1, true)
	if err != nil {
		return err
	}
	cedar, err := cedarDecision(n, true)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("one decision, %d rules, each on its own tool", n)
	rows := []row{
		{what: what, ours: ours, theirs: exprDecision(programs, n/2, true), rival: "the 1 bare expr program"},
		{what: what, ours: ours, theirs: cedar, rival: "cedar-go", limit: 0.5},
	}
	if n > 10 {
		rows = append(rows, row{what: what, ours: ours, theirs: few, rival: "ours with 10 rules", limit: 2})
	}
	for _, w := range rows {
		if err := r.measure(w); err != nil {
			return err
		}
	}
	return nil
}

// ourDecision decides on the action that rule n/2 of n allows.
func ourDecision(n int, apart bool) (series, error) {
	book, err := reason.LoadRules(ourRules(n, apart))
	if err != nil {
		return nil, err
	}
	a, err := skills.NewAction(toolOf(n/2, apart), ourArgs(n/2), "to pay")
	if err != nil {
		return nil, err
	}
	req, ctx := reason.Request{Policy: book, Action: a, Facts: &skills.Facts{}, NoTrace: true}, context.Background()
	if d := reason.Decide(ctx, req); d.Key != fmt.Sprintf("rule%05d/fits", n/2) {
		return nil, fmt.Errorf("%s: %s", d.Kind, d.Key)
	}
	return each(func() error {
		if d := reason.Decide(ctx, req); d.Kind != reason.Allow {
			return fmt.Errorf("%s: %s", d.Kind, d.Key)
		}
		return nil
	}), nil
}

func ourArgs(at int) sexpr.Value {
	return sexpr.Plist("currency", sexpr.Str(fmt.Sprintf("C%05d", at)), "amount", sexpr.Int64(1_000_000),
		"path", sexpr.Str(fmt.Sprintf("/data/%05d/report", at)))
}

// exprDecision runs all programs on one machine, as a loop around expr would.
func exprDecision(programs []*vm.Program, at int, apart bool) series {
	env, machine := exprEnv(at, apart), &vm.VM{}
	return each(func() error {
		matches := 0
		for _, p := range programs {
			yes, err := machine.Run(p, env)
			if err != nil {
				return err
			}
			if yes.(bool) {
				matches++
			}
		}
		return one(matches)
	})
}

func cedarDecision(n int, apart bool) (series, error) {
	set, err := cedarRules(n, apart)
	if err != nil {
		return nil, err
	}
	req := cedarRequest(n/2, apart)
	return each(func() error {
		ok, diag := cedar.Authorize(set, nil, req)
		if ok != cedar.Allow || len(diag.Errors) > 0 {
			return fmt.Errorf("cedar: %v %v", ok, diag)
		}
		return one(len(diag.Reasons))
	}), nil
}

func celDecision(n int) (series, error) {
	programs, err := celRules(n, false)
	if err != nil {
		return nil, err
	}
	env := exprEnv(n/2, false)
	return each(func() error {
		matches := 0
		for _, p := range programs {
			yes, _, err := p.Eval(env)
			if err != nil {
				return err
			}
			if yes.Value() == true {
				matches++
			}
		}
		return one(matches)
	}), nil
}

// one checks that exactly one rule matched, so that all measure the same.
func one(matches int) error {
	if matches != 1 {
		return fmt.Errorf("%d rules matched, not one", matches)
	}
	return nil
}
