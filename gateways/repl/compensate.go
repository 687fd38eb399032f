package repl

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// compensate carries out what an operator says makes up for intents. Each is judged
// as the operator's, in the session of its intent.
func compensate(ctx context.Context, s *Session, c call) (Result, error) {
	const want = `INTENT '(:tool "T" :args (...) :explanation "...") ...`
	if len(c.args) == 0 || len(c.args)%2 != 0 {
		return Result{}, c.wrong(want)
	}
	var list []cortex.Compensation
	for i := 0; i < len(c.args); i += 2 {
		n, ok := c.number(i)
		if !ok {
			return Result{}, c.wrong(want)
		}
		a, err := proposed(c.args[i+1], c)
		if err != nil {
			return Result{}, err
		}
		list = append(list, cortex.Compensation{Intent: n, Action: a})
	}
	sig := s.signal()
	done, err := s.r.opt.Engine.Compensations().Run(ctx, list, &cortex.Facts{
		Signal: sig, Session: skills.Session{Principal: sig.Principal, Roles: sig.Roles},
	})
	var out strings.Builder
	for i, x := range done {
		x.Action = s.r.opt.Engine.Approvals().Covered(x.Action)
		done[i] = x
		out.WriteString(compensationText(x))
	}
	value := sexpr.Plist("done", listOf(done, compensationValue), "of", sexpr.Int64(int64(len(list))))
	var refused *cortex.NotAllowed
	switch {
	case err == nil:
	case errors.As(err, &refused): // it waits for a person, or for another action
		d := s.r.opt.Engine.Approvals().Shown(refused.Decision)
		value = value.With("stopped", decisionValue(d))
		out.WriteString(decisionText(d))
	default:
		return Result{}, fmt.Errorf("%s%d of %d made up for; %w", out.String(), len(done), len(list), err)
	}
	return Result{Value: value, Out: out.String(), Quiet: true}, nil
}

// listCompensations shows those that failed.
func listCompensations(ctx context.Context, s *Session, c call) (Result, error) {
	opt, err := c.options(0, "from")
	if err != nil {
		return Result{}, err
	}
	failed, err := s.r.opt.Engine.Compensations().Failed(ctx)
	if err != nil {
		return Result{}, err
	}
	return numbered[cortex.Compensation]{all: failed, form: "compensations", none: "no compensation has failed",
		number: func(x cortex.Compensation) uint64 { return x.By },
		show: func(x cortex.Compensation) (sexpr.Value, string, error) {
			x.Action = s.r.opt.Engine.Approvals().Covered(x.Action)
			return compensationValue(x), compensationText(x), nil
		}}.page(ctx, s, opt["from"])
}

func compensationText(x cortex.Compensation) string {
	action := card.Visible(x.Action.Canonical())
	switch x.State {
	case cortex.CompensationNeedless:
		return fmt.Sprintf("intent %d did nothing that could be made up for\n", x.Intent)
	case cortex.CompensationDone:
		return fmt.Sprintf("intent %d is made up for by intent %d  %s\n", x.Intent, x.By, action)
	}
	return fmt.Sprintf("intent %d was to make up for intent %d and FAILED  %s\n", x.By, x.Intent, action)
}

func compensationValue(x cortex.Compensation) sexpr.Value {
	return sexpr.Plist("intent", number(x.Intent), "by", number(x.By), "state", sexpr.Str(string(x.State)),
		"tool", sexpr.Str(x.Action.Tool()), "args", x.Action.Args())
}
