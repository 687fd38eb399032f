package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
)

func (s *Server) decide(ctx context.Context, from caller, q Question) (Decision, error) {
	a, err := s.asked(ctx, from, q, "")
	if err != nil {
		return Decision{}, err
	}
	return decisionOf(a.d)
}

func (s *Server) judge(ctx context.Context, from caller, q JudgeRequest) (Ruling, error) {
	if err := s.ours(q.Action.Tool); err != nil {
		return Ruling{}, err
	}
	a, no, err := s.judged(ctx, from, q)
	if err != nil || no != nil {
		return deref(no), err
	}
	return s.permit(ctx, a, q.Call)
}

// judged decides on a question, and waits for people where it asks. It returns a ruling unless the call may go on.
func (s *Server) judged(ctx context.Context, from caller, q JudgeRequest) (a asked, no *Ruling, err error) {
	if a, err = s.asked(ctx, from, q.Question, q.Call); err != nil {
		return a, nil, err
	}
	if err = a.spelt(); err != nil {
		if a.d.Approval != "" {
			_, no := s.withdraw(ctx, from, WithdrawRequest{Session: q.Session, Token: a.d.Approval})
			err = errors.Join(err, no)
		}
		return a, nil, err
	}
	switch d := a.d; {
	case d.Would:
	case d.Kind == reason.Ask:
		card, err := s.answered(ctx, d.Approval, q.Hold)
		if ctx.Err() != nil && q.Withdraw {
			clean := context.WithoutCancel(ctx)
			_, err := s.withdraw(clean, from, WithdrawRequest{Session: q.Session, Token: d.Approval})
			return a, nil, errors.Join(ctx.Err(), err)
		}
		if err != nil || card.State != approval.Approved {
			r, err := refused(d, card)
			return a, &r, err
		}
	case d.Kind == reason.Deny:
		r, err := ruling(d)
		return a, &r, err
	}
	return a, nil, nil
}

func deref(r *Ruling) Ruling {
	if r == nil {
		return Ruling{}
	}
	return *r
}

func (s *Server) begin(ctx context.Context, from caller, q BeginRequest) (Ruling, error) {
	x, err := s.session(ctx, q.Session, from)
	if err != nil {
		return Ruling{}, wrongInput(err)
	}
	a, err := s.before(x, q.Record)
	if err == nil {
		err = a.spelt()
	}
	if err != nil {
		return Ruling{}, err
	}
	d := a.d
	if d.Kind == reason.Ask && q.Hold > 0 {
		token, err := s.cardFor(ctx, d.ID)
		if err != nil {
			return Ruling{}, err
		}
		if card, err := s.answered(ctx, token, q.Hold); token != "" && (err != nil || card.State != approval.Approved) {
			return refused(d, card)
		}
	}
	return s.permit(ctx, a, q.Call)
}

// cardFor returns the card that waits for a decision; "" if none does.
func (s *Server) cardFor(ctx context.Context, decision uint64) (string, error) {
	for a, err := range s.opt.Engine.Pending(ctx) {
		if err != nil {
			return "", err
		}
		mine := func(j approval.Joined) bool { return j.Decision == decision }
		if a.Decision == decision || slices.ContainsFunc(a.Joined, mine) {
			return a.Token, nil
		}
	}
	return "", nil
}

// permit opens the intent of a decision. A card that people have approved since counts.
func (s *Server) permit(ctx context.Context, a asked, call string) (Ruling, error) {
	d := a.d
	if d.Kind == reason.Deny && !d.Would {
		return ruling(d)
	}
	if d.Action != nil {
		if err := s.ours(d.Action.Tool()); err != nil {
			return Ruling{}, err
		}
	}
	o, err := a.x.begin(call, a.action.Digest())
	if err != nil {
		return Ruling{}, err
	}
	p, err := s.opt.Engine.Begin(ctx, d)
	if err != nil || p.Dry() {
		a.x.ended(o)
	} else {
		a.x.began(o, p)
	}
	var not *cortex.NotAllowed
	switch {
	case errors.As(err, &not):
		return ruling(not.Decision)
	case err != nil:
		return Ruling{}, err
	case p.Dry():
		return dry(ctx, d, p)
	}
	out, err := ruling(d)
	if err != nil {
		return out, err
	}
	args, err := sexpr.ToJSON(p.Action().Args())
	if err != nil {
		return Ruling{}, err
	}
	out.Decision.Decision, out.Digest, out.Approval, out.Reasons = "allow", p.Action().Digest().String(), "", []Reason{}
	out.Action = &Action{Tool: p.Action().Tool(), Args: args}
	if d.Would {
		a.action = d.Proposed // it is observed, and runs as it is
	}
	out.Rewritten = a.action != nil && p.Action().Digest() != a.action.Digest()
	out.Intent, out.Key2 = p.ID(), p.Key()
	return out, nil
}

// dry says no: under a dry permit nothing is to be run, and the callers here run things.
func dry(ctx context.Context, d *cortex.Decision, p *cortex.Permit) (Ruling, error) {
	out, err := ruling(d)
	out.Decision.Decision, out.Key = "deny", "dry"
	out.Reasons = []Reason{{Key: "dry",
		Text: "this daemon is dry: it judges, and lets nothing be run (cortex serve --live does)"}}
	return out, errors.Join(err, p.Finish(ctx, cortex.Receipt{State: act.Nothing, Error: "dry run"}))
}

