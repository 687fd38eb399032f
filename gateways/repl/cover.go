package repl

import (
	"context"
	"fmt"
	"time"

	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/sexpr"
)

func approve(ctx context.Context, s *Session, c call) (Result, error) {
	const want = `"TOKEN" [:cover N :minutes M]`
	token, err := s.token(c, 5, want)
	if err != nil {
		return Result{}, err
	}
	of := s.r.opt.Engine.Approvals()
	terms, err := c.options(1, "cover", "minutes")
	switch {
	case err != nil:
		return Result{}, err
	case len(c.args) == 1:
		err = s.r.opt.Engine.Approve(ctx, token, *s.c.Approver)
	case len(terms) != 2:
		return Result{}, c.wrong(want)
	default:
		err = of.ApproveAndCover(ctx, token, *s.c.Approver, engine.CoverTerms{
			Calls: int(min(terms["cover"], 1<<20)), For: time.Duration(min(terms["minutes"], 1<<20)) * time.Minute})
	}
	if err != nil {
		return Result{}, of.Successor(ctx, err)
	}
	return s.stands(ctx, token)
}

func listCovers(ctx context.Context, s *Session, c call) (Result, error) {
	session := c.name(0)
	if len(c.args) == 0 || session == "" {
		return Result{}, c.wrong(`"SESSION" [:from N]`)
	}
	opt, err := c.options(1, "from")
	if err != nil {
		return Result{}, err
	}
	covers, err := s.r.opt.Engine.Approvals().Covers(ctx, session)
	if err != nil {
		return Result{}, err
	}
	return numbered[engine.Cover]{all: covers, form: "covers " + sexpr.Str(session).String(), none: "nothing is covered",
		number: func(x engine.Cover) uint64 { return x.ID },
		show: func(x engine.Cover) (sexpr.Value, string, error) {
			return sexpr.Plist("cover", number(x.ID), "tool", sexpr.Str(x.Tool), "principal", sexpr.Str(x.Principal),
					"left", sexpr.Int64(int64(x.Left)), "until", sexpr.Int64(x.Until)),
				fmt.Sprintf("cover %d  %d more calls of %s by %s, until %s\n", x.ID, x.Left, card.Visible(x.Tool),
					card.Visible(x.Principal), time.Unix(x.Until, 0).UTC().Format(time.RFC3339)), nil
		}}.page(ctx, s, opt["from"])
}

func uncover(ctx context.Context, s *Session, c call) (Result, error) {
	session := c.name(0)
	id, ok := c.number(1)
	if len(c.args) != 2 || session == "" || !ok {
		return Result{}, c.wrong(`"SESSION" NUMBER`)
	}
	if err := s.r.opt.Engine.Approvals().Uncover(ctx, session, id, *s.c.Approver); err != nil {
		return Result{}, err
	}
	return plain(number(id), "cover %d: taken back\n", id)
}
