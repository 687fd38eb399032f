package main

import (
	"context"
	"errors"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/repl/wire"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// people is what waits for people, and takes their answers: a record that this
// process holds, or the daemon that does.
type people interface {
	Approvals(ctx context.Context, all bool) ([]*cortex.Approval, error)
	Doubts(ctx context.Context) ([]cortex.Doubt, error)
	FailedCompensations(ctx context.Context) ([]cortex.Compensation, error)
	Approval(ctx context.Context, token string) (*cortex.Approval, error)
	Digits(ctx context.Context, token string) (string, error)
	Approve(ctx context.Context, token string) error
	Deny(ctx context.Context, token, why string) error
	Settle(ctx context.Context, intent uint64, happened bool) error
	Retry(ctx context.Context, intent uint64) (string, error)
	Close() error
}

// look opens the record for looking.
func (f recordFlag) look(p *program) (people, error) {
	e, c, err := openRecord(p.ctx, f, engineIn(p))
	if err != nil {
		return nil, err
	}
	if c != nil {
		return served{c}, nil
	}
	return held{Engine: e}, nil
}

// answers opens the record for an operator's answer. A daemon takes it on its
// approval socket.
func (f recordFlag) answers(p *program, s secretFlag) (people, error) {
	e, c, err := openRecord(p.ctx, f, engineIn(p))
	if err != nil {
		return nil, err
	}
	if c == nil {
		who, err := s.operator(p, f.Dir, e)
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		return held{e, who}, nil
	}
	approvals, record := wire.ApprovalSocket(c.Path()), c.Handshake().Record
	if err := c.Close(); err != nil {
		return nil, err
	}
	secret, err := s.readFor(p, record)
	if err != nil {
		return nil, err
	}
	if c, err = dial(p.ctx, approvals); err != nil {
		return nil, err
	}
	if err := c.Auth(p.ctx, secret); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return served{c}, nil
}

// held is a record that this process holds, and who answers.
type held struct {
	*cortex.Engine
	who cortex.Approver
}

// Approvals returns the cards that wait, or all.
func (h held) Approvals(ctx context.Context, all bool) (list []*cortex.Approval, err error) {
	if all {
		return h.Engine.Approvals().All(ctx)
	}
	for a, err := range h.Pending(ctx) {
		if err != nil {
			return list, err
		}
		list = append(list, a)
	}
	return list, nil
}

// Digits returns the twelve digits that stand wherever a card is shown.
func (h held) Digits(ctx context.Context, token string) (string, error) {
	a, err := h.Approvals().Get(ctx, token)
	if err != nil {
		return "", err
	}
	return h.Approvals().Code(a)
}

// Approve records a yes.
func (h held) Approve(ctx context.Context, token string) error {
	return h.Approvals().Successor(ctx, h.Engine.Approve(ctx, token, h.who))
}

// Deny records a no.
func (h held) Deny(ctx context.Context, token, why string) error {
	return h.Approvals().Successor(ctx, h.Engine.Deny(ctx, token, h.who, why))
}

// Retry fails: nothing runs on a record that is only looked at.
func (h held) Retry(context.Context, uint64) (string, error) {
	return "", errors.New("only a live daemon tries an intent again, and none holds this record: start it, or say " +
		"happened or did-not")
}

// Settle records what came of an intent.
func (h held) Settle(ctx context.Context, intent uint64, happened bool) error {
	return h.Engine.Operations().Settle(ctx, intent, happened, h.who)
}

// served is a record that a daemon holds.
type served struct{ *wire.Client }

// eval evaluates one command of the REPL.
func (s served) eval(ctx context.Context, name string, args ...sexpr.Value) (sexpr.Value, error) {
	r, err := s.Eval(ctx, sexpr.ListOf(append([]sexpr.Value{sexpr.Sym(name)}, args...)...))
	return r.Value, err
}

// Approvals returns the cards that wait, or all, a page at a time.
func (s served) Approvals(ctx context.Context, all bool) (list []*cortex.Approval, err error) {
	var args []sexpr.Value
	if all {
		args = []sexpr.Value{sexpr.Key("all"), sexpr.T()}
	}
	for from := uint64(0); ; {
		v, err := s.eval(ctx, "approvals", append(args[:len(args):len(args)], sexpr.Key("from"), sexpr.Int64(int64(from)))...)
		if err != nil || v.Len() == 0 {
			return list, err
		}
		for _, x := range v.Items() {
			a, err := approvalFrom(x)
			if err != nil {
				return nil, err
			}
			list, from = append(list, a), a.Decision+1
		}
	}
}

// Doubts returns intents of which nobody knows what came of them.
func (s served) Doubts(ctx context.Context) (list []cortex.Doubt, err error) {
	v, err := s.eval(ctx, "doubts")
	if err != nil {
		return nil, err
	}
	for _, x := range v.Items() {
		a, err := toldAction(x)
		if err != nil {
			return nil, err
		}
		list = append(list, cortex.Doubt{Intent: uint64(x.GetInt("intent")), Action: a, Session: x.GetText("session"),
			Key: x.GetText("key")})
	}
	return list, nil
}

// FailedCompensations returns those that wait for a person.
func (s served) FailedCompensations(ctx context.Context) (list []cortex.Compensation, err error) {
	v, err := s.eval(ctx, "compensations")
	if err != nil {
		return nil, err
	}
	for _, x := range v.Items() {
		a, err := toldAction(x)
		if err != nil {
			return nil, err
		}
		list = append(list, cortex.Compensation{Intent: uint64(x.GetInt("intent")), Action: a, By: uint64(x.GetInt("by")),
			State: cortex.CompensationState(x.GetText("state"))})
	}
	return list, nil
}

// toldAction is the action of a plist that a daemon answers with.
func toldAction(x sexpr.Value) (*cortex.Action, error) {
	args, _ := x.Get("args")
	return cortex.NewAction(x.GetText("tool"), args, "")
}

// Approval returns one card.
func (s served) Approval(ctx context.Context, token string) (*cortex.Approval, error) {
	v, err := s.eval(ctx, "approval", sexpr.Str(token))
	if err != nil {
		return nil, err
	}
	return approvalFrom(v)
}

// Digits returns the twelve digits that stand wherever a card is shown.
func (s served) Digits(ctx context.Context, token string) (string, error) {
	v, err := s.eval(ctx, "approval", sexpr.Str(token))
	return v.GetText("code"), err
}

// Approve records a yes.
func (s served) Approve(ctx context.Context, token string) error {
	_, err := s.eval(ctx, "approve", sexpr.Str(token))
	return err
}

// Deny records a no.
func (s served) Deny(ctx context.Context, token, why string) error {
	args := []sexpr.Value{sexpr.Str(token)}
	if why != "" {
		args = append(args, sexpr.Str(why))
	}
	_, err := s.eval(ctx, "deny", args...)
	return err
}

// Retry has the daemon try an intent again, and returns what came of it.
func (s served) Retry(ctx context.Context, intent uint64) (string, error) {
	v, err := s.eval(ctx, "settle", sexpr.Int64(int64(intent)), sexpr.Key("retry"))
	return v.GetText("state"), err
}

// Settle records what came of an intent.
func (s served) Settle(ctx context.Context, intent uint64, happened bool) error {
	came := "did-not"
	if happened {
		came = "happened"
	}
	_, err := s.eval(ctx, "settle", sexpr.Int64(int64(intent)), sexpr.Key(came))
	return err
}

// approvalFrom reads a card as the daemon shows it.
func approvalFrom(v sexpr.Value) (*cortex.Approval, error) {
	args, _ := v.Get("args")
	action, err := cortex.NewAction(v.GetText("tool"), args, v.GetText("explanation"))
	if err != nil {
		return nil, err
	}
	policy, err := sexpr.ParseDigest(v.GetText("policy"))
	if err != nil {
		return nil, err
	}
	a := &cortex.Approval{
		Token: v.GetText("token"), State: cortex.ApprovalState(v.GetText("state")), Action: action, Policy: policy,
		Session: v.GetText("session"), Requester: v.GetText("requester"), Decision: uint64(v.GetInt("decision")),
		Created: v.GetInt("created"), Expires: v.GetInt("expires"), By: v.GetText("by"), Why: v.GetText("why"),
	}
	slots, _ := v.Get("slots")
	for _, x := range slots.Items() {
		slot := cortex.ApprovalSlot{
			Class: x.GetText("class"), Quorum: int(x.GetInt("quorum")), Bars: x.GetText("bars"),
			Reason: skills.Reason{Key: x.GetText("key"), Text: x.GetText("text")},
		}
		by, _ := x.Get("by")
		for _, name := range by.Items() {
			slot.By = append(slot.By, name.Text())
		}
		a.Slots = append(a.Slots, slot)
	}
	return a, nil
}