// errNoTime says that a card was not waited for.
var errNoTime = errors.New("people have not answered in time")

// answered waits until people have answered a card, and returns it. On an error the card
// is as it was.
func (s *Server) answered(ctx context.Context, token string, hold int) (*cortex.Approval, error) {
	if hold <= 0 || token == "" {
		return nil, errNoTime
	}
	ctx, cancel := context.WithTimeout(ctx, min(time.Duration(hold)*time.Second, maxHold))
	defer cancel()
	return s.opt.Engine.Approvals().Wait(ctx, token)
}

// refused is the ruling on a question that people have not answered with yes.
func refused(d *cortex.Decision, card *cortex.Approval) (Ruling, error) {
	out, err := ruling(d)
	if card == nil || card.State == approval.Pending {
		return out, err
	}
	text := "the question about it is " + string(card.State)
	if card.State == approval.Denied {
		text = "a person said no"
	}
	if card.Why != "" {
		text += ": " + card.Why
	}
	out.Decision.Decision, out.Reasons = "deny", []Reason{{Key: "approval/" + string(card.State), Text: text}}
	return out, err
}

func (s *Server) finish(ctx context.Context, from caller, o Outcome) (struct{}, error) {
	var none struct{}
	x, err := s.session(ctx, o.Session, from)
	if err != nil {
		return none, wrongInput(err)
	}
	r := cortex.Receipt{State: act.State(o.State), Text: o.Text, Error: o.Error, Cut: o.Cut}
	if len(bytes.TrimSpace(o.Result)) > 0 {
		if r.Result, err = sexpr.FromJSON(o.Result); err != nil { // then the text is all that is known
			r.Text, r.Result = string(o.Result), sexpr.Nil()
		}
	}
	if r.Result.IsNil() && r.Text == "" && r.State == act.Done && !r.Cut {
		r.Result = sexpr.Str("") // it returned nothing, and that is known
	}
	if r.Valid() != nil && !r.Result.IsNil() { // it is too long to keep as a value
		r.Text, r.Result, r.Cut = string(o.Result), sexpr.Nil(), true
	}
	if err := r.Valid(); err != nil {
		return none, wrong(http.StatusBadRequest, "state or result: %w", err)
	}
	if open := x.take(&o); open != nil {
		if err := open.permit.Finish(ctx, r); err != nil {
			return none, err
		}
		x.ended(open)
		return none, nil
	}
	return none, s.late(ctx, x, &o, r)
}

// late records the outcome of a call that another run of the daemon permitted: the intent
// that the caller names, or the only one that is open in the session, unless a caller that gives
// each call an id names another. An outcome without a call is still something that the model
// read: the one before it may have been a tool's.
func (s *Server) late(ctx context.Context, x *conversation, o *Outcome, r cortex.Receipt) error {
	hosts := s.opt.Engine.Hosts()
	open, err := s.unheld(x)
	if err != nil {
		return err
	}
	intent := o.Intent
	if intent == 0 && len(open) == 1 && (o.Call == "" || hooks[x.kind]) {
		intent = open[0].ID
	}
	for _, in := range open {
		if in.ID == intent {
			return hosts.Finish(ctx, intent, r)
		}
	}
	if text := o.Text + string(o.Result); text != "" {
		if _, err := hosts.Read(ctx, x.name, source, "the result of a call that was over", text); err != nil {
			return err
		}
		if hooks[x.kind] {
			return nil
		}
	}
	return wrong(http.StatusNotFound, "no such call is open in this session: %d are, expected the intent or the id of one",
		len(open))
}

func (s *Server) end(ctx context.Context, from caller, in EndRequest) (struct{}, error) {
	x, err := s.session(ctx, in.Session, from)
	if err != nil {
		return struct{}{}, wrongInput(err)
	}
	for _, o := range x.all() {
		if e := o.permit.Finish(ctx, unheard()); e != nil {
			err = errors.Join(err, e)
			continue
		}
		x.ended(o)
	}
	if !x.hasEarlier() {
		return struct{}{}, err
	}
	open, e := s.unheld(x)
	err = errors.Join(err, e)
	for _, in := range open {
		if e := s.opt.Engine.Hosts().Finish(ctx, in.ID, unheard()); !errors.Is(e, act.ErrOurs) {
			err = errors.Join(err, e)
		}
	}
	return struct{}{}, err
}

func decisionOf(d *cortex.Decision) (Decision, error) {
	out := Decision{Decision: d.Kind.String(), Key: d.Key, Reasons: []Reason{}, Policy: d.Policy.String(), Record: d.ID,
		Approval: d.Approval}
	for _, r := range d.Reasons {
		out.Reasons = append(out.Reasons, Reason{r.Key, r.Text, r.Retryable})
	}
	if d.Action != nil {
		args, err := sexpr.ToJSON(d.Action.Args())
		if err != nil {
			return out, err
		}
		out.Action, out.Digest = &Action{d.Action.Tool(), json.RawMessage(args)}, d.Action.Digest().String()
	}
	return out, nil
}

func ruling(d *cortex.Decision) (Ruling, error) {
	out, err := decisionOf(d)
	return Ruling{Decision: out}, err
}
